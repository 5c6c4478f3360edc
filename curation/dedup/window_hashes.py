"""128-bit hashes of every window of some stretches of text, rolled from byte to byte.

Source: Karp and Rabin 1987, "Efficient randomized pattern-matching algorithms" (doi:10.1147/rd.312.0249).

A window's hash is two polynomials over its bytes modulo the prime 2^61 - 1, at two fixed points, each then mixed to 64
bits. Two different windows of m bytes agree in both with probability at most (m / 2^61)^2, even for repetitive windows,
for which sums modulo a power of two give no such bound. It is no defence against texts made to collide.
N documents, A stretches, R keys.
"""

from functools import lru_cache

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import mersenne_product
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hash_table import hash_shift, home_of, table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import murmur3_by

PRIME = 2**61 - 1
POINTS = (0x0B5A6C3D9E8F1247, 0x137F4A7C15D6E8FD)  # where the polynomials are evaluated, arbitrary

_P = np.uint64(PRIME)
_X = np.uint64(POINTS[0])
_Y = np.uint64(POINTS[1])
_SHIFT = np.uint64(32)  # not murmur3's, but stored keys depend on it


@lru_cache(maxsize=8)
def leaving(window: int) -> tuple[Hashes, Hashes]:
    """Two uint64[256], one per polynomial: the term that removes a byte which entered `window` bytes ago."""
    powers = [pow(point, window, PRIME) for point in POINTS]
    first, second = (np.array([-byte * power % PRIME for byte in range(256)], np.uint64) for power in powers)
    return first, second


@kernel
def _reduced(value: np.uint64) -> np.uint64:
    """A number below 2^64 modulo the prime."""
    value = (value & _P) + (value >> np.uint64(61))
    return value - _P if value >= _P else value


@kernel
def _windows(starts: Indices, stops: Indices, begin: Int, end: Int) -> int:
    """The number of windows of some stretches."""
    total = 0
    for stretch in range(begin, end):
        total += int(stops[stretch] - starts[stretch])
    return total


@kernel
def _room(starts: Indices, stops: Indices, first: Indices) -> Indices:
    """A table, not filled yet, with room for the keys of any one of the documents."""
    most = 0
    for document in range(first.size - 1):
        most = max(most, _windows(starts, stops, first[document], first[document + 1]))
    return np.empty(table_size(most), np.int64)


@kernel
def _polynomials(data: Bytes, at: Int, window: Int) -> tuple[np.uint64, np.uint64]:
    """Both polynomials of a window, computed from its bytes."""
    x = np.uint64(0)
    y = np.uint64(0)
    for k in range(window):
        byte = np.uint64(data[at + k])
        x = _reduced(mersenne_product(x, _X) + byte)
        y = _reduced(mersenne_product(y, _Y) + byte)
    return x, y


@kernel
def _rolled(
    data: Bytes, at: int, window: Int, x: np.uint64, y: np.uint64, out_one: Hashes, out_other: Hashes
) -> tuple[np.uint64, np.uint64]:
    """Both polynomials of the window at byte `at`, from those of the window one byte before."""
    entering = np.uint64(data[at + window - 1])
    gone = data[at - 1]
    x = _reduced(mersenne_product(x, _X) + out_one[gone] + entering)
    return x, _reduced(mersenne_product(y, _Y) + out_other[gone] + entering)


@kernel
def _slot(slots: Indices, mask: Int, by: np.uint64, hi: Hashes, lo: Hashes, high: np.uint64, low: np.uint64) -> int:
    """Where a table of key numbers, -1 for none, has a hash's latest key or would put it."""
    slot = home_of(high, by, hash_shift(mask + 1))
    while slots[slot] >= 0 and (hi[slots[slot]] != high or lo[slots[slot]] != low):
        slot = (slot + 1) & np.int64(mask)
    return int(slot)


@kernel
def hash_windows(
    data: Bytes,
    offsets: Indices,
    starts: Indices,
    stops: Indices,
    first: Indices,
    window: Int,
    out_one: Hashes,
    out_other: Hashes,
    by: np.uint64,
    hi: Out[Hashes],
    lo: Out[Hashes],
    row: Out[Indices],
    start: Out[Indices],
    stop: Out[Indices],
) -> int:
    """Fill R keys with the hash of each window and the bytes of its text that it covers; returns R, at most the number
    of windows.

    The windows begin at bytes starts[a] to stops[a] - 1 of `data`. Stretches ascend; those of document d are first[d]
    to first[d + 1] - 1. `out_one` and `out_other` are `leaving(window)`, `by` is `factor()`. Windows of a document with
    equal hashes are one key where they overlap or touch, so that a character repeated a million times gives one key.
    """
    keys = 0
    slots = _room(starts, stops, first)
    for document in range(first.size - 1):
        mask = table_size(_windows(starts, stops, first[document], first[document + 1])) - 1
        slots[: mask + 1] = -1
        offset = offsets[document]
        at = -1
        x = y = np.uint64(0)
        for stretch in range(first[document], first[document + 1]):
            for place in range(starts[stretch], stops[stretch]):
                if place != at:
                    x, y = _polynomials(data, place, window)
                else:
                    x, y = _rolled(data, place, window, x, y, out_one, out_other)
                at = place + 1
                high = murmur3_by(x, _SHIFT)
                low = murmur3_by(y, _SHIFT)
                slot = _slot(slots, mask, by, hi, lo, high, low)
                key = int(slots[slot])
                if key < 0 or stop[key] < place - offset:
                    slots[slot] = key = keys
                    hi[key] = high
                    lo[key] = low
                    row[key] = document
                    start[key] = place - offset
                    keys += 1
                stop[key] = place - offset + window
    return keys
