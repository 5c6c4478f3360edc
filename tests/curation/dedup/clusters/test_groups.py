"""Rows by their keys, against dictionaries."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.clusters.groups import find, of_all, repeated, sorted_repeated

Row = tuple[int, int, int, int]  # hi, lo, rank, doc
# A document has one rank wherever it stands.
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 6)), max_size=30).map(
    lambda given: [(hi, lo, doc % 3, doc) for hi, lo, doc in given]
)


def columns(given: list[Row]) -> list[npt.NDArray[np.generic]]:
    kinds = (np.uint64, np.uint64, np.uint32, np.int64)
    return [np.array([row[n] for row in given], kind) for n, kind in enumerate(kinds)]


def by_key(given: list[Row]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """(rank, doc) of each key's documents, in the order of survival."""
    found = defaultdict(set)
    for hi, lo, rank, doc in given:
        found[hi, lo].add((rank, doc))
    return {key: sorted(found[key]) for key in sorted(found)}


@given(rows)
def test_groups(given: list[Row]) -> None:
    hi, lo, rank, doc = columns(given)
    for groups, least in ((of_all(hi, lo, rank, doc), 1), (repeated(hi, lo, rank, doc), 2)):
        expected = {key: docs for key, docs in by_key(given).items() if len(docs) >= least}
        members = [groups.order[start:stop] for start, stop in pairwise(groups.start)]
        assert {given[own[0]][:2]: [given[row][2:] for row in own] for own in members} == expected
        assert groups.sizes.tolist() == [len(docs) for docs in expected.values()]
        best = [docs[0] for docs in expected.values() for _ in docs]
        assert [given[row][2:] for row in groups.best] == best


@given(rows)
def test_rows_whose_hi_is_not_alone(given: list[Row]) -> None:
    order = sorted_repeated(*columns(given))
    counts = [sum(other[0] == row[0] for other in given) for row in given]
    assert [given[row] for row in order] == sorted(row for row, count in zip(given, counts, strict=True) if count > 1)


@given(rows, rows)
def test_find(given: list[Row], among: list[Row]) -> None:
    known = sorted({row[:2] for row in among})
    hi, lo, _, _ = columns(given)
    pairs = np.array(known, np.uint64).reshape(-1, 2)
    at = find(hi, lo, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))
    assert at.tolist() == [known.index(row[:2]) if row[:2] in known else -1 for row in given]


@pytest.mark.soak
def test_a_million_equal_keys_are_one_group() -> None:
    same = np.full(10**6, 5, np.uint64)
    doc = np.arange(10**6)[::-1].copy()
    groups = repeated(same, same, np.zeros(10**6, np.uint32), doc)
    assert groups.sizes.tolist() == [10**6]
    assert np.array_equal(doc[groups.order], np.arange(10**6))
