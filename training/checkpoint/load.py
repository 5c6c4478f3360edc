"""Loads the newest checkpoint that is whole, by any number of processes, whatever number wrote it.

Every file is read against its checksum, once by one of the processes, before any number is loaded.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch.distributed as dist

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.tokens.step_rows import SkippedWindow, windows_before
from training.checkpoint.manifest import (
    CheckpointManifest,
    DamagedError,
    TensorFile,
    TensorShape,
    complete_steps,
    digest_of,
    folder_of,
    manifest_bytes,
    parse_manifest,
)
from training.checkpoint.state import held_tensors, shapes_in
from training.checkpoint.tensor_files import fill, what_is_wrong
from training.config.branches import ParentRecord
from training.parallel.mesh import RefusedError, Worker
from training.trainee import Trainee

log = logging.getLogger(__name__)
OUTDATED = "it has seen rows that are left out now"


class LoadedState(NamedTuple):
    """The step that a run goes on from, 0 without any checkpoint, and what is wrong with newer ones."""

    step: int
    damaged: tuple[str, ...] = ()


def load_newest(output: str, trainee: Trainee, worker: Worker, skipped: Sequence[SkippedWindow] = ()) -> LoadedState:
    """Loads into a new trainee; called by all processes together. A checkpoint that has seen what the steps now leave
    out is passed over.

    Raises RefusedError if there are checkpoints and all are damaged, or if one belongs to another model or was written
    in another format.
    """
    # Only the first one looks: a thousand listings are work, and those of a shared disk may differ for a moment.
    steps = worker.gather(complete_steps(output) if worker.first else [])[0]
    damaged: tuple[str, ...] = ()
    for step in reversed(steps):
        problem = load(output, step, trainee, worker, windows_before(step, skipped))
        if problem == OUTDATED:
            continue
        if not problem:
            return LoadedState(step, damaged)
        damaged = (*damaged, f"step_{step}: {problem}")
    if damaged:
        raise RefusedError(
            f"no checkpoint in {output} is whole ({'; '.join(damaged)}); restore one from a copy, or give another "
            "output to begin again"
        )
    return LoadedState(0)


def load_parent(parent: ParentRecord, trainee: Trainee, worker: Worker, skipped: Sequence[SkippedWindow]) -> None:
    """Loads the checkpoint that a branch goes on from into a new trainee; called by all processes together. Raises
    RefusedError if it is not there any more, or not as it was when the branch began."""
    run = parent["run"]
    step = parent["step"]
    other = worker.agreed(lambda: worker.first and digest_of(folder_of(run, step)) != parent["manifest"])
    problem = worker.first_of("it is gone, or another one than when the branch began" if other else "")
    if problem := problem or load(run, step, trainee, worker, windows_before(step, skipped)):
        raise RefusedError(
            f"the branch has no checkpoint yet, and {masked(folder_of(run, step))} cannot be loaded: {problem}; "
            "restore it from a copy, or branch off another one, with another output"
        )


def load(output: str, step: int, trainee: Trainee, worker: Worker, skipped: list[list[int]] | None = None) -> str:
    """Loads the checkpoint of one step; returns what is wrong with it, in every process, or "" once it is loaded. It is
    OUTDATED if `skipped` is given and not what it left out."""
    folder = folder_of(output, step)
    log.info("loading %s", masked(folder))
    tensors = held_tensors(trainee, worker)
    # The stages of a pipeline hold others; all processes of a stage hold the same.
    own = shapes_in(tensors) if worker.first_of_stage else {}
    shapes = {name: one for some in worker.gather(own) for name, one in some.items()}
    files: dict[str, TensorFile] = {}
    refusal = problem = ""
    try:
        manifest = read_together(folder, worker)
        _refuse_other_model(folder, manifest, shapes)
        if skipped is not None and manifest.skipped != skipped:
            raise DamagedError(OUTDATED)
        files = manifest.files
        mine = sorted(files)[worker.rank :: worker.world_size]
        problem = what_is_wrong(folder, {name: files[name] for name in mine})
    except (DamagedError, OSError) as error:
        problem = str(error)
    except InputError as error:
        refusal = str(error)
    worker.agree(refusal)
    if problem := worker.first_of(problem):
        return problem
    try:
        fill(folder, files, {name: box for name, box in tensors.items() if name in manifest.tensors})
    except (DamagedError, OSError) as error:
        problem = str(error)
    return worker.first_of(problem)


def read_together(folder: str, worker: Worker) -> CheckpointManifest:
    """As `read_manifest`; one process reads the file and sends it to the others, which call this too."""
    told: list[bytes | Exception] = [b""]
    if worker.first:
        try:
            told = [manifest_bytes(folder)]
        except (InputError, OSError) as error:  # the others wait to hear of it
            told = [error]
    dist.broadcast_object_list(told)
    if isinstance(told[0], Exception):
        raise told[0]
    return parse_manifest(folder, told[0])


def _refuse_other_model(folder: str, manifest: CheckpointManifest, expected: Mapping[str, TensorShape]) -> None:
    # A scale of losses is of the device that trains, and begins anew on another.
    own, there = (
        {name: shape for name, shape in shapes.items() if not name.startswith("scaler.")}
        for shapes in (expected, manifest.tensors)
    )
    if there != own:
        name = min(name for name in own.keys() | there.keys() if own.get(name) != there.get(name))
        saved, wanted = (shapes.get(name, "absent") for shapes in (there, own))
        raise InputError(
            f"{folder} is of another model: it has {name} {saved}, this model {wanted}; give another output"
        )
