"""Rows are taken by the rank of their loss, the same for any number of micro-batches, and only they are learnt from."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.training.checkpoint.models import batch
from training.batch import Batch
from training.config.parse import parse
from training.config.run import TrainConfig
from training.parallel.mesh import worker_group
from training.preflight import check_layout
from training.selective import ChosenRows, choose_rows, taken_rows
from training.step import Step
from training.trainee import new_trainee

ROWS = torch.randint(0, 20, (8, 13), generator=torch.Generator().manual_seed(0)).tolist()
SETTINGS = {
    "model": {"decoder": {"layers": 2, "width": 16, "heads": 2, "vocabulary": 20}},
    "sequence_length": 12,
    "batch_rows": 8,
}


def config(beta: float) -> TrainConfig:
    return parse({**SETTINGS, "selective_backprop": {"beta": beta}})


def cut(each: int) -> list[Batch]:
    return [batch(*ROWS[first : first + each]) for first in range(0, 8, each)]


def test_the_probability_is_the_rank_to_a_power() -> None:
    nats = np.array([3.0, 1.0, 2.0, 4.0])
    counts = np.zeros(4)
    for seed in range(2000):
        counts += taken_rows(nats, np.ones(4), 2.0, np.random.default_rng(seed))
    np.testing.assert_allclose(counts / 2000, np.array([9, 1, 4, 16]) / 16, atol=0.04)


@pytest.mark.parametrize(
    ("nats", "weights", "expected"),
    [
        pytest.param([1.0, 9.0, 5.0], [1.0, 9.0, 1.0], [False, False, True], id="losses are of a label"),
        pytest.param([1.0, 0.0, 2.0], [1.0, 0.0, 1.0], [False, False, True], id="padding is not taken"),
        pytest.param([1.0, float("nan"), 2.0], [1.0] * 3, [False, True, False], id="no number"),
    ],
)
def test_a_high_power_takes_the_worst_row_alone(nats: list[float], weights: list[float], expected: list[bool]) -> None:
    taken = taken_rows(np.array(nats), np.array(weights), 1e6, np.random.default_rng(0))
    assert taken.tolist() == expected


def losses_of(rows: Sequence[list[int]], each: int, beta: float) -> tuple[list[list[int]], float, float]:
    """The rows that are taken, the loss and the share of labels."""
    with worker_group() as worker:
        trainee = new_trainee(config(beta), worker)
        chosen = choose_rows(cut(each), trainee.passes, worker, beta=beta, seed=0, step=3)
    taken = [
        inputs.tolist()
        for one in chosen.batches
        for inputs, weights in zip(one.inputs, one.weights, strict=True)
        if weights.sum()
    ]
    assert {len(one.weights) for one in chosen.batches} == {each}
    return taken, float(chosen.loss), chosen.share


def test_micro_batches_change_nothing() -> None:
    whole, loss, share = losses_of(ROWS, 8, 1.0)
    assert 0 < len(whole) < 8
    assert share == len(whole) / 8
    for each in (1, 2, 4):
        taken, other, _ = losses_of(ROWS, each, 1.0)
        assert taken == whole
        assert other == pytest.approx(loss, abs=1e-6)


def test_two_processes_take_what_one_takes() -> None:
    whole, loss, share = losses_of(ROWS, 8, 1.0)
    with worker_group() as worker:
        trainee = new_trainee(config(1.0), worker)
        halves = [[batch(*ROWS[:4])], [batch(*ROWS[4:])]]
        found: list[Any] = [[], []]

        def run(reader: int) -> ChosenRows:
            def gather(own: Any) -> Any:
                found[reader] = own
                return found if all(found) else [own, own]

            alike: Any = SimpleNamespace(device=worker.device, world_size=2, reader=reader, gather=gather)
            return choose_rows(halves[reader], trainee.passes, alike, beta=1.0, seed=0, step=3)

        run(0)  # what it found is there when the second asks
        both = [run(1), run(0)][::-1]
    taken = [
        inputs.tolist()
        for one in both
        for part in one.batches
        for inputs, weights in zip(part.inputs, part.weights, strict=True)
        if weights.sum()
    ]
    assert taken == whole
    assert {len(one.batches) for one in both} == {1}
    assert [(float(one.loss), one.share) for one in both] == [(pytest.approx(loss, abs=1e-6), share)] * 2


def test_an_update_is_that_of_the_taken_rows_alone() -> None:
    taken, loss, share = losses_of(ROWS, 8, 1.0)
    with worker_group() as worker:
        trainee = new_trainee(config(1.0), worker)
        update = Step(trainee, config(1.0), worker).run(cut(4), 1e-2, step=3)
        plain = new_trainee(config(0.0), worker)
        rows = [row for row in ROWS if row[:-1] in taken]
        alone = Step(plain, config(0.0), worker).run([batch(*rows)], 1e-2)
    assert (float(update.loss), update.labels_share) == (pytest.approx(loss, abs=1e-6), share)
    assert float(update.norm) == pytest.approx(float(alone.norm), rel=1e-5)
    assert alone.labels_share is None
    for one, two in zip(trainee.model.parameters(), plain.model.parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-5)


def test_processes_that_share_a_row_are_refused() -> None:
    shared = parse({**SETTINGS, "selective_backprop": {"beta": 1.0}, "parallel": {"tensor": 2}})
    with pytest.raises(ValueError, match=r"selective_backprop compares whole rows.*leave parallel\.tensor"):
        check_layout(shared, 2)
    with pytest.raises(ValueError, match=r"beta is -1"):
        config(-1.0)
