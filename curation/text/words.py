"""The scan that every count of words shares: the words of a document, a few thousand bytes at a time.

Words are those of str.split() that have any character that can be seen: one of UNSEEN characters alone, as often in an
otherwise empty line, is none. They are never stored for a whole batch: a kernel holds the bounds of one piece of a
document, which fit into the first-level cache.

    scan = word_scan()
    begin_words(scan, start, stop)
    while more_words(scan):
        for word in range(next_words(data, scan)):
            scan.bounds[2 * word] <= its bytes < scan.bounds[2 * word + 1]

A word has scan.marks[2 * word + 1] - scan.marks[2 * word] characters.
"""

from typing import NamedTuple

import numpy as np

from curation.text.kernels.blocks import BLOCK, REACH, character_bits, eight_bytes, first_bits, space_bits, window
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import below, folded_product, load8, lowest, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.mix64 import GOLDEN
from curation.text.kernels.unicode import UNSEEN_RANGES, decode, unseen

PIECE = 2048  # bytes; a multiple of BLOCK
# Every bound in a piece (an open start, one per byte, the last stop), and eight to spare.
_BOUNDS = PIECE + 16

_AT, _END, _OPEN, _SPILL, _CHARACTERS, _WORDS = range(6)
_STATE = 6

_ONE = np.uint64(1)
# Bit k is set if a character that is UNSEEN begins with byte 0xC2 + k.
_LEADS = np.uint64(sum(1 << lead - 0xC2 for lead in {chr(first).encode()[0] for first, _ in UNSEEN_RANGES}))
_LEAST_LEAD = 0xC2
# A span that begins with one of these would hash to 0 whatever follows; they are not UTF-8.
FIRST = np.uint64(0xFF51AFD7ED558CFF)
LAST = np.uint64(0xFFCEB9FE1A85ECFF)


class WordScan(NamedTuple):
    """The state of a scan, and the words of its last piece."""

    state: Out[Indices]  # int64[_STATE]
    bounds: Out[Indices]  # int64[_BOUNDS]: the bytes where each word begins and ends
    marks: Out[Indices]  # int64[_BOUNDS]: characters of the document before each bound
    pad: Out[Bytes]  # uint8[REACH], see `window`


@kernel
def word_scan() -> WordScan:
    """A scan, which can be used for any number of documents."""
    bounds = np.zeros(_BOUNDS, np.int64)
    marks = np.zeros(_BOUNDS, np.int64)
    return WordScan(np.zeros(_STATE, np.int64), bounds, marks, np.zeros(REACH, np.uint8))


@kernel
def begin_words(scan: WordScan, start: int, stop: int) -> None:
    """Begin with the document data[start:stop]."""
    scan.state[:] = 0
    scan.state[_AT] = start
    scan.state[_END] = stop


@kernel
def more_words(scan: WordScan) -> bool:
    """Whether a piece is left."""
    return bool(scan.state[_AT] < scan.state[_END])


@kernel
def _unseen_word(data: Bytes, at: Int, stop: Int) -> bool:
    """Whether the word data[at:stop] has UNSEEN characters alone."""
    while at < stop:
        lead = np.int64(data[at]) - _LEAST_LEAD
        if lead < 0 or _LEADS >> np.uint64(lead) & _ONE == np.uint64(0):
            return False
        code, size = decode(data, at, stop)
        if not unseen(code):
            return False
        at += size
    return True


@kernel
def _seen(data: Bytes, bounds: Out[Indices], marks: Out[Indices], filled: int) -> int:
    """Take the words that cannot be seen out of the first `filled` bounds and marks; returns how many bounds remain."""
    left = 0
    for k in range(0, filled - 1, 2):
        if data[bounds[k]] >= _LEAST_LEAD and _unseen_word(data, bounds[k], bounds[k + 1]):
            continue
        if left < k:
            bounds[left], bounds[left + 1] = bounds[k], bounds[k + 1]
            marks[left], marks[left + 1] = marks[k], marks[k + 1]
        left += 2
    if filled & 1:
        bounds[left], marks[left] = bounds[filled - 1], marks[filled - 1]
        left += 1
    return left


@kernel
def next_words(data: Bytes, scan: WordScan) -> int:
    """Find the words that end in the next piece of a document. Returns how many.

    Eight bounds are written at a time, since a loop over their exact number would be mispredicted; the next ones
    overwrite any excess.
    """
    state, bounds, marks, pad = scan
    filled = state[_OPEN]
    bounds[0] = bounds[2 * state[_WORDS]]
    marks[0] = marks[2 * state[_WORDS]]
    at = state[_AT]
    end = min(state[_END], state[_AT] + PIECE)
    spill = np.uint64(state[_SPILL])
    inside = np.uint64(state[_OPEN])
    characters = state[_CHARACTERS]
    others = np.uint64(filled)  # not 0 if there may be anything but ASCII
    while at < end:
        address = window(data, at, pad)
        others |= ~below(address, _LEAST_LEAD)
        left = state[_END] - at
        spaces, next_spill = space_bits(address, left)
        words = ~(spaces | spill) & first_bits(left)
        heads = character_bits(address) & first_bits(left)
        edges = words ^ (words << _ONE | inside)
        first = filled
        filled = filled + ones(edges)
        while first < filled:
            for k in range(8):
                place = lowest(edges)
                edges &= edges - _ONE
                bounds[first + k] = at + place
                marks[first + k] = characters + ones(heads & first_bits(place))
            first += 8
        inside = words >> np.uint64(63)
        spill = next_spill
        characters += ones(heads)
        at += BLOCK
    if inside and at >= state[_END]:
        bounds[filled] = state[_END]
        marks[filled] = characters
        inside = np.uint64(0)
        filled += 1
    if others:
        filled = _seen(data, bounds, marks, filled)
    state[_AT] = at
    state[_OPEN] = np.int64(inside)
    state[_SPILL] = np.int64(spill)
    ended: int = filled >> 1
    state[_CHARACTERS] = characters
    state[_WORDS] = ended
    return ended


@kernel
def sketch(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A hash of a span's length and its first and last eight bytes, and so of all of a span of up to 16 bytes.

    The span, not empty, is bytes [start, stop) of an array of `size` bytes at address `base`.
    """
    length = stop - start
    count = min(length, 8)
    first = eight_bytes(base, start, count, size)
    last = eight_bytes(base, stop - count, count, size)
    return folded_product(first ^ FIRST, (last + np.uint64(length) * GOLDEN) ^ LAST)


@kernel
def span_hash(base: np.uint64, start: int, stop: int, size: int) -> np.uint64:
    """A 64-bit hash of a whole span; arguments as for `sketch`."""
    value = sketch(base, start, stop, size)
    at = start + 8
    while at + 8 < stop:
        value = folded_product(value ^ FIRST, load8(base + np.uint64(at)) ^ LAST)
        at += 8
    return value
