"""How long a training waits for a checkpoint, beside torch's own.

    python -m benchmarks training.checkpoint                   on a GPU: 125m and 1b
    python -m benchmarks training.checkpoint --preset tiny     one of the decoder's presets, also on a CPU

Each of ours is begun after a step and joined once it is complete, with steps meanwhile, as often as `--saves` says; the
first takes the memory that the others use again. The peer writes the same weights and moments by
torch.distributed.checkpoint, once as a call that returns when all is written, and once as its `async_save`.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict_saver import async_save, save

from benchmarks.case import Figures
from benchmarks.training.step import RATE, batches, configured
from training.checkpoint.save import Saver, WrittenCheckpoint
from training.checkpoint.state import held_tensors
from training.parallel.mesh import Worker, worker_group
from training.step import Step
from training.trainee import new_trainee


def ours(saver: Saver, step: Callable[[], object], saves: int) -> dict[str, Any]:
    written: list[WrittenCheckpoint] = []
    for number in range(1, saves + 1):
        step()
        saver.begin(number)
        while not (one := saver.join(wait=False)):
            step()
        written.append(one)
    return {
        "waits, first": written[0].stall,
        "waits, median of the others": statistics.median(one.stall for one in written[1:]),
        "complete after": statistics.median(one.seconds for one in written[1:]),
    }


def peer(state: Callable[[], dict[str, Any]], folder: str, step: Callable[[], object], saves: int) -> dict[str, Any]:
    waits = []
    for number in range(saves):
        step()
        _wait()
        began = time.perf_counter()
        save(state(), checkpoint_id=f"{folder}/sync-{number}")
        waits.append(time.perf_counter() - began)
    return {"waits, first": waits[0], "waits, median of the others": statistics.median(waits[1:])}


def peer_meanwhile(
    state: Callable[[], dict[str, Any]], folder: str, step: Callable[[], object], saves: int
) -> dict[str, Any]:
    group = dist.new_group(backend="gloo")
    waits = []
    for number in range(saves):
        step()
        _wait()
        began = time.perf_counter()
        writing: Any = async_save(state(), checkpoint_id=f"{folder}/async-{number}", process_group=group)
        stall = time.perf_counter() - began
        while not writing.done():
            step()
        _wait()
        began = time.perf_counter()
        writing.result()
        waits.append(stall + time.perf_counter() - began)
    return {"waits, first": waits[0], "waits, median of the others": statistics.median(waits[1:])}


def measured(preset: str, saves: int, worker: Worker) -> dict[str, dict[str, Any]]:
    config = configured(preset, 8 if torch.cuda.is_available() else 2, 2048 if torch.cuda.is_available() else 64)
    trainee = new_trainee(config, worker)
    updates = Step(trainee, config, worker)
    rows = batches(config, 0, worker.device)

    def step() -> None:
        updates.run(rows, RATE)
        _wait()

    def state() -> dict[str, Any]:
        return {name: box.local for name, box in held_tensors(trainee, worker).items()}

    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        saver = Saver(str(Path(folder, "ours")), trainee, worker, keep=1)
        try:
            size = sum(weight.numel() for weight in trainee.whole.parameters())
            return {
                f"{preset}, {size / 1e6:,.0f} M parameters: ours": ours(saver, step, saves),
                f"{preset}: torch's save": peer(state, folder, step, saves),
                f"{preset}: torch's async_save": peer_meanwhile(state, folder, step, saves),
            }
        finally:
            saver.close()


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def run(options: argparse.Namespace) -> Iterator[Figures]:
    gpu = torch.cuda.is_available()
    rows: dict[str, Any] = {}
    for preset in [options.preset] if options.preset else ["125m", "1b"] if gpu else ["tiny"]:
        with worker_group() as worker:
            rows |= measured(preset, options.saves, worker)
    device = torch.cuda.get_device_name() if gpu else "CPU"
    yield Figures("Seconds for a checkpoint, AdamW", rows, (f"{device}, torch {torch.__version__}",))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", help="a preset of the decoder")
    parser.add_argument("--saves", type=int, default=5, help="of each way")
