"""Which weights decay, and which rates and decays follow the width."""

import pytest

from curation.core import catalog
from tests.training.optim.toy import SHAPES, Toy
from training.config.components import OPTIMIZER
from training.optim.groups import groups
from training.optim.width import ELEMENTWISE


def test_groups_by_role() -> None:
    model = Toy()
    model.width_multiplier = 4.0
    names = {weight: name for name, weight in model.named_parameters()}
    found = [([names[one] for one in group.pop("params")], group) for group in groups(model, 0.25, ELEMENTWISE)]
    assert found == [
        (["embedding", "head"], {"weight_decay": 0.25, "scale": 1.0, "hidden": False, "width": 4.0}),
        (["up", "down"], {"weight_decay": 1.0, "scale": 0.25, "hidden": True, "width": 4.0}),
        (["bias", "norm"], {"weight_decay": 0.0, "scale": 1.0, "hidden": False, "width": 4.0}),
    ]
    assert len(SHAPES) == 6


def test_a_model_without_biases_and_norms_has_two() -> None:
    model = Toy()
    del model.bias, model.norm
    assert len(groups(model, 0.3, ELEMENTWISE)) == 2


@pytest.mark.parametrize(
    ("key", "scale"),
    [
        ("adamw", 1 / 16),
        ("lion", 1 / 16),
        ("sam", 1 / 16),
        ("sophia", 1 / 16),
        ("adafactor", 1 / 4),  # its updates and LAMB's shrink with the weights
        ("lamb", 1 / 4),
        ("muon", 1 / 4),  # its updates have a spectral norm by the width
    ],
)
def test_hidden_matrices_follow_the_width(key: str, scale: float) -> None:
    """Of the root of the width where an update has done the rest, and decay in an update stays."""
    optimizer = catalog.find(OPTIMIZER, key)(weight_decay=0.5)
    model = Toy()
    model.width_multiplier = 16.0
    built = optimizer.build(model)
    optimizer.set_rate(built, 1.0)
    table, hidden, vector = built.param_groups
    assert (table["lr"], hidden["lr"], vector["lr"]) == (1.0, scale, 1.0)
    assert (table["weight_decay"], hidden["weight_decay"] * scale, vector["weight_decay"]) == (0.5, 0.5, 0.0)
