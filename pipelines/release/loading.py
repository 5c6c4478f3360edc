"""Loads the whole model of a release, which is only needed to ask it something, where it fits into memory."""

import os
from collections.abc import Callable
from pathlib import Path

import torch

from curation.core.errors import InputError
from training.evaluate.trained import TrainedRun
from training.trainable import Trainable

SPARE = 1.2  # memory of a loaded model over that of its weights, with what answers take


def loaded_if_it_fits(
    run: TrainedRun, shape: Trainable, there: int, *, needed: bool, wanted: bool, on_step: Callable[[str], None]
) -> Trainable | None:
    """`shape`: the model on the meta device; `there`: bytes of free memory. A model that is `wanted` is left out with a
    line where it does not fit; raises InputError for one that is `needed`, whose losses nobody measured."""
    if not (needed or wanted):
        return None
    bytes_needed = int(SPARE * sum(4 * parameter.numel() for parameter in shape.parameters()))
    if bytes_needed <= there:
        on_step("loading the model")
        return run.load(run.steps[-1])
    line = f"the model takes {bytes_needed / 2**30:,.1f} GiB, and {there / 2**30:,.1f} GiB are free"
    if needed:
        raise InputError(
            f"{line}, but the losses of these weights were never measured; release the last checkpoint of the "
            "training, or on a machine with more memory"
        )
    on_step(f"{line}: it is not asked for personal data, listed terms and passages of its data")
    return None


def free_memory() -> int:
    """Bytes of the GPU if there is one, or else of this machine."""
    if torch.cuda.is_available():
        return torch.cuda.mem_get_info()[0]
    facts = Path("/proc/meminfo")
    if not facts.exists():
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    lines = dict(line.split(":", 1) for line in facts.read_text().splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024
