"""Rotary positions: angles by hand, scores that depend on distances only, positions that begin anew with documents."""

import math

import pytest
import torch

from tests.training.models.made import batch_of, example_of
from training.batch import Batch, Kind
from training.models.blocks.rotary import positions, rotary, rotate


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


def test_positions_begin_anew_with_each_segment() -> None:
    assert positions(batch_of(Kind.PLAIN)).tolist() == [[0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2]] * 2
    assert positions(Batch.of([example_of(Kind.PLAIN)], together=True)).tolist() == [list(range(12))]
