"""Sharpness-aware minimisation against another implementation, and what its gradients that are not finite do."""

import pytest
import torch
from pytorch_optimizer import SAM

from tests.training.optim.toy import Toy, by_decay, differentiate, same, train
from training.optim.sam import Sam
from training.optim.updates import update


def test_updates() -> None:
    own, other = Toy(), Toy()
    config = Sam(learning_rate=0.01, weight_decay=0.5, radius=0.3, max_gradient_norm=None)
    train(own, config.build(own), 5, again=True)
    peer = SAM(by_decay(other, 0.5), torch.optim.AdamW, rho=0.3, lr=0.01, betas=(0.9, 0.95))
    train(other, peer, 5, again=True)
    same(own, other)


def test_a_wider_model_moves_other_weights_further() -> None:
    model = Toy()
    model.width_multiplier = 4.0
    optimizer = Sam(radius=0.3).build(model)
    differentiate(model, torch.ones_like)
    before = [weight.detach().clone() for weight in model.parameters()]
    moves = []

    def look() -> None:
        moves.extend(
            (weight.detach() - old).mean().item() for weight, old in zip(model.parameters(), before, strict=True)
        )
        differentiate(model)

    optimizer.step(look)
    # 35 elements are of hidden matrices, 57 of other weights, in whose place four times as many are counted.
    near, far = (0.3 * times / (35 + 4 * 57) ** 0.5 for times in (1, 4))
    assert moves == pytest.approx([far, near, far, near, far, far], rel=1e-5)


def test_the_second_gradient_is_clipped() -> None:
    model = Toy()
    config = Sam(max_gradient_norm=0.001)
    optimizer = config.build(model)
    differentiate(model)
    optimizer.step(lambda: differentiate(model, lambda weight: weight + 5))
    assert torch.cat([weight.grad.flatten() for weight in model.parameters()]).norm().item() == pytest.approx(0.001)


def test_a_second_gradient_that_is_not_finite_changes_nothing() -> None:
    own, untouched = Toy(), Toy()
    optimizer = Sam().build(own)
    differentiate(own)
    update(optimizer, torch.tensor(True), lambda: differentiate(own, lambda weight: weight / 0))
    same(own, untouched, 0.0)
    assert optimizer.state[own.up]["exp_avg"].count_nonzero() == 0


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"radius is 0\.0; give a number above 0"):
        Sam(radius=0.0)
