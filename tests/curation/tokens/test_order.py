"""The order is a permutation, has an inverse, and stays what it is: sealed mixes depend on it."""

import hashlib

import numpy as np
import pytest

from curation.tokens.order import locate, permute, position_of, round_keys, unpermute, width

KEYS = round_keys(0, "mix")
# Computed by another program, in plain integers.
GOLDEN_SMALL = [3, 1, 4, 6, 8, 0, 9, 7, 2, 5]
GOLDEN_LARGE = [739929298, 298457688, 575029680, 553468456]
# One entry of 5 of its 9 rows in files of 4 and 5 rows; one of all its 3 rows in one file.
LAYERS = np.stack([round_keys(7, "mix"), round_keys(7, "source a"), round_keys(7, "source b")])
TAKEN, AVAILABLE, FILES = np.array([0, 5, 8]), np.array([0, 9, 12]), np.array([0, 4, 9, 12])


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


def test_locate_takes_each_entry_s_rows_once() -> None:
    files, rows = locate(0, 8, LAYERS, TAKEN, AVAILABLE, FILES)
    found = sorted(zip(files.tolist(), rows.tolist(), strict=True))
    assert len(set(found)) == 8
    assert [pair for pair in found if pair[0] == 2] == [(2, 0), (2, 1), (2, 2)]
    assert all(row < (4, 5, 3)[file] for file, row in found)


def test_locate_of_a_range_is_a_part_of_the_whole() -> None:
    whole = locate(0, 8, LAYERS, TAKEN, AVAILABLE, FILES)
    assert locate(3, 4, LAYERS, TAKEN, AVAILABLE, FILES).tolist() == whole[:, 3:7].tolist()


def test_position_of_inverts_locate_and_knows_what_is_not_taken() -> None:
    files, rows = locate(0, 8, LAYERS, TAKEN, AVAILABLE, FILES)
    taken = (FILES[files] + rows).tolist()
    assert [position_of(row, LAYERS, TAKEN, AVAILABLE) for row in taken] == list(range(8))
    rest = sorted(set(range(12)) - set(taken))
    assert [position_of(row, LAYERS, TAKEN, AVAILABLE) for row in rest] == [-1] * 4


def test_taking_more_of_a_source_keeps_its_rows() -> None:
    def first(count: int) -> set[int]:
        taken = np.array([0, count, count + 3])
        files, rows = locate(0, count + 3, LAYERS, taken, AVAILABLE, FILES)
        return {int(FILES[file] + row) for file, row in zip(files, rows, strict=True) if file < 2}

    assert first(3) < first(5) < first(9)
