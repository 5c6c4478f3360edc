"""Every line of many texts, blank ones too: `all_lines` finds them, and `joined` writes those that are kept.

N documents, S lines. Line s stays line s when characters within lines are cut.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, first_bits, space_bits, window
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.instructions import below, equal, lowest, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import UPPER, Classes, class_of, classes, decode, space_size, strip
from curation.text.matches import Bools
from curation.text.spans import Bounds, TextSpans, room_for, spans_of

_NEWLINE = 10
_RETURN = 13


@dataclass(frozen=True, eq=False)
class Lines:
    """The bounds of lines in `data` without their line breaks: whole, and without the whitespace around them."""

    data: Bytes
    begins: Indices  # int64[S], bytes, of the whole line
    ends: Indices
    starts: Indices  # int64[S], without surrounding whitespace; start = stop for a blank line
    stops: Indices
    first: Indices  # int64[N + 1]

    def trimmed(self) -> TextSpans:
        """The lines without the whitespace around them."""
        return spans_of(self.data, Bounds(self.starts, self.stops, self.first))

    def whole(self) -> TextSpans:
        """The lines with the whitespace around them."""
        return spans_of(self.data, Bounds(self.begins, self.ends, self.first))

    def blank(self) -> Bools:
        """bool[S]"""
        blank: Bools = self.starts == self.stops
        return blank


def all_lines(array: pa.Array | pa.ChunkedArray, *, any_break: bool = False) -> Lines:
    """The lines of text[N] as in str.split("\\n"), or with `any_break` str.splitlines(); an empty text has none."""
    data, offsets = text_buffers(array)
    bounds = room_for(int(_count_breaks(data, offsets, any_break)) + len(offsets), offsets)
    starts = np.empty_like(bounds.starts)
    stops = np.empty_like(bounds.stops)
    first = bounds.first
    _find_lines(data, offsets, any_break, classes(), bounds, starts, stops)
    begins, ends, starts, stops = (array[: first[-1]] for array in (*bounds[:2], starts, stops))
    return Lines(data, begins, ends, starts, stops, first)


def joined(lines: TextSpans, kept: Bools, *, blank: Bools | None = None) -> pa.Array:
    """large_string[N]: the lines in `kept` (bool[S]), with a line break between them.

    An empty line also goes between two kept lines if any line between them is in `blank` (bool[S]).
    """
    most = int((lines.stops - lines.starts).sum()) + 2 * len(lines.starts)
    out = np.empty(most, np.uint8)
    ends = np.zeros(len(lines.first), np.int64)
    blanks = np.zeros(len(lines.starts), np.bool_) if blank is None else blank
    _join(lines.data, lines.starts, lines.stops, lines.first, kept, blanks, out, ends)
    return text_array(out[: ends[-1]], ends)


def count_words(lines: TextSpans) -> Indices:
    """int64[S]: whitespace tokens of each line."""
    return _count_words(lines.data, lines.starts, lines.stops)


def longest_words(lines: TextSpans, *, above: int) -> Indices:
    """int64[S]: characters of each line's longest whitespace token; 0 for a line of at most `above` bytes."""
    return _longest_words(lines.data, lines.starts, lines.stops, above, classes())


def count_capitals(lines: TextSpans) -> Indices:
    """int64[S]: capital letters of each line."""
    return _count_capitals(lines.data, lines.starts, lines.stops, classes())


@kernel
def _break_bits(address: np.uint64, any_break: bool) -> np.uint64:
    """The bytes of a block that begin a line break."""
    if not any_break:
        return equal(address, _NEWLINE)
    bits = below(address, 0x0E) & ~below(address, 0x0A) | below(address, 0x1F) & ~below(address, 0x1C)
    c2 = equal(address, 0xC2)
    e2 = equal(address, 0xE2)
    if c2 | e2:
        second = address + np.uint64(1)
        third = address + np.uint64(2)
        bits |= c2 & equal(second, 0x85)
        bits |= e2 & equal(second, 0x80) & (equal(third, 0xA8) | equal(third, 0xA9))
    return bits


