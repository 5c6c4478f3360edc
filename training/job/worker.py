"""What Ray Train runs in each worker."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event
from typing import Any

import ray.train
import torch
from ray.train import Checkpoint, CheckpointUploadMode
from ray.train.torch import get_device

from curation.core import storage
from curation.core.errors import InputError, WinnowError
from curation.core.threads import repeating
from training import start
from training.ending import STOP, StoppedError
from training.job.ray_metrics import exported
from training.metrics.records import STORE_SECONDS
from training.parallel.mesh import RefusedError


def work(settings: dict[str, Any]) -> WinnowError | None:
    """One worker; returns what ends all workers together. Ray would start them again if they raised it."""
    if not settings["leases_gpus"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # Ray hides none from a worker that leases none
    if torch.cuda.is_available():
        torch.cuda.set_device(get_device())
    first = ray.train.get_context().get_world_rank() == 0
    asked = Event()
    try:
        with (
            exported(settings["output"]) if first else nullcontext(None) as on_record,
            _hearing(settings["output"], asked) if first else nullcontext(),
        ):
            start.train(
                settings["config"],
                settings["data"],
                settings["output"],
                claim=settings["claim"],
                on_record=on_record or (lambda record: None),
                on_checkpoint=_report,
                asked=asked,
                in_danger=_Danger().comes,
            )
    except RefusedError as error:
        return InputError(str(error))
    except StoppedError as error:
        return error
    return None


@contextmanager
def _hearing(output: str, asked: Event) -> Iterator[None]:
    """Looks for the file that asks the workers to stop."""
    file = storage.join(output, STOP)

    def look() -> None:
        if storage.exists(file):
            asked.set()

    with repeating(look, STORE_SECONDS if storage.in_store(output) else 1.0, "winnow-stop"):
        yield


class _Danger:
    """What Ray knows of nodes that are about to be taken away; it asks for one checkpoint each time."""

    def __init__(self) -> None:
        self._known: list[str] = []

    def comes(self) -> bool:
        """Every worker must call it, and gets the same."""
        info = ray.train.get_preemption_info()
        nodes = info.preempted_node_ids if info else []
        new = nodes != self._known and bool(nodes)
        self._known = nodes
        return new


def _report(folder: str, step: int) -> None:
    """Makes a checkpoint known to Ray; it stays where it is."""
    filesystem, path = storage.resolve(folder)
    ray.train.report(
        {"step": step},
        checkpoint=Checkpoint(path, filesystem),
        checkpoint_dir_name=path.rpartition("/")[2],
        checkpoint_upload_mode=CheckpointUploadMode.NO_UPLOAD,
    )
