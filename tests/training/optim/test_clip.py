"""Clipping by hand: all gradients by their norm, each element by its value, and neither."""

import pytest
import torch
from torch import Tensor, nn

from training.config.components import Optimizer
from training.optim.clip import clip


def clipped(norm: float | None, value: float | None) -> tuple[Tensor, list[float]]:
    weights = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(3))]
    weights[0].grad = torch.tensor([2.0, -4.0])
    weights[1].grad = torch.tensor([4.0])
    found = clip(weights, Optimizer(learning_rate=1.0, max_gradient_norm=norm, max_gradient_value=value))
    return found, [*weights[0].grad.tolist(), *weights[1].grad.tolist()]


@pytest.mark.parametrize(
    ("norm", "value", "left"),
    [
        pytest.param(None, None, [2.0, -4.0, 4.0], id="never"),
        pytest.param(6.0, None, [2.0, -4.0, 4.0], id="norm at the limit"),
        pytest.param(3.0, None, [1.0, -2.0, 2.0], id="norm twice the limit"),
        pytest.param(None, 3.0, [2.0, -3.0, 3.0], id="value"),
        pytest.param(3.0, 1.5, [1.0, -1.5, 1.5], id="the norm first, then the value"),
    ],
)
def test_limits(norm: float | None, value: float | None, left: list[float]) -> None:
    found, gradients = clipped(norm, value)
    assert found.item() == 6.0
    assert gradients == left


def test_gradients_of_zero() -> None:
    weight = nn.Parameter(torch.zeros(2))
    weight.grad = torch.zeros(2)
    assert clip([weight], Optimizer(learning_rate=1.0)).item() == 0.0
    assert weight.grad.tolist() == [0.0, 0.0]


def test_a_norm_that_is_not_finite_is_told() -> None:
    weight = nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([1.0, torch.inf])
    assert not clip([weight], Optimizer(learning_rate=1.0)).isfinite()
