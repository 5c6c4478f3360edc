"""Adafactor against torch's, and what it keeps of a matrix."""

import pytest
import torch

from tests.training.optim.toy import Toy, by_decay, same, train
from training.optim.adafactor import Adafactor


@pytest.mark.parametrize("rate", [0.01, 0.3])
def test_updates(rate: float) -> None:
    own, other = Toy(), Toy()
    train(own, Adafactor(learning_rate=rate, weight_decay=0.5).build(own), 5)
    train(other, torch.optim.Adafactor(by_decay(other, 0.5), lr=rate, eps=(1e-30, 1e-3), foreach=False), 5)
    same(own, other)


def test_a_matrix_has_two_vectors() -> None:
    model = Toy()
    optimizer = Adafactor().build(model)
    train(model, optimizer, 1)
    assert {name: tuple(tensor.shape) for name, tensor in optimizer.state[model.up].items()} == {
        "rows": (5,),
        "columns": (4,),
        "step": (),
    }
    assert optimizer.state[model.bias]["exp_avg_sq"].shape == (5,)
