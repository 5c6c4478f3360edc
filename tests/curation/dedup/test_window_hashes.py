"""Rolled hashes of windows: those of the same bytes anywhere, and the polynomials that the docstring states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.window_hashes import POINTS, PRIME, hash_windows, leaving

MASK = 2**64 - 1


def hashed(data: bytes, offsets: list[int], stretches: list[tuple[int, int, int]], size: int) -> list[tuple[int, ...]]:
    """(hi, lo, row, start, stop) of every key; a stretch is (row, first window, one past the last)."""
    starts, stops = (np.array([stretch[i] for stretch in stretches], np.int64) for i in (1, 2))
    first = np.searchsorted([row for row, _, _ in stretches], np.arange(len(offsets)))
    most = int((stops - starts).sum())
    hi = np.empty(most, np.uint64)
    lo = np.empty(most, np.uint64)
    keys = tuple(np.empty(most, np.int64) for _ in range(3))
    row, start, stop = keys
    content = np.frombuffer(data, np.uint8)
    bounds = np.array(offsets, np.int64)
    count = hash_windows(content, bounds, starts, stops, first, size, *leaving(size), hi, lo, row, start, stop)
    return list(zip(*(values[:count].tolist() for values in (hi, lo, *keys)), strict=True))


def slowly(window: bytes) -> tuple[int, int]:
    halves = []
    for point in POINTS:
        value = sum(byte * point ** (len(window) - 1 - k) for k, byte in enumerate(window)) % PRIME
        value = (value ^ (value >> 32)) * 0xFF51AFD7ED558CCD & MASK
        value = (value ^ (value >> 32)) * 0xC4CEB9FE1A85EC53 & MASK
        halves.append(value ^ (value >> 32))
    return halves[0], halves[1]


@given(st.binary(min_size=1, max_size=60), st.integers(1, 20))
def test_each_window_is_hashed_by_its_bytes(data: bytes, size: int) -> None:
    windows = len(data) - size + 1
    if windows > 0:
        found = hashed(data, [0, len(data)], [(0, 0, windows)], size)
        by_hash: dict[tuple[int, ...], set[int]] = {}
        for hi, lo, _, start, stop in found:
            by_hash.setdefault((hi, lo), set()).update(range(start, stop))
        expected: dict[tuple[int, ...], set[int]] = {}
        for at in range(windows):
            expected.setdefault(slowly(data[at : at + size]), set()).update(range(at, at + size))
        assert by_hash == expected


def test_extreme_bytes_do_not_overflow() -> None:
    data = bytes([255] * 40 + [0] * 40 + [255] * 40)
    found = hashed(data, [0, 120], [(0, 0, 101)], 20)
    assert {key[:2] for key in found} == {slowly(data[at : at + 20]) for at in range(101)}


def test_windows_of_several_documents_and_stretches() -> None:
    data = b"abcdefgh--abcdefgh"
    found = hashed(data, [0, 8, 8, 18], [(0, 1, 3), (2, 8, 9), (2, 11, 13)], 4)
    assert [key[2:] for key in found] == [(0, 1, 5), (0, 2, 6), (2, 0, 4), (2, 3, 7), (2, 4, 8)]
    assert [key[:2] for key in found[:2]] == [key[:2] for key in found[3:]]


@pytest.mark.parametrize(
    ("data", "spans"),
    [
        pytest.param(b"abcabcabc", [(0, 9), (1, 7), (2, 8)], id="touching"),
        pytest.param(b"aaaaaa", [(0, 6)], id="overlapping"),
        pytest.param(b"abc-abc", [(0, 3), (1, 4), (2, 5), (3, 6), (4, 7)], id="apart"),
    ],
)
def test_equal_windows_are_one_key_where_they_touch(data: bytes, spans: list[tuple[int, int]]) -> None:
    assert [key[3:] for key in hashed(data, [0, len(data)], [(0, 0, len(data) - 2)], 3)] == spans


def test_the_two_halves_differ_and_both_spread() -> None:
    found = hashed(bytes(range(200)), [0, 200], [(0, 0, 101)], 100)
    for half in (0, 1):
        top = [key[half] >> 60 for key in found]
        assert len(set(top)) == 16
    assert all(key[0] != key[1] for key in found)
