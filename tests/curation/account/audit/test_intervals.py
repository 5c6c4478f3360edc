"""Intervals from Newcombe's tables, the exact test by hand, the correction by hand."""

import numpy as np
import pytest

from curation.account.audit.intervals import design_effect, fisher, holm, newcombe, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [  # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3
        pytest.param(81, 263, 0.2553, 0.3662, id="81 of 263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15 of 148"),
        pytest.param(0, 20, 0.0, 0.1611, id="none of 20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1 of 29"),
        pytest.param(29, 29, 0.8830, 1.0, id="all of 29"),
        pytest.param(0, 0, 0.0, 1.0, id="nothing"),
    ],
)
def test_rates(hits: int, total: int, low: float, high: float) -> None:
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("hits", "total", "others", "other_total", "low", "high"),
    [  # Newcombe 1998, "Interval estimation for the difference between independent proportions", table II, method 10
        pytest.param(56, 70, 48, 80, 0.0524, 0.3339, id="a"),
        pytest.param(9, 10, 3, 10, 0.1705, 0.8090, id="b"),
        pytest.param(6, 7, 2, 7, 0.0582, 0.8062, id="c"),
        pytest.param(5, 56, 0, 29, -0.0381, 0.1926, id="d"),
        pytest.param(0, 10, 0, 20, -0.1611, 0.2775, id="e"),
        pytest.param(10, 10, 0, 20, 0.6791, 1.0, id="g"),
    ],
)
def test_differences(hits: int, total: int, others: int, other_total: int, low: float, high: float) -> None:
    assert newcombe(hits, total, others, other_total) == pytest.approx((low, high), abs=5e-5)


def test_a_difference_without_documents_on_one_side_is_unknown() -> None:
    low, high = newcombe(0, 0, 0, 0)
    assert (low, high) == pytest.approx((-0.707107, 0.707107), abs=1e-6)


def test_the_lady_tasting_tea() -> None:
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)  # Fisher 1935: (16 + 1 + 16 + 1) of 70 choices
    assert fisher(4, 4, 0, 4) == pytest.approx(2 / 70)


def test_correction_by_hand() -> None:
    # ascending .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04, and no smaller than those before
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_the_design_effect_by_hand() -> None:
    # 3 clusters with 6 of 10, 0 of 10 and 3 of 10: rate 0.3, residuals 3, -3 and 0, so 3/2 * 18 / (30 * 0.21).
    assert design_effect(np.array([6, 0, 3]), np.array([10, 10, 10])) == pytest.approx(27 / 6.3)
    # One cluster with 4 of 4, and 4 documents alone of which none hit: rate 1/2, residuals 2 and four times -1/2.
    assert design_effect(np.array([4]), np.array([4]), 0, 4) == pytest.approx(5 / 4 * 5 / 2)


@pytest.mark.parametrize(
    ("hits", "totals", "alone_hits", "alone"),
    [
        pytest.param([3], [10], 0, 0, id="a single cluster"),
        pytest.param([0, 0], [10, 5], 0, 0, id="none hit"),
        pytest.param([10, 5], [10, 5], 0, 0, id="all hit"),
        pytest.param([1, 0], [1, 1], 2, 7, id="clusters of one"),
        pytest.param([5, 5], [10, 10], 0, 0, id="clusters that are no more alike than chance"),
        pytest.param([], [], 0, 0, id="nothing"),
    ],
)
def test_no_design_effect(hits: list[int], totals: list[int], alone_hits: int, alone: int) -> None:
    assert design_effect(np.array(hits, np.int64), np.array(totals, np.int64), alone_hits, alone) == 1.0
