"""Batches: all processes together see what one sees, any step at once, padding never counts."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh

from tests.training.runs import PACK, counting_documents, counting_run, write_run
from training.batch import Batch, Example, Row
from training.config.arithmetic import step_rows
from training.config.layout import layout_of
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
    layout = layout_of(config.parallel, world_size)
    worker = Worker(rank, world_size, torch.device("cpu"), layout, NO_MESH, None, NO_MESH, NO_MESH, 0)
    return TokenBatches(prepared.data, prepared.config, step_rows(prepared.config), prepared.ids, worker)


def step(found: TokenBatches, number: int) -> Batch:
    (batch,) = found.training(number).batches
    return batch


def changed(**settings: Any) -> TrainConfig:
    return parse({"steps": 5, "batch_rows": 4, "schedule": {"cosine": {"warmup_steps": 1}}, **settings})


def scored(found: list[Batch]) -> list[int]:
    """Labels that count, sorted."""
    return sorted(torch.cat([batch.labels[batch.weights > 0] for batch in found]).tolist())


def test_two_processes_share_what_one_sees(run: Path) -> None:
    whole = step(batches(run), 3)
    parts = [step(batches(run, rank=rank, world_size=2), 3) for rank in (0, 1)]
    assert whole.inputs.shape == (4, 16)
    assert torch.equal(torch.cat([part.inputs for part in parts]), whole.inputs)
    assert sum(float(part.weights.sum()) for part in parts) == float(whole.weights.sum())


def test_any_step_can_be_asked_for_first(run: Path) -> None:
    in_order = batches(run)
    for number in range(4):
        last = step(in_order, number)
    assert torch.equal(step(batches(run), 3).labels, last.labels)


def test_micro_batches_are_the_rows_in_their_order(run: Path) -> None:
    cut = batches(run, changed(micro_batch_rows=1)).training(3).batches
    assert torch.equal(torch.cat([batch.inputs for batch in cut]), step(batches(run), 3).inputs)
    assert len(cut) == 4


def test_shorter_sequences_cut_the_rows(run: Path) -> None:
    short = batches(run, changed(sequence_length=6))
    assert torch.equal(step(short, 2).inputs, step(batches(run), 2).inputs[:, :6])


def test_a_stage_of_fewer_rows_leaves_none_out(run: Path) -> None:
    staged = batches(run, changed(batch_stages=[{"steps": 2, "rows": 2}]))
    assert torch.equal(torch.cat([step(staged, 0).inputs, step(staged, 1).inputs]), step(batches(run), 0).inputs)
    assert torch.equal(step(staged, 2).inputs, step(batches(run), 1).inputs)


def test_a_stage_of_shorter_rows_leaves_no_label_out(run: Path) -> None:
    staged = batches(run, changed(length_stages=[{"steps": 1, "parts": 4}]))
    whole = step(batches(run), 0)
    assert step(staged, 0).inputs.shape == (16, 4)
    assert torch.equal(step(staged, 0).inputs.reshape(4, 16), whole.inputs)
    assert torch.equal(step(staged, 0).labels.reshape(4, 16), whole.labels)
    assert step(staged, 1).inputs.shape == (4, 16)


def test_documents_apart_are_numbered_and_do_not_predict_each_other(run: Path) -> None:
    apart = step(batches(run, changed(documents_apart=True)), 3)
    together = step(batches(run), 3)
    assert together.segments is None
    assert apart.segments is not None
    begins = apart.inputs[:, :-1] == 0  # after an end of text a document begins
    assert begins.any()
    assert not apart.weights[:, :-1][begins].any()
    assert together.weights[:, :-1][begins].any()


@pytest.mark.parametrize("rows", [pytest.param(1, id="fewer than ranks"), pytest.param(6, id="half a batch left")])
def test_every_process_gets_as_many_validation_batches(run: Path, rows: int) -> None:
    config = changed(validation_rows=rows)
    whole = [batch for _, batch in batches(run, config).validation()]
    first, second = ([batch for _, batch in batches(run, config, rank, 2).validation()] for rank in (0, 1))
    assert len(whole) == len(first) == len(second) == -(-rows // 4)
    assert scored([*first, *second]) == scored(whole)


def test_validation_rows_are_spread_over_all(run: Path) -> None:
    config = changed(validation_rows=2)
    data = prepare(config, str(run), 1).data
    ((sources, found),) = batches(run, config).validation()
    assert [*sources] == ["test", "test", "", ""]
    middle = data.read_validation(data.validation_rows // 2, 1).tokens[0, :-1]
    assert found.inputs[1].tolist() == middle.tolist()


def test_padding_carries_no_loss(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", counting_documents(70), validation=[[2, 3, 4, 0]])
    ((_, batch),) = batches(run).validation()
    assert scored([batch]) == [0, 3, 4]
    assert batch.weights[0].tolist() == [1, 1, 1] + [0] * 13


@dataclass(frozen=True, kw_only=True)
class Noisy(Causal):
    """Predicts tokens that it draws."""

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        return super().example(row._replace(tokens=rng.integers(0, 64, row.tokens.shape)), rng)


def test_draws_follow_from_the_seed_and_the_place_in_the_mix(run: Path) -> None:
    noisy = replace(CONFIG, objective=Noisy())
    whole = step(batches(run, noisy), 2).inputs
    for world_size in (2, 4):
        parts = [step(batches(run, noisy, rank, world_size), 2).inputs for rank in range(world_size)]
        assert torch.equal(torch.cat(parts), whole)
    assert not torch.equal(whole, step(batches(run, noisy), 3).inputs)
    assert not torch.equal(whole, step(batches(run, replace(noisy, seed=1)), 2).inputs)


def test_damaged_rows_are_a_problem_and_padding(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    (path,) = (copy / PACK).glob("tokens-*.bin")
    (np.fromfile(path, "<u2") | 1 << 15).tofile(path)
    found = batches(copy, changed(micro_batch_rows=2)).training(0)
    assert "is damaged" in found.problem
    assert [float(batch.weights.sum()) for batch in found.batches] == [0, 0]
