"""The estimate of a step's memory beside the allocator's peak, and what recompute saves and costs: one process, a CPU.

    python -m benchmarks training.memory
    python -m benchmarks training.memory --rows 2 --steps 5

The peak is that of torch.profiler over two updates of the trainer's own step, weights and moments included. Recompute
is timed in CPU seconds of this thread, the fastest step, and its activations are the peak without weights, gradients
and moments. Published of full recompute: about a fifth of the activations for about 30 % of the time (Korthikanti et
al. 2022, arXiv:2205.05198).
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.case import Figures
from benchmarks.training.step import batches
from training.config.layout import layout_of
from training.config.run import TrainConfig
from training.memory import StepMemory
from training.models.decoder import Decoder
from training.objectives.causal import Causal
from training.optim.adamw import Adamw
from training.optim.lion import Lion
from training.optim.muon import Muon
from training.parallel.mesh import worker_group
from training.preflight import compute_of
from training.step import Step
from training.trainee import new_trainee

VOCABULARY = 4096


def allocated(config: TrainConfig) -> int:
    """Bytes that are alive at most, from the empty model on, over two updates."""
    with (
        worker_group(config.parallel) as worker,
        profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen,
    ):
        step = Step(new_trainee(config, worker), config, worker)
        for number in range(2):
            step.run(batches(config, number, worker.device), 1e-3)
    changes = [event for event in seen.profiler.kineto_results.events() if event.name() == "[memory]"]
    now = most = 0
    for event in sorted(changes, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


def estimated(config: TrainConfig) -> float:
    """Bytes."""
    memory = StepMemory(config, compute_of(config, on_gpu=False)[0], on_gpu=False)
    return memory.of(config, layout_of(config.parallel, 1)).total


def seconds(config: TrainConfig, steps: int) -> float:
    """CPU seconds of the fastest step."""
    taken = []
    with worker_group(config.parallel) as worker:
        step = Step(new_trainee(config, worker), config, worker)
        for number in range(steps + 1):
            own = batches(config, number, worker.device)
            began = time.process_time()
            step.run(own, 1e-3)
            taken.append(time.process_time() - began)
    return min(taken[1:])


def small(rows: int, length: int, rounds: int = 1, **changes: Any) -> TrainConfig:
    """A decoder of 4 layers."""
    settings: dict[str, Any] = {"model": Decoder(preset="3m", vocabulary=VOCABULARY), "optimizer": Adamw()}
    return TrainConfig(
        objective=Causal(),
        batch_rows=rows * rounds,
        micro_batch_rows=rows,
        sequence_length=length,
        **(settings | {"precision": "fp32"} | changes),
    )


def compared() -> dict[str, Any]:
    wide = Decoder(preset="10m", vocabulary=VOCABULARY)
    configs = {
        "3m, 4 x 256": small(4, 256),
        "3m, 4 x 256, two micro-batches": small(4, 256, 2),
        "3m, 4 x 256, selective": small(4, 256, recompute="selective"),
        "3m, 4 x 256, full": small(4, 256, recompute="full"),
        "3m, 4 x 256, bf16": small(4, 256, precision="bf16"),
        "3m, 4 x 256, bf16, full": small(4, 256, precision="bf16", recompute="full"),
        "10m, 1 x 64": small(1, 64, model=wide),
        "10m, 1 x 128, bf16, two micro-batches": small(1, 128, 2, model=wide, precision="bf16"),
        "3m, 2 x 256, lion": small(2, 256, optimizer=Lion()),
        "3m, 2 x 256, muon": small(2, 256, optimizer=Muon()),
    }
    rows = {}
    for name, config in configs.items():
        peak = allocated(config)
        expected = estimated(config)
        rows[name] = {"MB estimated": expected / 1e6, "MB at most": peak / 1e6, "error": f"{expected / peak - 1:+.1%}"}
    return rows


def recomputed(rows: int, steps: int) -> dict[str, Any]:
    plain = small(rows, 512, model=Decoder(preset="3m", layers=12, vocabulary=1024))
    found: dict[str, dict[str, float]] = {}
    for how in ("none", "selective", "full"):
        config = replace(plain, recompute=how)
        with torch.device("meta"):
            states = 16 * sum(weight.numel() for weight in config.model.build(1024).parameters())
        found[how] = {"MB": (allocated(config) - states) / 1e6, "s": seconds(config, steps)}
    return {
        how: {
            "MB of activations": figures["MB"],
            "of none": f"1 / {found['none']['MB'] / figures['MB']:.1f}",
            "CPU s a step": figures["s"],
            "more time": f"{figures['s'] / found['none']['s'] - 1:+.0%}",
        }
        for how, figures in found.items()
    }


def run(options: argparse.Namespace) -> Iterator[Figures]:
    torch.set_num_threads(1)
    note = (f"CPU, one thread, torch {torch.__version__}",)
    yield Figures("Memory of a step, estimated and allocated", compared(), note)
    yield Figures("Recompute, 12 layers of width 192, rows of 512", recomputed(options.rows, options.steps), note)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=2, help="of a step, for recompute")
    parser.add_argument("--steps", type=int, default=3, help="that are timed")
