"""Weights begin by their roles, and in any box of a matrix with the same numbers."""

import pytest
import torch
from torch import nn

from training.initialise import initialise
from training.roles import Purpose, Role
from training.trainable import Trainable


class Roles(Trainable):
    """One parameter of each part."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(1000, 40))
        self.hidden = nn.Parameter(torch.empty(1000, 40))
        self.norm = nn.Parameter(torch.empty(4))
        self.bias = nn.Parameter(torch.empty(4))

    def roles(self) -> dict[str, Role]:
        return {
            "embedding": Role(Purpose.EMBEDDING, deviation=0.5),
            "hidden": Role(Purpose.HIDDEN, deviation=0.02),
            "norm": Role(Purpose.NORM),
            "bias": Role(Purpose.BIAS),
        }


def initialised(seed: int) -> Roles:
    model = Roles()
    initialise(model, seed)
    return model.requires_grad_(False)


def test_by_roles() -> None:
    model = initialised(0)
    assert float(model.embedding.std()) == pytest.approx(0.5, rel=0.02)
    assert float(model.hidden.std()) == pytest.approx(0.02, rel=0.02)
    assert float(model.hidden.mean()) == pytest.approx(0, abs=5e-4)
    assert model.norm.tolist() == [1] * 4
    assert model.bias.tolist() == [0] * 4


def test_from_the_seed_and_the_name() -> None:
    model = initialised(1)
    assert torch.equal(model.hidden, initialised(1).hidden)
    assert not torch.equal(model.hidden, initialised(2).hidden)
    assert not torch.equal(model.hidden * 25, model.embedding)
    assert not torch.equal(model.hidden[:16], model.hidden[16:32])
