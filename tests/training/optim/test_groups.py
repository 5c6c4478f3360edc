"""Which weights decay, and which rates follow the width."""

import pytest

from tests.training.optim.toy import SHAPES, Toy
from training.config.components import OPTIMIZER, Optimizer
from training.optim.adafactor import Adafactor
from training.optim.adamw import Adamw
from training.optim.groups import groups
from training.optim.lamb import Lamb
from training.optim.lion import Lion
from training.optim.muon import Muon
from training.optim.sam import Sam
from training.optim.sophia import Sophia


def test_groups_by_role() -> None:
    model = Toy()
    names = {weight: name for name, weight in model.named_parameters()}
    found = [([names[one] for one in group.pop("params")], group) for group in groups(model, 0.3, 4.0)]
    assert found == [
        (["up", "down"], {"weight_decay": 0.3, "scale": 0.25, "hidden": True}),
        (["embedding", "head"], {"weight_decay": 0.3, "scale": 1.0, "hidden": False}),
        (["bias", "norm"], {"weight_decay": 0.0, "scale": 1.0, "hidden": False}),
    ]
    assert len(SHAPES) == 6


def test_a_model_without_biases_and_norms_has_two() -> None:
    model = Toy()
    del model.bias, model.norm
    assert len(groups(model, 0.3)) == 2


@pytest.mark.parametrize(
    ("optimizer", "rate"),
    [
        (Adamw(), 0.25),
        (Lion(), 0.25),
        (Muon(), 0.25),
        (Sam(), 0.25),
        (Sophia(), 0.25),
        (Adafactor(), 1.0),  # its updates and LAMB's follow the size of the weights
        (Lamb(), 1.0),
    ],
)
def test_rates_follow_the_width(optimizer: Optimizer, rate: float) -> None:
    assert optimizer.verb is OPTIMIZER
    model = Toy()
    model.width_multiplier = 4.0
    built = optimizer.build(model)
    optimizer.set_rate(built, 1.0)
    assert [group["lr"] for group in built.param_groups] == [rate, 1.0, 1.0]
