"""The words of one document after another, a few thousand bytes at a time: the scan that every count of words shares.

A word is a run of characters without whitespace, whitespace being what str.split() splits at. Words are never stored
for a whole batch: a kernel holds the bounds of one piece of a document, which stay in the processor's first cache.

    scan[AT], scan[END], … = begin, end     (`begin_words`)
    while scan[AT] < scan[END]:
        for word in range(next_words(…)): bounds[2 * word] <= its bytes < bounds[2 * word + 1]

`marks` hold the characters of the document before each bound, so that a word has marks[2 * word + 1] - marks[2 * word].
"""

import numpy as np
from numba import types

from curation.text.kernels.blocks import (
    BLOCK,
    character_bits,
    first_bits,
    folded_product,
    load1,
    load8,
    lowest,
    ones,
    space_bits,
    window,
)
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import BYTES, OUT_BYTES, OUT_INT64, kernel
from curation.text.kernels.mix64 import GOLDEN

PIECE = 2048  # bytes; a multiple of BLOCK
# Places for every bound in a piece (a start waiting for its stop, one per byte, the last stop), and eight to spare.
BOUNDS = PIECE + 16

AT, END, _OPEN, _SPILL, _CHARACTERS, _WORDS = range(6)
SCAN = 6  # length of `scan`, int64

_ONE = np.uint64(1)
# No bytes of UTF-8: a word that begins with one of these would hash to 0 whatever else it holds.
FIRST = np.uint64(0xFF51AFD7ED558CFF)
LAST = np.uint64(0xFFCEB9FE1A85ECFF)


@kernel(types.void(OUT_INT64, types.int64, types.int64))
def begin_words(scan: Indices, start: int, stop: int) -> None:
    """Set `scan` int64[SCAN] to the beginning of the document data[start:stop]."""
    scan[:] = 0
    scan[AT], scan[END] = start, stop


@kernel(types.int64(BYTES, OUT_INT64, OUT_INT64, OUT_INT64, OUT_BYTES))
def next_words(data: Bytes, scan: Indices, bounds: Indices, marks: Indices, pad: Bytes) -> int:
    """The words that end in the next piece of a document: how many, their bounds and marks, both int64[BOUNDS].

    `pad` is uint8[REACH]. Eight bounds are written at once, since their number is a branch no processor foresees;
    what is written too much is overwritten by the next ones.
    """
    found = scan[_OPEN]
    bounds[0], marks[0] = bounds[2 * scan[_WORDS]], marks[2 * scan[_WORDS]]
    at, end, spill = scan[AT], min(scan[END], scan[AT] + PIECE), np.uint64(scan[_SPILL])
    inside, characters = np.uint64(scan[_OPEN]), scan[_CHARACTERS]
    while at < end:
        address = window(data, at, pad)
        left = scan[END] - at
        spaces, next_spill = space_bits(address, left)
        words = ~(spaces | spill) & first_bits(left)
        heads = character_bits(address) & first_bits(left)
        edges = words ^ (words << _ONE | inside)
        first, found = found, found + ones(edges)
        while first < found:
            for k in range(8):
                place = lowest(edges)
                edges &= edges - _ONE
                bounds[first + k] = at + place
                marks[first + k] = characters + ones(heads & first_bits(place))
            first += 8
        inside, spill = words >> np.uint64(63), next_spill
        characters += ones(heads)
        at += BLOCK
    if inside and at >= scan[END]:
        bounds[found], marks[found] = scan[END], characters
        inside, found = np.uint64(0), found + 1
    scan[AT], scan[_OPEN], scan[_SPILL] = at, np.int64(inside), np.int64(spill)
    ended: int = found >> 1
    scan[_CHARACTERS], scan[_WORDS] = characters, ended
    return ended


@kernel(types.uint64(types.uint64, types.int64, types.int64, types.int64))
def eight_bytes(base: np.uint64, at: int, count: int, size: int) -> np.uint64:
    """`count` bytes, 1 to 8, from byte `at` on as a little-endian number; `base` and `size` are of the whole array."""
    mask = ~np.uint64(0) >> np.uint64(64 - 8 * count)
    if at + 8 <= size:
        return load8(base + np.uint64(at)) & mask
    if size >= 8:
        return load8(base + np.uint64(size - 8)) >> np.uint64(8 * (at + 8 - size)) & mask
    value = np.uint64(0)
    for k in range(count):
        value |= np.uint64(load1(base + np.uint64(at + k))) << np.uint64(8 * k)
    return value


@kernel(types.uint64(types.uint64, types.int64, types.int64, types.int64))
def sketch(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A hash of the first and the last eight bytes of a span and of its length, so of all of one of up to 16 bytes.

    Equal spans have equal sketches. The span is bytes [start, stop) of `size` at address `base`; it is not empty.
    """
    length = stop - start
    count = min(length, 8)
    first, last = eight_bytes(base, start, count, size), eight_bytes(base, stop - count, count, size)
    return folded_product(first ^ FIRST, (last + np.uint64(length) * GOLDEN) ^ LAST)


@kernel(types.uint64(types.uint64, types.int64, types.int64, types.int64))
def span_hash(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A 64-bit hash of a whole span, arguments as for `sketch`; it differs for different spans but once in 2^64."""
    value = sketch(base, start, stop, size)
    at = start + 8
    while at + 8 < stop:
        value = folded_product(value ^ FIRST, load8(base + np.uint64(at)) ^ LAST)
        at += 8
    return value
