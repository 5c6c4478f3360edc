"""The order is a permutation, has an inverse, and stays what it is: sealed mixes depend on it."""

import hashlib

import numpy as np
import pytest

from curation.tokens.mixing.permutation import permute, purpose, round_keys, unpermute, walk, width

KEYS = round_keys(0, "mix")
# Computed by another program, in plain integers.
GOLDEN_SMALL = [3, 1, 4, 6, 8, 0, 9, 7, 2, 5]
GOLDEN_LARGE = [739929298, 298457688, 575029680, 553468456]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 9, 16, 17, 100, 1023, 1024, 1025, 5000])
def test_every_row_comes_once_and_back(rows: int) -> None:
    order = [permute(position, rows, width(rows), KEYS) for position in range(rows)]
    assert sorted(order) == list(range(rows))
    assert [unpermute(row, rows, width(rows), KEYS) for row in order] == list(range(rows))


@pytest.mark.parametrize("rows", [10**12, 2**40, 2**62 + 1])
def test_large_tables_have_an_inverse(rows: int) -> None:
    for position in (0, 1, rows // 2, rows - 1):
        row = permute(position, rows, width(rows), KEYS)
        assert 0 <= row < rows
        assert unpermute(row, rows, width(rows), KEYS) == position


@pytest.mark.parametrize(("rows", "bits"), [(1, 2), (4, 2), (5, 3), (8, 3), (9, 4), (2**40, 40), (2**40 + 1, 41)])
def test_width_is_the_smallest_that_holds_the_rows(rows: int, bits: int) -> None:
    assert width(rows) == bits


def test_golden_order() -> None:
    """A change here would reorder the data of every sealed mix: raise the index's format version instead."""
    assert [permute(i, 10, width(10), KEYS) for i in range(10)] == GOLDEN_SMALL
    assert [permute(i, 10**9, width(10**9), KEYS) for i in range(4)] == GOLDEN_LARGE


def test_round_keys_are_the_documented_digest() -> None:
    expected = hashlib.blake2b(b"3\0source web", digest_size=64).digest()
    assert round_keys(3, "source web").astype("<u8").tobytes() == expected


def test_another_seed_is_another_order() -> None:
    other = round_keys(1, "mix")
    here = [permute(i, 1000, width(1000), KEYS) for i in range(1000)]
    there = [permute(i, 1000, width(1000), other) for i in range(1000)]
    assert sum(a == b for a, b in zip(here, there, strict=True)) < 20


def test_order_looks_shuffled() -> None:
    """Rank correlation of position and row, and neighbours that stay neighbours, as in a random permutation."""
    order = np.array([permute(i, 10_000, width(10_000), KEYS) for i in range(10_000)])
    assert abs(np.corrcoef(np.arange(10_000), order)[0, 1]) < 0.04
    assert np.count_nonzero(np.abs(np.diff(order)) == 1) < 20


def test_purposes_of_an_epoch() -> None:
    """The first is that of mixes which knew one epoch only: they keep their order."""
    assert [purpose("web/en", epoch) for epoch in range(3)] == ["source web/en", "source web/en 1", "source web/en 2"]


def test_rows_that_fit_into_a_budget() -> None:
    order = [permute(turn, 4, width(4), KEYS) for turn in range(4)]
    tokens = np.zeros(4, np.uint32)
    tokens[order] = [5, 0, 7, 2]  # in the order of the stream
    assert walk(0, 4, 11, 4, KEYS, tokens).tolist() == [2, 5, 7]
    assert walk(0, 4, 12, 4, KEYS, tokens).tolist() == [3, 12, 2]
    assert walk(0, 3, 99, 4, KEYS, tokens).tolist() == [3, 12, 0]
    assert walk(1, 4, 6, 4, KEYS, tokens).tolist() == [1, 0, 7]
