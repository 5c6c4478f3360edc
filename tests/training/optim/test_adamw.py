"""Parameter groups, and one update by hand."""

import pytest
import torch
from torch import nn

from training.optim.adamw import Adamw


def test_matrices_decay_and_norms_do_not() -> None:
    model = nn.Sequential(nn.Linear(3, 2, bias=False), nn.RMSNorm(2))
    decayed, kept = Adamw(weight_decay=0.3).build(model).param_groups
    assert ([p.shape for p in decayed["params"]], decayed["weight_decay"]) == ([(2, 3)], 0.3)
    assert ([p.shape for p in kept["params"]], kept["weight_decay"]) == ([(2,)], 0.0)


def test_first_update_by_hand() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 2.0)
    config = Adamw(weight_decay=0.5)
    optimizer = config.build(model)
    config.set_rate(optimizer, 0.1)
    model(torch.tensor([[3.0]])).sum().backward()
    optimizer.step()
    # Decay first, 2 * (1 - 0.1 * 0.5); then one step of the rate, as the first moment ratio is the gradient's sign.
    assert model.weight.item() == pytest.approx(1.9 - 0.1)
