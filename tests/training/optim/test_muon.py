"""Muon against torch's, with AdamW for the weights that are no hidden matrices."""

import math

import pytest
import torch

from tests.training.optim.toy import Toy, same, train
from training.optim.muon import Muon, orthogonal


def test_updates() -> None:
    own, other = Toy(), Toy()
    train(own, Muon(learning_rate=0.01, weight_decay=0.5).build(own), 5)
    hidden = [other.up, other.down]
    muon = torch.optim.Muon(hidden, lr=0.01, weight_decay=0.5, adjust_lr_fn="match_rms_adamw")
    groups = [
        {"params": [other.embedding, other.head], "weight_decay": 0.5},
        {"params": [other.bias, other.norm], "weight_decay": 0.0},
    ]
    adamw = torch.optim.AdamW(groups, lr=0.01, betas=(0.9, 0.95))
    for _ in range(5):
        train(other, muon, 1)
        train(other, adamw, 1)
    with torch.no_grad():  # torch's iteration is bfloat16, also here
        assert (own.up - other.up).abs().max() < 2e-4
        assert (own.down - other.down).abs().max() < 2e-4
        for matrix in (own.up, own.down, other.up, other.down):
            matrix.zero_()
    same(own, other)


def test_a_hidden_matrix_keeps_one_mean() -> None:
    model = Toy()
    optimizer = Muon().build(model)
    train(model, optimizer, 1)
    assert optimizer.state[model.up].keys() == {"momentum_buffer", "step"}
    assert optimizer.state[model.head].keys() == {"exp_avg", "exp_avg_sq", "step"}


@pytest.mark.parametrize("shape", [(3, 8), (8, 3)])
def test_the_iteration_changes_singular_values_alone(shape: tuple[int, int]) -> None:
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(0)) * 100
    left, values, right = torch.linalg.svd(drawn.double(), full_matrices=False)
    values /= values.square().sum().sqrt()
    for _ in range(5):
        values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
    assert 0.6 < values.min() < values.max() < 1.3  # as close to 1 as these coefficients come
    torch.testing.assert_close(orthogonal(drawn), (left @ values.diag() @ right).float(), atol=1e-5, rtol=0)


def test_no_gradient_is_no_direction() -> None:
    assert orthogonal(torch.zeros(2, 3)).tolist() == [[0.0] * 3] * 2


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=f"momentum is {math.nan}; give 0 to below 1"):
        Muon(momentum=math.nan)
