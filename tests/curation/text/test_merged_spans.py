"""Spans of rows become lists: what overlaps or touches is one, and every row has a list."""

import numpy as np
import pytest

from curation.core.document import SPANS
from curation.text.merged_spans import merge_spans

Bounds = list[tuple[int, int]]


def merged(spans: list[tuple[int, int, int]], rows: int) -> list[Bounds]:
    row, start, stop = (np.array([one[i] for one in spans], np.int64) for i in range(3))
    lists = merge_spans(row, start, stop, rows)
    lists.validate(full=True)
    assert lists.type == SPANS
    assert lists.null_count == 0
    return [[(one["start"], one["stop"]) for one in spans] for spans in lists.to_pylist()]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([(2, 4), (5, 7)], [(2, 4), (5, 7)], id="a byte between"),
        pytest.param([(2, 4), (4, 7)], [(2, 7)], id="touching"),
        pytest.param([(2, 5), (4, 7)], [(2, 7)], id="overlapping"),
        pytest.param([(2, 9), (4, 7), (8, 9)], [(2, 9)], id="one in the other"),
        pytest.param([(2, 4), (2, 4)], [(2, 4)], id="twice"),
        pytest.param([(8, 9), (0, 1), (4, 5)], [(0, 1), (4, 5), (8, 9)], id="in any order"),
        pytest.param([(3, 3), (5, 6), (6, 6)], [(5, 6)], id="none of no bytes"),
        pytest.param([], [], id="none"),
    ],
)
def test_spans_of_one_row(spans: Bounds, expected: Bounds) -> None:
    assert merged([(0, *one) for one in spans], 1) == [expected]


def test_rows_are_apart_and_those_without_spans_have_empty_lists() -> None:
    assert merged([(3, 0, 5), (1, 5, 9), (1, 0, 2)], 5) == [[], [(0, 2), (5, 9)], [], [(0, 5)], []]
    assert merged([], 2) == [[], []]
    assert merged([], 0) == []


def test_what_is_given_stays_as_it_is() -> None:
    row = np.array([1, 0, 0])
    start = np.array([4, 2, 0])
    stop = np.array([6, 5, 3])
    merge_spans(row, start, stop, 2)
    assert (row.tolist(), start.tolist(), stop.tolist()) == ([1, 0, 0], [4, 2, 0], [6, 5, 3])
