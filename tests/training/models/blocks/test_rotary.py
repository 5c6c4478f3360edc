"""Rotary positions: angles by hand, scores that depend on distances only, positions that begin anew with documents;
and positions that are scaled for longer rows."""

import math
from typing import Any

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from tests.training.models.made import batch_of, example_of
from training.batch import Batch, Kind
from training.models.blocks.rotary import frequencies, positions, rotary, rotate
from training.models.rope_scaling import RopeScaling


def test_angles_by_hand() -> None:
    turn = rotary(torch.tensor([[0, 1, 2]]), 4, 100.0)  # frequencies 100^0 and 100^(-1/2)
    angles = torch.tensor([[[[0.0, 0.0], [1.0, 0.1], [2.0, 0.2]]]])
    torch.testing.assert_close(turn.cos, angles.cos())
    torch.testing.assert_close(turn.sin, angles.sin())


def test_a_quarter_turn_exchanges_the_halves_of_a_head() -> None:
    quarter = rotary(torch.tensor([[1]]), 2, 1.0)._replace(cos=torch.zeros(1, 1, 1, 1), sin=torch.ones(1, 1, 1, 1))
    assert rotate(torch.tensor([[[[3.0, 5.0]]]]), quarter).tolist() == [[[[-5.0, 3.0]]]]


def test_scores_depend_on_the_distance() -> None:
    query, key = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))

    def score(query_position: int, key_position: int) -> float:
        turned = [rotary(torch.tensor([[place]]), 8, 100.0) for place in (query_position, key_position)]
        return float((rotate(query, turned[0]) * rotate(key, turned[1])).sum())

    assert score(9, 4) == pytest.approx(score(15, 10), abs=1e-5)
    assert score(9, 4) != pytest.approx(score(9, 5), abs=1e-2)
    assert score(0, 0) == pytest.approx(float((query * key).sum()), abs=1e-6)


def test_length_and_type_stay() -> None:
    x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(0)).bfloat16()
    turned = rotate(x, rotary(torch.arange(5)[None], 8, 10_000.0))
    assert turned.dtype == torch.bfloat16
    torch.testing.assert_close(turned.float().norm(dim=-1), x.float().norm(dim=-1), rtol=0.02, atol=0.02)
    assert math.isclose(float(turned[0, 0, 0, 0]), float(x[0, 0, 0, 0]))  # place 0 does not turn


PRETRAINED = {"original_max_position_embeddings": 8192}


@pytest.mark.parametrize("theta", [10_000.0, 500_000.0, 8e6])
@pytest.mark.parametrize(
    ("kind", "ours", "theirs"),
    [
        pytest.param("linear", {}, {}, id="linear"),
        pytest.param("yarn", {}, {}, id="yarn"),
        pytest.param(
            "yarn", {"beta_fast": 20.0, "beta_slow": 2.0, "attention_factor": 1.3}, {}, id="yarn, other options"
        ),
        pytest.param("llama3", {}, {"low_freq_factor": 1.0, "high_freq_factor": 4.0}, id="llama3"),
        pytest.param("llama3", {"low_freq_factor": 2.0, "high_freq_factor": 32.0}, {}, id="llama3, other options"),
    ],
)
def test_scaled_frequencies_are_those_of_transformers(
    kind: Any, theta: float, ours: dict[str, float], theirs: dict[str, float]
) -> None:
    length = {} if kind == "linear" else PRETRAINED
    stated = {"rope_type": kind, "rope_theta": theta, "factor": 8.0, **length, **theirs, **ours}
    config = LlamaConfig(hidden_size=512, num_attention_heads=4, max_position_embeddings=65_536, rope_parameters=stated)
    expected, attention_factor = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
    scaling = RopeScaling(type=kind, factor=8.0, original_length=8192 if length else None, **ours)
    torch.testing.assert_close(frequencies(128, theta, scaling, expected.device), expected, rtol=1e-6, atol=0)
    turn = rotary(torch.tensor([[0]]), 128, theta, scaling)
    assert turn.cos.flatten().tolist() == pytest.approx([attention_factor] * 64)


def test_another_base_is_that_of_transformers_at_the_longer_length() -> None:
    """Theirs at eight times the length of the model with factor 1 is ours with factor 8."""
    stated = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 1.0}
    config = LlamaConfig(hidden_size=512, num_attention_heads=4, max_position_embeddings=100, rope_parameters=stated)
    expected, _ = ROPE_INIT_FUNCTIONS["dynamic"](config, torch.device("cpu"), seq_len=800)
    found = frequencies(128, 10_000.0, RopeScaling(type="ntk", factor=8.0), expected.device)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0)
    assert found[0] == 1
    assert float(found[-1]) == pytest.approx(10_000 ** (-126 / 128) / 8)


def test_positions_begin_anew_with_each_segment() -> None:
    assert positions(batch_of(Kind.PLAIN)).tolist() == [[0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2]] * 2
    assert positions(Batch.of([example_of(Kind.PLAIN)], together=True)).tolist() == [list(range(12))]
