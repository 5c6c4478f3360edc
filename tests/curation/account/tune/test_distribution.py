"""Counts, quantiles, moments and bins of a spread, against values by hand and NumPy on the values themselves."""

from itertools import pairwise
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.account.tune.distribution import BINS, Distribution, SpreadByLanguage, outwards

FLOATS = st.floats(-1e12, 1e12, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-12)


def spread(*shards: list[float], group: int = 0) -> SpreadByLanguage:
    made = SpreadByLanguage()
    for values in shards:
        made.add(np.array(values, np.float64), np.full(len(values), group))
    return made


def whole(*values: float) -> Distribution:
    return spread(list(values)).of(None)


def test_quantiles_are_values_of_documents() -> None:
    ten = whole(*range(1, 11))
    assert [ten.quantile(share) for share in (0.1, 0.5, 0.51, 0.9, 1.0)] == [1, 5, 6, 9, 10]
    assert [ten.lower_quantile(share) for share in (0.1, 0.5, 0.51, 0.9, 1.0)] == [10, 6, 5, 2, 1]


def test_neighbouring_whole_numbers_have_buckets_of_their_own() -> None:
    assert whole(*range(8193)).counts.tolist() == [1] * 8193


def test_a_limit_keeps_at_least_the_share_that_it_is_for() -> None:
    tenths = whole(*(n / 10 for n in range(100)))
    assert tenths.at_most(quantile=0.99, sigma=None) == 9.8
    assert tenths.at_least(quantile=0.99, sigma=None) == 0.1


def test_a_limit_by_sigma_lies_that_far_from_the_mean() -> None:
    four = whole(2, 4, 4, 6)  # mean 4, variance 2
    assert four.mean == 4
    assert four.deviation == pytest.approx(2**0.5)
    assert four.at_most(quantile=None, sigma=2) == 6.829  # 6.82842…, rounded outwards
    assert four.at_least(quantile=None, sigma=2) == 1.171


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        pytest.param(0.123456, 0.1235, 0.1234, id="fraction"),
        pytest.param(-0.123456, -0.1234, -0.1235, id="negative"),
        pytest.param(123456.0, 123500.0, 123400.0, id="large"),
        pytest.param(0.3, 0.3, 0.3, id="few digits"),
        pytest.param(0.0, 0.0, 0.0, id="zero"),
    ],
)
def test_rounding_outwards(value: float, up: float, down: float) -> None:
    assert outwards(value, up=True) == up
    assert outwards(value, up=False) == down


@given(st.lists(st.lists(FLOATS, max_size=30), max_size=4))
def test_shard_by_shard_is_as_at_once(shards: list[list[float]]) -> None:
    values = [value for shard in shards for value in shard]
    one = spread(*shards).of(None)
    two = whole(*values)
    assert one.counts.tolist() == two.counts.tolist()
    assert one.lows.tolist() == two.lows.tolist()
    assert one.highs.tolist() == two.highs.tolist()
    assert one.documents == len(values)
    if values:
        assert one.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-3)


@given(st.lists(FLOATS, min_size=1, max_size=60), st.floats(0.01, 1.0))
def test_a_quantile_is_right_to_a_bucket(values: list[float], share: float) -> None:
    one = whole(*values)
    assert (np.array(values) <= one.quantile(share)).mean() >= share
    exact = np.sort(values)[int(np.searchsorted(np.arange(1, len(values) + 1), share * len(values)))]
    assert one.quantile(share) == pytest.approx(exact, rel=1 / 4000)


def test_languages_are_told_apart() -> None:
    made = SpreadByLanguage()
    made.add(np.array([1.0, -5.0, 2.0, -7.0]), np.array([0, 1, 0, 1]))
    made.add(np.array([9.0]), np.array([2]))
    assert [made.of(group).documents for group in (0, 1, 2, 3)] == [2, 2, 1, 0]
    assert made.of(1).quantile(1.0) == -5
    assert [made.of(group).mean for group in (0, 1, 2)] == [1.5, -6.0, 9.0]
    assert made.of(None).documents == 5
    assert made.of(None).quantile(0.2) == -7


def test_small_whole_numbers_have_a_bin_each() -> None:
    bins = whole(0, 1, 1, 3).bins([2.0])
    assert [(one.low, one.high, one.documents) for one in bins] == [(0, 1, 1), (1, 2, 2), (2, 3, 0), (3, 4, 1)]


def test_no_bin_has_documents_on_both_sides_of_a_limit() -> None:
    rng = np.random.default_rng(1)
    values = rng.random(1000).tolist()
    for edge in (0.3337, nextafter(0.7771, inf)):
        bins = whole(*values).bins([edge])
        assert sum(one.documents for one in bins if one.high <= edge) == sum(value < edge for value in values)
        assert sum(one.documents for one in bins if one.low >= edge) == sum(value >= edge for value in values)


def test_the_upper_limit_itself_lies_inside() -> None:
    bins = whole(*([0.1] * 4), *([0.3] * 5), *([0.5] * 6)).bins([nextafter(0.3, inf)])
    assert sum(one.documents for one in bins if one.low <= 0.3) == 9


@given(st.lists(FLOATS, min_size=1, max_size=60), st.lists(FLOATS, max_size=3))
def test_bins_hold_every_document_once(values: list[float], edges: list[float]) -> None:
    bins = whole(*values).bins(sorted(edges))
    assert sum(one.documents for one in bins) == len(values)
    assert all(one.low < one.high for one in bins)
    assert all(one.high == two.low for one, two in pairwise(bins))
    assert len(bins) <= BINS + 2 + len(edges)


def test_the_outer_bins_take_the_tails() -> None:
    bins = whole(*range(1000), 10**6).bins([])
    assert bins[-1].high == 10**6
    assert bins[-1].low < 1100
    assert sum(one.documents for one in bins) == 1001
