"""Anchors: equal windows share theirs, every window has one, and about two are new in a window's length."""

import random
import string

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.winnowing import anchors, distinct, listed
from curation.text.kernels.hashing import hash_spans

PARTS = ("a", "b", "ab", "abc" * 5, "é", "中文", "the quick brown fox ", "0123456789abcdef", "x" * 30)
texts = st.lists(st.one_of(st.none(), st.lists(st.sampled_from(PARTS), max_size=12).map("".join)), max_size=5)


def anchor_of(window: bytes) -> int:
    """The anchor of a window that is a text of its own."""
    found = anchors(pa.array([window], pa.large_binary()), len(window))
    assert len(found.hashes) == 1
    return int(found.hashes[0])


@given(texts, st.integers(16, 41))
def test_every_window_has_the_anchor_that_it_has_alone(values: list[str | None], size: int) -> None:
    found = anchors(pa.array(["before", *values], pa.large_string()).slice(1), size)
    windows = {
        (row, at): anchor_of(text[at : at + size])
        for row, text in enumerate((value or "").encode() for value in values)
        for at in range(len(text) - size + 1)
    }
    listing = {
        (int(row), at - int(found.offsets[row])): int(found.hashes[k])
        for k, row in enumerate(found.rows())
        for at in range(found.starts[k], found.stops[k])
    }
    assert listing == windows


@given(texts, st.integers(16, 41))
def test_an_anchor_is_a_piece_of_its_windows(values: list[str | None], size: int) -> None:
    found = anchors(pa.array(values, pa.large_string()), size)
    for k in range(len(found.hashes)):
        pieces = np.arange(found.starts[k], found.starts[k] + size - size // 2 + 1)
        assert found.hashes[k] in hash_spans(found.data, pieces, pieces + size // 2)


def test_how_many_anchors_there_are() -> None:
    rng = random.Random(7)
    text = "".join(rng.choices(string.ascii_lowercase, k=100_000))
    found = anchors(pa.array([text], pa.large_string()), 100)
    assert 2 / 52 * 0.97 < len(found.hashes) / 99_901 < 2 / 52 * 1.03


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("a" * 15, 0, id="one byte less than a window"),
        pytest.param("a" * 16, 1, id="one window"),
        pytest.param("a" * 100_000, 1, id="one character"),
    ],
)
def test_few_windows(text: str, count: int) -> None:
    assert len(anchors(pa.array([text], pa.large_string()), 16).hashes) == count


def test_each_anchor_of_a_document_once() -> None:
    line = "a line of text that comes again and again; "
    found = anchors(pa.array([line * 50, "", line * 3], pa.large_string()), 30)
    hashes, rows = distinct(found)
    assert rows.tolist() == sorted(rows.tolist())
    for row in (0, 1, 2):
        expected = found.hashes[found.first[row] : found.first[row + 1]]
        assert hashes[rows == row].tolist() == sorted(set(expected.tolist()))
    assert len(found.hashes) > 2 * len(hashes)


numbers = st.integers(0, 2**64 - 1)


@given(
    st.lists(numbers, max_size=60), st.lists(st.one_of(numbers, st.sampled_from([0, 1, 2**63, 2**64 - 1])), max_size=9)
)
def test_listed_like_a_set(known: list[int], more: list[int]) -> None:
    ordered = np.unique(np.array(known, np.uint64))
    asked = [*more, *known[:5], *(value + 1 for value in known[:5] if value < 2**64 - 1)]
    found = listed(np.array(asked, np.uint64), ordered)
    assert found.tolist() == [value in known for value in asked]


def test_listed_where_hashes_crowd() -> None:
    ordered = np.arange(5_000, dtype=np.uint64) * np.uint64(2)
    asked = np.arange(10_010, dtype=np.uint64)
    assert listed(asked, ordered).tolist() == [value % 2 == 0 and value < 10_000 for value in range(10_010)]
