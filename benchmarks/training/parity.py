"""Whether a model that is spread over processes learns what one process learns: five steps of each layout.

    python -m benchmarks.training.parity          all rows, in minutes
    python -m benchmarks.training.parity --quick  those that the tests run

A row is a layout of two or four processes (gloo, one thread each) and a kind of training, two of which have the options
of GPT-2 and, with a window, biases and scaled positions, those of OLMo 2. The loss of every step must be within 2e-6 of
that of one process, and the gradient's norm within 1e-5 of it; both within 1e-3 in bfloat16, where sums are rounded in
other places, and within 1e-5 for Muon. Norms after each half of a block magnify rounding, so that with OLMo 2's options
the gradient's norm must be within 1e-4: two shards alone differ by 2e-5. Rows hold documents that are kept apart, and
are cut into micro-batches. AdamW's rate is that of the Llama models, 3e-4: at ten times as much the first steps from
random weights magnify any rounding, and norms in bfloat16 differ by 2e-3 after five, also between copies that compute
the same.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from training.batch import Batch, Row, SpecialIds
from training.config.layout import SPLIT, stages_of
from training.config.parse import parse
from training.config.run import TrainConfig
from training.ending import leave
from training.objectives.causal import Causal
from training.parallel.context import shared
from training.parallel.mesh import Worker, worker_group
from training.step import Step
from training.trainee import new_trainee

STEPS = 5
ROWS = 8
LENGTH = 32
VOCABULARY = 128
AXES = ("pipeline", "replicate", "shard", "context", "tensor")
SCHEDULES = ("gpipe", "1f1b", "interleaved_1f1b", "interleaved_zero_bubble", "zbv", "dualpipev")
KINDS: Mapping[str, Mapping[str, Any]] = {
    "fp32": {"optimizer": {"adamw": {"learning_rate": 3e-4}}},
    "bf16": {"optimizer": {"adamw": {"learning_rate": 3e-4}}, "precision": "bf16"},
    "muon": {"optimizer": {"muon": {"learning_rate": 0.003}}},
    "gpt2": {"optimizer": {"adamw": {"learning_rate": 3e-4}}},
    "olmo2": {"optimizer": {"adamw": {"learning_rate": 3e-4}}},
}
MODELS: Mapping[str, Mapping[str, Any]] = {  # options of a kind's decoder
    "gpt2": {"norm": "layer", "feed_forward": "gelu", "biases": "all", "learned_positions": LENGTH, "kv_heads": 4},
    "olmo2": {
        **{"norm_position": "after", "qk_norm": "width", "biases": "qkv", "sliding_window": 7},
        "rope_scaling": {"type": "yarn", "factor": 4, "original_length": 8},
    },
}
LIMITS = {"bf16": (1e-3, 1e-3), "muon": (1e-5, 1e-5), "olmo2": (2e-6, 1e-4)}  # else as in fp32


class Spread(NamedTuple):
    """A layout and a kind of training."""

    kind: str
    axes: tuple[str, ...]  # of two processes each; none: one process
    schedule: str = "1f1b"
    zero: int = 3

    @property
    def workers(self) -> int:
        return 1 << len(self.axes)

    def __str__(self) -> str:
        how = {"pipeline": f" ({self.schedule})", "shard": f" (zero {self.zero})"}
        return f"{self.kind} " + (" x ".join(f"2 {axis}{how.get(axis, '')}" for axis in self.axes) or "1 process")


class Curve(NamedTuple):
    """Of each step."""

    losses: list[float]
    norms: list[float]


class Agreement(NamedTuple):
    """Of a row with one process."""

    row: Spread
    loss: float  # largest difference
    norm: float  # largest relative difference

    @property
    def holds(self) -> bool:
        loss, norm = LIMITS.get(self.row.kind, (2e-6, 1e-5))
        return self.loss <= loss and self.norm <= norm


def quick() -> list[Spread]:
    """A row for each axis, and those that touch each other most."""
    alone = [Spread("fp32", (axis,)) for axis in AXES]
    return [
        *alone,
        Spread("fp32", ("pipeline", "shard"), "zbv", 2),
        Spread("muon", ("tensor",)),
        Spread("bf16", ("tensor",)),
        *(Spread(kind, (axis,)) for kind in MODELS for axis in ("pipeline", "context", "tensor")),
    ]


def every() -> list[Spread]:
    """Each axis and each pair of them, each schedule, each stage of ZeRO, in each kind."""
    layouts = [(axis,) for axis in AXES] + list(combinations(AXES, 2))
    rows = [Spread(kind, axes) for kind in KINDS for axes in layouts]
    schedules = [name for name in SCHEDULES if name != "1f1b"]
    pipelines = [axes for axes in layouts if "pipeline" in axes]
    rows += [Spread("fp32", axes, name, 2 if name in SPLIT else 3) for axes in pipelines for name in schedules]
    return rows + [Spread("fp32", ("shard",), zero=zero) for zero in (1, 2)]


def agreements(rows: Sequence[Spread]) -> Iterator[Agreement]:
    """Of every row, as soon as all of its number of processes are done."""
    alone = {kind: curves([Spread(kind, ())])[0] for kind in {row.kind for row in rows}}
    for workers in (2, 4):
        some = [row for row in rows if row.workers == workers]
        for row, found in zip(some, curves(some), strict=True):
            expected = alone[row.kind]
            loss = max(abs(a - b) for a, b in zip(found.losses, expected.losses, strict=True))
            norm = max(abs(a - b) / b for a, b in zip(found.norms, expected.norms, strict=True))
            yield Agreement(row, loss, norm)


def curves(rows: Sequence[Spread]) -> list[Curve]:
    """Of rows of as many processes, which are started for them."""
    if not rows:
        return []
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_train_all, (rows, folder), nprocs=rows[0].workers)  # type: ignore[attr-defined, no-untyped-call]
        return [Curve(*json.loads(Path(folder, f"{number}").read_text())) for number in range(len(rows))]


def _train_all(rank: int, rows: Sequence[Spread], folder: str) -> None:
    torch.set_num_threads(1)
    store = f"file://{folder}/store"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=rows[0].workers)
    for number, row in enumerate(rows):
        found = trained(row)
        if rank == 0:
            Path(folder, f"{number}").write_text(json.dumps(found))
    leave()


def trained(row: Spread) -> Curve:
    """Five steps by the processes of the group."""
    config = config_of(row)
    curve = Curve([], [])
    with worker_group(config.parallel) as worker:
        step = Step(new_trainee(config, worker), config, worker)
        for number in range(STEPS):
            update = step.run(batches_of(config, worker, number), config.optimizer.learning_rate)
            curve.losses.append(float(update.loss))
            curve.norms.append(float(update.norm))
    return curve


def config_of(row: Spread) -> TrainConfig:
    axes = {axis: 2 for axis in row.axes if axis != "shard"}
    model = {"layers": 4, "width": 64, "heads": 4, "kv_heads": 2, "vocabulary": VOCABULARY, "tied_embeddings": False}
    parallel = {**axes, "zero": row.zero, "schedule": row.schedule}
    readers = 1 << len({"replicate", "shard"}.intersection(row.axes))
    rounds = stages_of(row.schedule, 2) if "pipeline" in row.axes else 2
    settings = {
        "model": {"decoder": {**model, **MODELS.get(row.kind, {})}},
        "batch_rows": ROWS * 2,
        "micro_batch_rows": ROWS * 2 // readers // rounds,
        "sequence_length": LENGTH,
        "documents_apart": True,
        "precision": "fp32",
        "parallel": parallel,
    }
    return parse({**settings, **KINDS[row.kind]})


def batches_of(config: TrainConfig, worker: Worker, step: int) -> list[Batch]:
    """Random tokens in documents of 11 places, as this process gets them."""
    rng = np.random.default_rng(step)
    tokens = rng.integers(0, VOCABULARY, (config.batch_rows, LENGTH + 1), dtype=np.uint16)
    segments = np.arange(LENGTH + 1, dtype=np.int32) // 11 + 1
    ids = SpecialIds(VOCABULARY, 0, 1, {})
    examples = [Causal().example(Row(row, segments, True, ids), rng) for row in tokens]
    share = config.batch_rows // worker.layout.readers
    own = examples[worker.reader * share :][:share]
    micro = config.micro_batch_rows or share
    batches = [Batch.of(own[start : start + micro]) for start in range(0, share, micro)]
    return [shared(batch, worker.part_of_rows, worker.layout.context) for batch in batches]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the rows that the tests run")
    fails = 0
    print(f"{'':46}{'loss':>10}{'norm':>10}")
    for found in agreements(quick() if parser.parse_args().quick else every()):
        fails += not found.holds
        print(
            f"{found.row!s:46}{found.loss:10.1e}{found.norm:10.1e}  {'holds' if found.holds else 'FAILS'}", flush=True
        )
    sys.exit(f"{fails} rows fail" if fails else 0)


if __name__ == "__main__":
    main()