@kernel
def _count_breaks(data: Bytes, offsets: Indices, any_break: bool) -> int:
    """At least as many as `_find_lines` finds, since a break across two texts counts here."""
    pad = np.empty(REACH, np.uint8)
    count = 0
    at = offsets[0]
    stop = offsets[-1]
    while at < stop:
        count += ones(_break_bits(window(data, at, pad), any_break))
        at += BLOCK
    return count


@kernel
def _find_lines(
    data: Bytes,
    offsets: Indices,
    any_break: bool,
    table: Classes,
    out: Bounds,
    starts: Out[Indices],
    stops: Out[Indices],
) -> None:
    """Fill the parts of `Lines`."""
    pad = np.empty(REACH, np.uint8)
    line = 0
    begins, ends, first = out
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
        for block in range(begin, stop, BLOCK):
            bits = _break_bits(window(data, block, pad), any_break) & first_bits(stop - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                size = decode(data, at, stop)[1]
                if any_break and data[at] == _RETURN and at + 1 < stop and data[at + 1] == _NEWLINE:
                    size = 2
                # Skip the line feed of a break already read, and a character that only the next text completes.
                if at >= begin and (data[at] < 0x80 or size > 1):
                    begins[line] = begin
                    ends[line] = at
                    starts[line], stops[line] = strip(data, begin, at, table)
                    line += 1
                    begin = at + size
        if begin < stop or (not any_break and stop > offsets[document]):
            begins[line] = begin
            ends[line] = stop
            starts[line], stops[line] = strip(data, begin, stop, table)
            line += 1
        first[document + 1] = line


@kernel
def _join(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    first: Indices,
    kept: Out[Bools],
    blank: Out[Bools],
    out: Out[Bytes],
    ends: Out[Indices],
) -> None:
    to: Int = 0
    for document in range(first.size - 1):
        begin = to
        gap = False
        for line in range(first[document], first[document + 1]):
            gap |= blank[line]
            if kept[line]:
                if to > begin:
                    out[to] = out[to + 1] = _NEWLINE
                    to += 2 if gap else 1
                to = copy_bytes(data, starts[line], stops[line], out, to)
                gap = False
        ends[document + 1] = to


@kernel
def _count_words(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    """A word begins at each byte that is not whitespace and follows whitespace."""
    pad = np.empty(REACH, np.uint8)
    words = np.zeros(starts.size, np.int64)
    for line in range(starts.size):
        at = starts[line]
        stop = stops[line]
        before = np.uint64(1)  # whitespace right before the block
        spill = np.uint64(0)  # whitespace that spills into it
        while at < stop:
            spaces, next_spill = space_bits(window(data, at, pad), stop - at)
            spaces |= spill
            words[line] += ones(~spaces & (spaces << np.uint64(1) | before) & first_bits(stop - at))
            before = spaces >> np.uint64(63)
            spill = next_spill
            at += BLOCK
    return words


@kernel
def _longest_words(data: Bytes, starts: Indices, stops: Indices, above: int, table: Classes) -> Indices:
    longest = np.zeros(starts.size, np.int64)
    for line in range(starts.size):
        at = starts[line]
        stop = stops[line]
        length: Int = 0
        while at < stop and stop - starts[line] > above:
            size = space_size(data, at, stop, table)
            length = 0 if size else length + np.int64((data[at] & 0xC0) != 0x80)
            longest[line] = max(longest[line], length)
            at += max(size, 1)
    return longest


@kernel
def _count_capitals(data: Bytes, starts: Indices, stops: Indices, table: Classes) -> Indices:
    """ASCII capitals (A is 65, Z is 90) are counted by block."""
    pad = np.empty(REACH, np.uint8)
    counts = np.zeros(starts.size, np.int64)
    for line in range(starts.size):
        stop = stops[line]
        for block in range(starts[line], stop, BLOCK):
            address = window(data, block, pad)
            inside = first_bits(stop - block)
            counts[line] += ones(below(address, 91) & ~below(address, 65) & inside)
            leads = ~below(address, 0xC0) & inside
            while leads:
                code, _ = decode(data, block + lowest(leads), stop)
                counts[line] += class_of(table, code) & UPPER != 0
                leads &= leads - np.uint64(1)
    return counts
