"""LAMB: an update by hand, and settings that are refused."""

import pytest
import torch

from tests.training.optim.toy import Toy
from training.optim.lamb import Lamb


def test_first_update_by_hand() -> None:
    model = Toy()
    with torch.no_grad():
        model.up.zero_()
        model.up[0, :2] = torch.tensor([3.0, 4.0])
        model.bias.fill_(3.0)
        model.down.zero_()
    config = Lamb(weight_decay=0.1, epsilon=1e-12)
    optimizer = config.build(model)
    config.set_rate(optimizer, 0.5)
    model.up.grad = torch.zeros(5, 4)
    model.up.grad[0, :2] = torch.tensor([7.0, -2.0])
    model.bias.grad = torch.full((5,), 7.0)
    model.down.grad = torch.full((3, 5), 7.0)
    optimizer.step()
    # The first direction is the gradient's sign, with the decay (1.3, -0.6); the weights' norm is 5.
    length = (1.3**2 + 0.6**2) ** 0.5
    expected = [3 - 0.5 * 1.3 * 5 / length, 4 + 0.5 * 0.6 * 5 / length]
    assert model.up[0, :2].tolist() == pytest.approx(expected)
    assert model.bias.tolist() == pytest.approx([2.5] * 5)  # without decay and scale
    assert model.down[0, 0].item() == pytest.approx(-0.5)  # weights of norm 0 do not scale it


def test_a_wider_model_decays_as_much() -> None:
    model = Toy()
    model.width_multiplier = 4.0
    with torch.no_grad():
        model.up.zero_()
        model.up[0, :2] = torch.tensor([3.0, 4.0])
    config = Lamb(weight_decay=0.1, epsilon=1e-12)
    optimizer = config.build(model)
    config.set_rate(optimizer, 0.5)
    model.up.grad = torch.zeros(5, 4)
    model.up.grad[0, :2] = torch.tensor([7.0, -2.0])
    optimizer.step()
    # The decay is 0.2 of the weights; the gradient's sign has half the rate.
    length = (1.6**2 + 0.2**2) ** 0.5
    expected = [3 - (0.25 + 0.5 * 0.6) * 5 / length, 4 - (-0.25 + 0.5 * 0.8) * 5 / length]
    assert model.up[0, :2].tolist() == pytest.approx(expected)


def test_second_update_by_hand() -> None:
    model = Toy()
    with torch.no_grad():
        model.bias.fill_(3.0)
    config = Lamb(beta1=0.5, beta2=0.75, epsilon=1e-12)
    optimizer = config.build(model)
    config.set_rate(optimizer, 1.0)
    for gradient in (1.0, 3.0):
        model.bias.grad = torch.full((5,), gradient)
        optimizer.step()
    # Means 0.5 then 1.75 over 1 - 0.25, squares 0.25 then 2.4375 over 1 - 0.5625.
    assert model.bias[0].item() == pytest.approx(3 - 1 - (1.75 / 0.75) / (2.4375 / 0.4375) ** 0.5)


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"epsilon is -1\.0; give a number above 0"):
        Lamb(epsilon=-1.0)
