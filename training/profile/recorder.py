"""Profiles some steps of a run, `profile: {from: 100, steps: 5}`, and leaves all others as they are.

Each process writes to OUTPUT/profile: rank-N.trace.json.gz for Perfetto or chrome://tracing, rank-N.memory.pickle for
pytorch.org/memory_viz where it trains on a GPU, and rank-N.json and rank-N.txt with the seconds by part
(`training.profile.parts`).
The ranges of attention and feed-forward are hooks, which are there only meanwhile; compiled code has none.
"""

import gzip
import json
import logging
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn
from torch._C._profiler import _RecordFunctionFast
from torch.profiler import ProfilerActivity, profile

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from training.config.run import TrainConfig
from training.data.prefetch import Prefetch
from training.metrics.records import Record
from training.parallel.mesh import Worker
from training.profile.parts import PARTS, PREFIX, STEP, seconds_by_part, spans_of

log = logging.getLogger(__name__)
FOLDER = "profile"
ALLOCATIONS = 100_000  # of the memory snapshot, the last ones


class StepProfile:
    """The profile of one process."""

    def __init__(
        self,
        config: TrainConfig,
        output: str,
        worker: Worker,
        model: nn.Module,
        ahead: Prefetch[Any],
        *,
        done: int,
    ) -> None:
        chosen = config.profile or {"from": 1, "steps": 0}
        self._steps = range(max(chosen["from"], done + 1), chosen["from"] + chosen["steps"])
        self._output = output
        self._worker = worker
        self._model = model
        self._hooked = not config.compile
        self._ahead = ahead
        self._before = 0.0  # seconds for data, where the first step began
        self._profiler: profile | None = None
        self._ranges: list[Any] = []
        self._running = ExitStack()  # ends what is recorded beside the profiler
        if worker.first and len(self._steps) < chosen["steps"]:
            log.info("profile: steps before %d are done already and are left out", done + 1)

    def begin(self, step: int) -> None:
        """Before update number `step`, from 1."""
        if step not in self._steps:
            return
        if self._profiler is None:
            self._start()
        self._open(STEP)

    def end(self, step: int) -> Record | None:
        """After it; the record of metrics.jsonl that says where the files are, after the last one."""
        if self._profiler is None:
            return None
        last = step == self._steps[-1]
        if last and self._worker.device.type == "cuda":
            torch.cuda.synchronize()
        self._close()
        return self._written(self._profiler) if last else None

    def close(self) -> None:
        """Leaves out what was not finished."""
        if self._profiler:
            self._profiler.stop()
            self._profiler = None
        self._running.close()

    def _start(self) -> None:
        cuda = self._worker.device.type == "cuda"
        for module in self._model.modules() if self._hooked else ():
            if name := _part_of(module):
                opened = module.register_forward_pre_hook(lambda *_, name=name: self._open(PREFIX + name))
                closed = module.register_forward_hook(lambda *_: self._close(), always_call=True)
                self._running.callback(opened.remove)
                self._running.callback(closed.remove)
        if cuda:
            torch.cuda.memory._record_memory_history(max_entries=ALLOCATIONS)
            self._running.callback(torch.cuda.memory._record_memory_history, enabled=None)
        activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
        self._profiler = profile(activities=activities)
        self._before = self._ahead.waited
        self._profiler.start()

    def _open(self, name: str) -> None:
        entered = _RecordFunctionFast(name)
        entered.__enter__()
        self._ranges.append(entered)

    def _close(self) -> None:
        self._ranges.pop().__exit__(None, None, None)

    def _written(self, profiler: profile) -> Record:
        waited = self._ahead.waited - self._before
        profiler.stop()
        self._profiler = None
        assert profiler.profiler
        assert profiler.profiler.kineto_results
        seconds = seconds_by_part(spans_of(profiler.profiler.kineto_results.events()), waited)
        each = {part: seconds[part] / len(self._steps) for part in PARTS}
        there = storage.join(self._output, FOLDER)
        whole = sum(each.values()) or 1.0
        shares = ", ".join(f"{part} {value / whole:.0%}" for part, value in each.items() if value)
        steps = f"profile of {len(self._steps)} steps"
        line = f"{steps} of {whole:.3g} s each: {shares}; the trace is in {masked(there)}"
        try:
            self._write_files(profiler, each, there)
        except (InputError, OSError) as error:
            line = f"the {steps} cannot be written to {masked(there)}: {error}"
        self._running.close()
        return {"kind": "profile", "step": self._steps[-1], "seconds": each, "line": line}

    def _write_files(self, profiler: profile, seconds: Mapping[str, float], there: str) -> None:
        name = f"rank-{self._worker.rank:05d}"
        with TemporaryDirectory() as folder:
            trace = Path(folder, f"{name}.trace.json")
            profiler.export_chrome_trace(str(trace))
            Path(f"{trace}.gz").write_bytes(gzip.compress(trace.read_bytes(), 1))  # torch's own goes line by line
            trace.unlink()
            if self._worker.device.type == "cuda":
                torch.cuda.memory._dump_snapshot(f"{folder}/{name}.memory.pickle")  # type: ignore[no-untyped-call]
            Path(folder, f"{name}.json").write_text(json.dumps({"steps": [*self._steps], "seconds": seconds}) + "\n")
            Path(folder, f"{name}.txt").write_text(_table(seconds))
            storage.make_folder(there)
            for file in Path(folder).iterdir():
                storage.replace_bytes(storage.join(there, file.name), file.read_bytes())


def _part_of(module: nn.Module) -> str:
    name = type(module).__name__
    return "attention" if "Attention" in name else "feed-forward" if "FeedForward" in name else ""


def _table(seconds: Mapping[str, float]) -> str:
    whole = sum(seconds.values()) or 1.0
    rows = [f"{part:16} {1000 * value:12,.2f} {value / whole:7.1%}" for part, value in seconds.items()]
    return "\n".join([f"{'part':16} {'ms per step':>12} {'share':>7}", *rows, ""])
