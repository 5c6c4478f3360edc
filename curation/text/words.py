"""The words of one document after another, a few thousand bytes at a time: the scan that every count of words shares.

A word is a run of characters without whitespace, whitespace being what str.split() splits at. Words are never stored
for a whole batch: a kernel holds the bounds of one piece of a document, which stay in the processor's first cache.

    scan = word_scan()
    begin_words(scan, start, stop)
    while more_words(scan):
        for word in range(next_words(data, scan)):
            scan.bounds[2 * word] <= its bytes < scan.bounds[2 * word + 1]

A word has scan.marks[2 * word + 1] - scan.marks[2 * word] characters.
"""

from typing import NamedTuple

import numpy as np

from curation.text.kernels.blocks import (
    BLOCK,
    REACH,
    character_bits,
    eight_bytes,
    first_bits,
    folded_product,
    load8,
    lowest,
    ones,
    space_bits,
    window,
)
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import Out, kernel
from curation.text.kernels.mix64 import GOLDEN

PIECE = 2048  # bytes; a multiple of BLOCK
# Places for every bound in a piece (a start waiting for its stop, one per byte, the last stop), and eight to spare.
_BOUNDS = PIECE + 16

_AT, _END, _OPEN, _SPILL, _CHARACTERS, _WORDS = range(6)
_STATE = 6

_ONE = np.uint64(1)
# No bytes of UTF-8: a word that begins with one of these would hash to 0 whatever else it holds.
FIRST = np.uint64(0xFF51AFD7ED558CFF)
LAST = np.uint64(0xFFCEB9FE1A85ECFF)


class WordScan(NamedTuple):
    """Where a scan is, and the words of the last piece."""

    state: Out[Indices]  # int64[_STATE]
    bounds: Out[Indices]  # int64[_BOUNDS]: the bytes at which each word begins and ends
    marks: Out[Indices]  # int64[_BOUNDS]: characters of the document before each bound
    pad: Out[Bytes]  # uint8[REACH], see `window`


@kernel
def word_scan() -> WordScan:
    """Room for a scan, of as many documents one after the other as there are."""
    bounds, marks = np.zeros(_BOUNDS, np.int64), np.zeros(_BOUNDS, np.int64)
    return WordScan(np.zeros(_STATE, np.int64), bounds, marks, np.zeros(REACH, np.uint8))


@kernel
def begin_words(scan: WordScan, start: int, stop: int) -> None:
    """Begin with the document data[start:stop]."""
    scan.state[:] = 0
    scan.state[_AT], scan.state[_END] = start, stop


@kernel
def more_words(scan: WordScan) -> bool:
    """Whether a piece is left."""
    return bool(scan.state[_AT] < scan.state[_END])


@kernel
def next_words(data: Bytes, scan: WordScan) -> int:
    """The words that end in the next piece of a document: how many.

    Eight bounds are written at once, since their number is a branch no processor foresees; what is written too much is
    overwritten by the next ones.
    """
    state, bounds, marks, pad = scan
    found = state[_OPEN]
    bounds[0], marks[0] = bounds[2 * state[_WORDS]], marks[2 * state[_WORDS]]
    at, end, spill = state[_AT], min(state[_END], state[_AT] + PIECE), np.uint64(state[_SPILL])
    inside, characters = np.uint64(state[_OPEN]), state[_CHARACTERS]
    while at < end:
        address = window(data, at, pad)
        left = state[_END] - at
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
    if inside and at >= state[_END]:
        bounds[found], marks[found] = state[_END], characters
        inside, found = np.uint64(0), found + 1
    state[_AT], state[_OPEN], state[_SPILL] = at, np.int64(inside), np.int64(spill)
    ended: int = found >> 1
    state[_CHARACTERS], state[_WORDS] = characters, ended
    return ended


@kernel
def sketch(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A hash of the first and the last eight bytes of a span and of its length, so of all of one of up to 16 bytes.

    Equal spans have equal sketches. The span is bytes [start, stop) of `size` at address `base`; it is not empty.
    """
    length = stop - start
    count = min(length, 8)
    first, last = eight_bytes(base, start, count, size), eight_bytes(base, stop - count, count, size)
    return folded_product(first ^ FIRST, (last + np.uint64(length) * GOLDEN) ^ LAST)


@kernel
def span_hash(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A 64-bit hash of a whole span, arguments as for `sketch`; it differs for different spans but once in 2^64."""
    value = sketch(base, start, stop, size)
    at = start + 8
    while at + 8 < stop:
        value = folded_product(value ^ FIRST, load8(base + np.uint64(at)) ^ LAST)
        at += 8
    return value
