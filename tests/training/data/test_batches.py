"""Batches: all processes together see what one sees, any step at once, padding never counts."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh

from tests.training.runs import counting_documents, counting_run, write_run
from training.batch import IGNORED, Batch, Example
from training.config.parse import parse
from training.config.run import TrainConfig
from training.data.batches import TokenBatches
from training.data.check import prepare
from training.objectives.causal import Causal
from training.parallel.mesh import Worker

CONFIG = parse({"steps": 5, "batch_rows": 4, "schedule": {"cosine": {"warmup_steps": 1}}})
NO_MESH: DeviceMesh = None  # type: ignore[assignment]  # batches never look at it


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return counting_run(tmp_path_factory.mktemp("run") / "run")


def batches(run: Path, config: TrainConfig = CONFIG, rank: int = 0, world_size: int = 1) -> TokenBatches:
    prepared = prepare(config, str(run), world_size)
    return TokenBatches(prepared.data, prepared.config, Worker(rank, world_size, torch.device("cpu"), NO_MESH))


def scored(found: list[Batch]) -> list[int]:
    """Labels that count, sorted."""
    labels = torch.cat([batch.labels.flatten() for batch in found])
    return sorted(labels[labels != IGNORED].tolist())


def test_two_processes_share_what_one_sees(run: Path) -> None:
    whole = batches(run).training(3)
    parts = [batches(run, rank=rank, world_size=2).training(3) for rank in (0, 1)]
    assert whole.inputs.shape == (4, 16)
    assert torch.equal(torch.cat([part.inputs for part in parts]), whole.inputs)
    assert sum(part.valid for part in parts) == whole.valid


def test_any_step_can_be_asked_for_first(run: Path) -> None:
    in_order = batches(run)
    for step in range(4):
        last = in_order.training(step)
    assert torch.equal(batches(run).training(3).labels, last.labels)


def test_shorter_sequences_cut_the_rows(run: Path) -> None:
    short = batches(
        run, parse({**{"steps": 5, "batch_rows": 4, "schedule": {"cosine": {"warmup_steps": 1}}}, "sequence_length": 6})
    )
    assert torch.equal(short.training(2).inputs, batches(run).training(2).inputs[:, :6])


@pytest.mark.parametrize("rows", [pytest.param(1, id="fewer than ranks"), pytest.param(6, id="half a batch left")])
def test_every_process_gets_as_many_validation_batches(run: Path, rows: int) -> None:
    config = parse({"steps": 5, "batch_rows": 4, "validation_rows": rows, "schedule": {"cosine": {"warmup_steps": 1}}})
    whole = list(batches(run, config).validation())
    first, second = (list(batches(run, config, rank, 2).validation()) for rank in (0, 1))
    assert len(whole) == len(first) == len(second) == -(-rows // 4)
    assert scored([*first, *second]) == scored(whole)


def test_validation_rows_are_spread_over_all(run: Path) -> None:
    config = parse({"steps": 5, "batch_rows": 4, "validation_rows": 2, "schedule": {"cosine": {"warmup_steps": 1}}})
    data = prepare(config, str(run), 1).data
    (found,) = batches(run, config).validation()
    middle = data.read_validation(data.validation_rows // 2, 1).tokens[0, :-1]
    assert found.inputs[1].tolist() == middle.tolist()


def test_padding_carries_no_loss(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", counting_documents(70), validation=[[2, 3, 4, 0]])
    (batch,) = batches(run).validation()
    assert batch.labels.tolist() == [[3, 4, 0] + [IGNORED] * 13]
    assert batch.valid == 3


@dataclass(frozen=True, kw_only=True)
class Noisy(Causal):
    """Predicts tokens that it draws."""

    def example(self, tokens: npt.NDArray[Any], segments: npt.NDArray[np.int32], rng: np.random.Generator) -> Example:
        return super().example(rng.integers(0, 64, tokens.shape), segments, rng)


def test_draws_follow_from_seed_and_step(run: Path) -> None:
    one, again = (batches(run, replace(CONFIG, objective=Noisy())) for _ in range(2))
    one.training(1)
    assert torch.equal(one.training(2).inputs, again.training(2).inputs)
    assert not torch.equal(one.training(2).inputs, again.training(3).inputs)
