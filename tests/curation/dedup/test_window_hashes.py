"""Rolled hashes of windows: those of the same bytes anywhere, and the polynomials that the docstring states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.window_hashes import POINTS, PRIME, _polynomials, _rolled, hash_windows, leaving
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hash_table import factor, table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import murmur3_by

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
    count = hash_windows(
        content, bounds, starts, stops, first, size, *leaving(size), factor(), hi, lo, row, start, stop
    )
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


@kernel
def write_one_home(out: Out[Bytes], window: Int, one: Hashes, other: Hashes, mask: Int) -> None:
    """Choose each letter such that the window that it ends has the lowest bits, of its first hash, of all."""
    x, y = _polynomials(out, 0, window)
    for at in range(1, out.size - window + 1):
        least = np.uint64(1 << 63)
        chosen: Int = 97
        for letter in range(97, 123):
            out[at + window - 1] = letter
            rolled, _ = _rolled(out, at, window, x, y, one, other)
            home = murmur3_by(rolled, np.uint64(32)) & np.uint64(mask)
            if home < least:
                least = home
                chosen = letter
        out[at + window - 1] = chosen
        x, y = _rolled(out, at, window, x, y, one, other)


def test_a_text_whose_windows_crowd_a_public_table() -> None:
    """Its keys have the lowest 26th of all homes if these are the lowest bits of the hashes: 10^11 steps."""
    size = 400_000
    text = np.full(size, 97, np.uint8)
    text[:20] = np.arange(97, 117)
    write_one_home(text, 20, *leaving(20), int(table_size(size)) - 1)
    found = hashed(text.tobytes(), [0, size], [(0, 0, size - 19)], 20)
    assert [key[3:] for key in found] == [(at, at + 20) for at in range(size - 19)]
