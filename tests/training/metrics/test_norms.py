"""Norms by part, and how far an update goes, by hand."""

import pytest
import torch
from torch import nn

from training.metrics.norms import Norms
from training.parallel.mesh import worker_group
from training.roles import Purpose, Role
from training.trainable import Trainable


class Two(Trainable):
    """A matrix and a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.matrix = nn.Parameter(torch.tensor([[3.0, 4.0]]))
        self.bias = nn.Parameter(torch.tensor([0.0, 2.0]))

    def roles(self) -> dict[str, Role]:
        return {"matrix": Role(Purpose.HIDDEN), "bias": Role(Purpose.BIAS)}


def test_by_hand() -> None:
    model = Two()
    model.matrix.grad = torch.tensor([[0.0, 1.5]])
    with worker_group():
        norms = Norms(model)
        with torch.no_grad():
            model.matrix.add_(torch.tensor([[0.3, 0.4]]))
        found = norms.after()
    assert found["hidden"] == pytest.approx({"gradient": 1.5, "weight": 5.0, "update": 0.1})
    assert found["bias"] == pytest.approx({"gradient": 0.0, "weight": 2.0, "update": 0.0})
