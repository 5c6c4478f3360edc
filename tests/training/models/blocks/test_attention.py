"""Attention by the formula, queries that see nothing, shared heads, and what its matrices are for."""

import math

import pytest
import torch
from torch import Tensor

from training.models.blocks.attention import Attention, attend
from training.models.blocks.masks import Visible
from training.models.decoder import Decoder
from training.roles import AttentionSize, Purpose, Role

MASK = torch.tensor([[[[True, False, True], [False, False, False]]]])


def tensors(heads: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    sizes = ((1, 2, 2, 4), (1, heads, 3, 4), (1, heads, 3, 4))
    query, key, value = (torch.randn(size, generator=generator).requires_grad_() for size in sizes)
    return query, key, value


@pytest.mark.parametrize("heads", [pytest.param(2, id="own"), pytest.param(1, id="shared")])
@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("biased", [False, True])
def test_the_formula(heads: int, scale: float | None, biased: bool) -> None:
    query, key, value = tensors(heads)
    bias = torch.arange(12.0).view(1, 2, 2, 3).requires_grad_() if biased else None
    found = attend(query, key, value, Visible(mask=MASK), scale=scale, bias=bias)
    for head in range(2):
        own = key[0, head % heads], value[0, head % heads]
        scores = query[0, head, 0] @ own[0][[0, 2]].T * (scale or 1 / math.sqrt(4))
        if bias is not None:
            scores = scores + bias[0, head, 0, [0, 2]]
        torch.testing.assert_close(found[0, head, 0], scores.softmax(0) @ own[1][[0, 2]])


@pytest.mark.parametrize("biased", [False, True])
def test_a_query_that_sees_nothing_gets_zeros_and_no_gradient(biased: bool) -> None:
    query, key, value = tensors()
    bias = torch.zeros(1, 2, 2, 3, requires_grad=True)
    found = attend(query, key, value, Visible(mask=MASK), bias=bias if biased else None)
    assert not found[0, :, 1].any()
    found.sum().backward()
    for tensor in (query, key, value, *([bias] if biased else [])):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
    assert query.grad is not None
    assert not query.grad[0, :, 1].any()


def test_without_a_mask_it_is_causal() -> None:
    query, key, value = tensors()
    causal = torch.tensor([[[[True, False, False], [True, True, False], [True, True, True]]]])
    whole = torch.cat((query, query[:, :, :1]), dim=2)
    torch.testing.assert_close(attend(whole, key, value, Visible()), attend(whole, key, value, Visible(mask=causal)))


def test_roles_and_size() -> None:
    config = Decoder(layers=2, width=8, heads=2, kv_heads=1, initial_deviation=0.04)
    attention = Attention(config, reads="targets", keys="inputs", kv_heads=1, qk_norm=True)
    asks = Role(Purpose.HIDDEN, "column", 0.04, "targets", 4)
    asked = Role(Purpose.HIDDEN, "column", 0.04, "inputs", 4)
    writes = Role(Purpose.HIDDEN, "row", 0.02, "targets", 4)  # 0.04 over the root of twice two layers
    names = ("query.weight", "key.weight", "value.weight", "output.weight")
    assert attention.roles() == dict(zip(names, (asks, asked, asked, writes), strict=True))
    assert attention.size == AttentionSize(1, 8, "targets", "inputs", causal=False, kv_width=4)
    assert attention.key.weight.shape == (4, 8)
    assert attention.query_norm.weight.shape == (4,)
