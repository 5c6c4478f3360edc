"""AdamW: one update by hand, and settings that are refused."""

import math

import pytest
import torch

from tests.training.optim.toy import Toy
from training.optim.adamw import Adamw


def test_first_update_by_hand() -> None:
    model = Toy()
    with torch.no_grad():
        model.up.fill_(2.0)
        model.bias.fill_(2.0)
    config = Adamw(weight_decay=0.5)
    optimizer = config.build(model)
    config.set_rate(optimizer, 0.1)
    model.up.grad = torch.full((5, 4), 3.0)
    model.bias.grad = torch.full((5,), -3.0)
    optimizer.step()
    # Decay first, 2 * (1 - 0.1 * 0.5); then one step of the rate, as the first moment ratio is the gradient's sign.
    assert model.up[0, 0].item() == pytest.approx(1.9 - 0.1)
    assert model.bias[0].item() == pytest.approx(2.0 + 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta1": 1.0}, r"beta1 is 1\.0; give 0 to below 1"),
        ({"beta2": -0.1}, r"beta2 is -0\.1; give 0 to below 1"),
        ({"epsilon": 0.0}, r"epsilon is 0\.0; give a number above 0"),
        ({"weight_decay": -1.0}, r"weight_decay is -1\.0; give 0 or more"),
        ({"weight_decay": math.nan}, "weight_decay is nan; give 0 or more"),
        ({"max_gradient_norm": 0.0}, r"max_gradient_norm is 0\.0; give a number above 0"),
        ({"learning_rate": math.inf}, "learning_rate is inf; give a number above 0"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Adamw(**options)
