"""Strata of signals, and equal draws from them, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from curation.account.annotate.strata import allotted, draw, strata_of


def test_numbers_are_cut_at_their_quantiles() -> None:
    names, stratum = strata_of(pa.array([*range(1000), None, float("nan")], pa.float64()))
    assert names == ["below 10", "10 to 100", "100 to 500", "500 to 900", "900 to 990", "990 and above", "(unmeasured)"]
    assert np.bincount(stratum).tolist() == [10, 90, 400, 400, 90, 10, 2]


def test_equal_quantiles_make_one_cut() -> None:
    names, stratum = strata_of(pa.array([5] * 100 + [7]))
    assert (names, np.bincount(stratum).tolist()) == (["below 5", "5 and above", "(unmeasured)"], [0, 101])
    assert strata_of(pa.array([None, None], pa.int64()))[0] == ["(unmeasured)"]


def test_cuts_that_are_close_have_names_of_their_own() -> None:
    names, _ = strata_of(pa.array([1_000_000.25] * 50 + [1_000_000.5] * 50))
    assert names == ["below 1000000.25", "1000000.25 to 1000000.5", "1000000.5 and above", "(unmeasured)"]


def test_texts_are_their_own_strata() -> None:
    values = [*(["de"] * 3), *(["en"] * 5), None, *(f"x{number:02}" for number in range(25))]
    names, stratum = strata_of(pa.array(values))
    assert names[:3] == ["en", "de", "x00"]
    assert names[-2:] == ["(others)", "(unmeasured)"]
    assert len(names) == 22
    counts = dict(zip(names, np.bincount(stratum).tolist(), strict=True))
    assert (counts["en"], counts["de"], counts["x17"], counts["(others)"], counts["(unmeasured)"]) == (5, 3, 1, 7, 1)


@pytest.mark.parametrize(
    ("sizes", "documents", "expected"),
    [
        pytest.param([100, 100, 100], 30, [10, 10, 10], id="equal"),
        pytest.param([100, 2, 100], 30, [14, 2, 14], id="a small one gives all"),
        pytest.param([1, 2, 3], 30, [1, 2, 3], id="too few"),
        pytest.param([100, 100, 100], 31, [10, 10, 11], id="a rest"),
        pytest.param([100, 100, 100], 2, [0, 1, 1], id="fewer than cells"),
        pytest.param([], 5, [], id="none"),
    ],
)
def test_allotment(sizes: list[int], documents: int, expected: list[int]) -> None:
    assert allotted(sizes, documents) == expected
    assert sum(allotted(sizes, documents)) == min(sum(sizes), documents)


def test_a_draw_takes_the_smallest_hashes_of_each_cell_in_turn() -> None:
    cells = np.array([0, 0, 0, 4, 4, 4, 4, 9])
    hashes = np.array([30, 10, 20, 5, 8, 7, 6, 1], np.uint64)
    assert draw(cells, hashes, 5).tolist() == [1, 3, 7, 2, 6]
    assert set(draw(cells, hashes, 3).tolist()) == {1, 3, 7}
    assert draw(cells[:0], hashes[:0], 5).tolist() == []
