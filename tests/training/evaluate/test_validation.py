"""Validation against values by hand, in a process group of one."""

import math

import pytest
import torch
from torch import Tensor

from training.batch import IGNORED, Batch
from training.evaluate.validation import Validation, entropy, validate
from training.parallel.mesh import worker_group
from training.trainable import Trainable


class Constant(Trainable):
    """p = (1/2, 1/4, 1/4) at every position."""

    def forward(self, tokens_BL: Tensor, segments_BL: Tensor | None = None) -> Tensor:
        return torch.tensor([0.5, 0.25, 0.25]).log().expand(*tokens_BL.shape, 3)


def batch(labels: list[list[int]]) -> Batch:
    values = torch.tensor(labels)
    return Batch(torch.zeros_like(values), values, torch.ones_like(values), int((values != IGNORED).sum()))


def test_loss_and_yardstick_by_hand() -> None:
    with worker_group():
        found = validate(Constant(), [batch([[0, 0, 1]]), batch([[0, 2, IGNORED]])], 3)
    assert found.tokens == 5
    assert found.loss == pytest.approx((3 * math.log(2) + 2 * math.log(4)) / 5)
    assert found.unigram_entropy == pytest.approx(-0.6 * math.log(0.6) - 2 * 0.2 * math.log(0.2))


def test_entropy() -> None:
    assert entropy(torch.tensor([4, 0, 4, 8])) == pytest.approx(1.5 * math.log(2))
    assert entropy(torch.tensor([7, 0])) == 0.0


def test_record() -> None:
    record = Validation(loss=math.log(8), unigram_entropy=math.log(64), tokens=10).record(4.0)
    assert record["perplexity"] == pytest.approx(8.0)
    assert record["ratio"] == pytest.approx(0.5)
    assert record["bits_per_byte"] == pytest.approx(0.75)
    assert Validation(loss=1.0, unigram_entropy=2.0, tokens=1).record(None)["bits_per_byte"] is None


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        pytest.param([], "no validation batches", id="nothing"),
        pytest.param([[[IGNORED]]], "hold only padding", id="padding only"),
    ],
)
def test_nothing_to_score(batches: list[list[list[int]]], message: str) -> None:
    with worker_group(), pytest.raises(ValueError, match=message):
        validate(Constant(), [batch(labels) for labels in batches], 3)
