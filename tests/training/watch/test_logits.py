"""Figures of attention and output by hand; what is not heard is left out, and nobody listens afterwards."""

import math
from typing import Any

import pytest
import torch

from training.models.blocks import attention, cross_entropy
from training.models.blocks.attention import attend
from training.models.blocks.masks import Visible
from training.parallel.mesh import worker_group
from training.watch.logits import LogitFigures, listening

SCALE = 0.5
QUERY = torch.tensor([[[[0.0, 0.0], [2.0, 0.0], [0.0, 400.0]]]])  # [1, 1, 3, 2]
KEY = torch.tensor([[[[1.0, 1.0], [3.0, 1.0], [0.0, 2.0]]]])


def record(figures: LogitFigures) -> dict[str, float]:
    with worker_group() as worker:
        return figures.record(worker)


def test_causal_attention() -> None:
    with listening(compiled=False) as figures:
        attend(QUERY, KEY, KEY, Visible(), scale=SCALE)
    found = record(figures)
    # The first query sees one key, the second logits 1 and 3, the third 200, 200 and 400.
    p = 1 / (1 + math.exp(2))
    second = -(p * math.log(p) + (1 - p) * math.log(1 - p))
    assert found == {"attention_logit": 400.0, "attention_entropy": pytest.approx(second / 3, abs=1e-6)}


def test_a_mask_hides_keys_and_queries_without_keys() -> None:
    mask = torch.tensor([[[[True, True, False], [True, True, False], [False, False, False]]]])
    with listening(compiled=False) as figures:
        attend(QUERY, KEY, KEY, Visible(mask=mask), scale=SCALE)
    found = record(figures)
    p = 1 / (1 + math.exp(2))
    second = -(p * math.log(p) + (1 - p) * math.log(1 - p))
    assert found["attention_logit"] == 3.0
    assert found["attention_entropy"] == pytest.approx((math.log(2) + second) / 2, abs=1e-6)


def test_shared_heads_and_several_layers() -> None:
    query = torch.cat([QUERY, 2 * QUERY], dim=1)
    with listening(compiled=False) as figures:
        attend(query, KEY, KEY, Visible(), scale=SCALE)
        attend(QUERY * 0, KEY, KEY, Visible(), scale=SCALE)
    found = record(figures)
    assert found["attention_logit"] == 800.0
    assert found["attention_entropy"] < math.log(6) / 3  # that of the layer with the least


def test_the_output_and_its_bias() -> None:
    hidden = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    weight = torch.tensor([[1.0, 0.0], [0.0, -3.0]])
    figures = LogitFigures()
    figures.hear_output(hidden, weight, None)
    assert record(figures) == {"output_logit": 6.0}
    figures.hear_output(hidden, weight, torch.tensor([0.0, -1.0]))
    assert record(figures) == {"output_logit": 7.0}


def test_what_is_not_heard() -> None:
    block_mask: Any = object()
    figures = LogitFigures()
    figures.hear_attention(QUERY, KEY, Visible(block_mask=block_mask), None)
    assert record(figures) == {}
    with listening(compiled=True):
        assert not attention.LISTENERS
        assert cross_entropy.LISTENERS
    assert not cross_entropy.LISTENERS
