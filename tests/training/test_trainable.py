"""The loss is a sum over the labels that count, of whatever model."""

import math

import pytest
import torch

from training.batch import IGNORED
from training.trainable import cross_entropy_sum


def test_sum_over_labels_that_count() -> None:
    logits = torch.tensor([[[0.0, math.log(3.0)], [0.0, 0.0], [5.0, 5.0]]])  # p = (1/4, 3/4), (1/2, 1/2), (1/2, 1/2)
    labels = torch.tensor([[1, 0, IGNORED]])
    assert cross_entropy_sum(logits, labels).item() == pytest.approx(-math.log(0.75) - math.log(0.5))


def test_no_label_counts() -> None:
    logits = torch.zeros(1, 2, 3, requires_grad=True)
    loss = cross_entropy_sum(logits, torch.full((1, 2), IGNORED))
    loss.backward()
    assert loss.item() == 0.0
    assert logits.grad is not None
    assert not logits.grad.any()


def test_bfloat16_logits_are_summed_in_float32() -> None:
    loss = cross_entropy_sum(torch.zeros(1, 1000, 2, dtype=torch.bfloat16), torch.zeros(1, 1000, dtype=torch.int64))
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(1000 * math.log(2))
