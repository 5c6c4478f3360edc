"""Sophia against another implementation that is told the curvature, and when it looks for it."""

import pytest
import torch
from pytorch_optimizer import SophiaH
from torch import Tensor

from tests.training.optim.toy import Toy, by_decay, differentiate, same, train
from training.optim.sophia import Sophia


def curvature(weight: Tensor) -> Tensor:
    """By the place of an element; 0 to 0.8, and negative for one in five."""
    return (torch.arange(weight.numel()).reshape(weight.shape) % 5 - 1) / 4


def slope(weight: Tensor) -> Tensor:
    return curvature(weight) * weight + 0.002  # of a parabola, so that the difference of two is exact


def test_updates() -> None:
    own, other = Toy(), Toy()
    config = Sophia(learning_rate=0.001, gamma=0.1, every=1, weight_decay=0.5, radius=0.1)
    train(own, config.build(own), 5, slope, again=True)
    # What is cut at `p` there is cut at 1 here, for a rate that is smaller by it; so is the decay greater.
    groups = by_decay(other, 0.05)
    peer = SophiaH(groups, lr=0.01, betas=(0.96, 0.99), p=0.1, eps=1e-11)
    for _ in range(5):
        differentiate(other, slope)
        for group in peer.param_groups:
            peer.init_group(group)
        peer.step(hessian=[curvature(weight) for group in groups for weight in group["params"]])
    same(own, other)


def test_the_curvature_is_looked_for_at_every_third_step() -> None:
    model = Toy()
    config = Sophia(every=3)
    optimizer = config.build(model)
    calls = 0

    def closure() -> None:
        nonlocal calls
        calls += 1
        differentiate(model)

    counts = []
    for _ in range(5):
        differentiate(model)
        optimizer.step(closure)
        counts.append(calls)
    assert counts == [2, 2, 2, 4, 4]
    assert optimizer.state[model.up]["calls"].item() == 5


def test_the_gradients_of_the_step_are_left() -> None:
    model = Toy()
    optimizer = Sophia().build(model)
    differentiate(model)
    gradient = model.up.grad
    optimizer.step(lambda: differentiate(model))
    assert model.up.grad is gradient


def test_a_curvature_that_is_not_finite_is_left_out() -> None:
    model = Toy()
    optimizer = Sophia().build(model)
    differentiate(model)
    optimizer.step(lambda: differentiate(model, lambda weight: weight / 0))
    assert optimizer.state[model.up]["hessian"].count_nonzero() == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every is 0; give 1 or more"),
        ({"gamma": 0.0}, r"gamma is 0\.0; give a number above 0"),
        ({"radius": -1.0}, r"radius is -1\.0; give a number above 0"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sophia(**options)
