"""Saves checkpoints while the training goes on: each process copies its boxes of the tensors and writes the copy from a
thread; the first one then writes the manifest.

The threads talk over a group of their own, so that what they say never mixes with what the training says.
"""

import errno
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from curation.core import storage
from curation.tokens.step_rows import SkippedWindow, windows_before
from training.checkpoint.manifest import (
    CheckpointManifest,
    TensorFile,
    TensorShape,
    complete_steps,
    file_name,
    folder_of,
    write_manifest,
)
from training.checkpoint.retention import prune, remove
from training.checkpoint.state import TensorBox, held_tensors, shapes_in
from training.checkpoint.tensor_files import write_tensors
from training.parallel.mesh import RefusedError, Worker
from training.trainee import Trainee

FULL = (errno.ENOSPC, errno.EDQUOT)
T = TypeVar("T")
Shapes = Mapping[str, TensorShape]


class WrittenCheckpoint(NamedTuple):
    """One that is complete."""

    folder: str
    step: int
    seconds: float  # from its beginning until it was complete
    stall: float  # seconds of these in which the training waited

    def record(self) -> dict[str, Any]:
        """Of metrics.jsonl."""
        return {"kind": "checkpoint", "step": self.step, "seconds": self.seconds, "stall": self.stall}


class Saver:
    """Of one trainee. Every process of the group makes one and calls it together with the others."""

    def __init__(
        self,
        output: str,
        trainee: Trainee,
        worker: Worker,
        keep: tuple[int, int | None],
        *,
        skipped: Sequence[SkippedWindow] = (),
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`keep`: how many stay, and the steps between those that stay too (see `training.checkpoint.retention`).
        `skipped`: windows that the steps leave out. `check` raises if the folder is no longer this run's; the first
        process calls it before a checkpoint counts."""
        self._output = output
        self._trainee = trainee
        self._worker = worker
        self._keep = keep
        self._skipped = skipped
        self._check = check
        self._group = dist.new_group(backend="gloo")
        self._thread = ThreadPoolExecutor(1, "winnow-checkpoint")
        self._copies: dict[str, Tensor] = {}
        self._writing: Future[float] | None = None
        self._step = 0
        self._began = 0.0
        self._stall = 0.0

    def begin(self, step: int) -> None:
        """Copies the state after `step` updates, which may then change; replaces a checkpoint of the same step. The one
        before must have been joined."""
        assert self._writing is None, "join the one before"
        self._step = step
        self._began = time.perf_counter()
        tensors = self._copied()
        self._writing = self._thread.submit(self._write, step, tensors)
        self._stall = time.perf_counter() - self._began

    def join(self, *, wait: bool = True) -> WrittenCheckpoint | None:
        """The checkpoint that was begun, once it is complete; None if there is none, or without `wait` if a process
        still writes. Raises OSError in every process if one could not write, RefusedError if its disk is full."""
        if self._writing is None:
            return None
        if not wait and self._worker.total(not self._writing.done())[0]:
            return None
        waits = time.perf_counter()
        writing = self._writing
        self._writing = None
        ended = writing.result()
        self._stall += time.perf_counter() - waits
        return WrittenCheckpoint(folder_of(self._output, self._step), self._step, ended - self._began, self._stall)

    def close(self) -> None:
        """Waits for the checkpoint that was begun, and says nothing more of it."""
        self._thread.shutdown()
        with suppress(Exception):  # a process that is gone
            dist.destroy_process_group(self._group)

    def _copied(self) -> dict[str, TensorBox]:
        """In memory that the next checkpoint uses again."""
        held = held_tensors(self._trainee, self._worker)
        copied = {}
        for name, box in held.items():
            if box.writes and name not in self._copies:
                self._copies[name] = torch.empty_like(box.local, device="cpu", pin_memory=box.local.is_cuda)
            if box.writes:
                self._copies[name].copy_(box.local, non_blocking=True)
            copied[name] = replace(box, local=self._copies.get(name, box.local))
        if self._worker.device.type == "cuda":
            torch.cuda.synchronize()
        return copied

    def _write(self, step: int, tensors: Mapping[str, TensorBox]) -> float:
        """In the thread; returns when it was complete."""
        path = folder_of(self._output, step)
        self._together(lambda: _empty(path) if self._worker.first else None)
        name = file_name(self._worker.rank)
        file = self._together(lambda: write_tensors(storage.join(path, name), tensors))
        shapes = shapes_in(tensors) if self._worker.first_of_stage else {}
        all_of: list[Any] = [None] * self._worker.world_size if self._worker.first else []
        dist.gather_object((name, file, shapes), all_of or None, group=self._group)
        self._together(lambda: self._complete(path, step, all_of) if self._worker.first else None)
        return time.perf_counter()

    def _complete(self, path: str, step: int, written: Sequence[tuple[str, TensorFile, Shapes]]) -> None:
        """`written`: the file of each process, and the tensors of its stage."""
        files = {name: file for name, file, _ in written}
        whole = {name: shape for *_, some in written for name, shape in some.items()}
        known = windows_before(step, self._skipped)
        self._check()
        write_manifest(path, CheckpointManifest(step, len(files), str(torch.__version__), whole, files, known))
        prune(self._output, self._keep[0], step, self._keep[1])

    def _together(self, make: Callable[[], T]) -> T:
        """Returns what `make` gives in this process. If it raises in one of them, all of them raise."""
        made: list[T] = []
        problem: Exception | None = None
        try:
            made.append(make())
        except Exception as error:  # the others wait to hear of it
            problem = error
        all_of = [("", False)] * self._worker.world_size
        full = isinstance(problem, OSError) and problem.errno in FULL
        dist.all_gather_object(all_of, (str(problem) if problem else "", full), group=self._group)
        if any(full for _, full in all_of):
            raise RefusedError(self._full(next(text for text, full in all_of if full)))
        if problem:
            raise problem
        if text := next((text for text, _ in all_of if text), ""):
            raise OSError(f"another process could not write its part of a checkpoint: {text}")
        return made[0]

    def _full(self, problem: str) -> str:
        steps = complete_steps(self._output)
        after = f"goes on from step {steps[-1]:,}" if steps else "begins again"
        return (
            f"the checkpoint of step {self._step:,} cannot be written: {problem}; free space there and give the same "
            f"command again, which {after}"
        )


def _empty(path: str) -> None:
    remove(path)
    storage.make_folder(path)
