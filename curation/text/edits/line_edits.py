"""Edits to the few lines that need one: a compiled glance finds them, whatever edits them sees only those.

N documents, S lines found. A line goes with its line break here, so that the texts are what lies between put together.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, below, copy_bytes, equal, first_bits, lowest, taken, window
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.unicode import decode
from curation.text.kernels.views import read_only
from curation.text.spans import Bounds, Spans, room_for, spans_of

Table: TypeAlias = npt.NDArray[np.uint8]
CODES = 0x110000
KINDS = 16  # of characters, at most

_NEWLINE = 10


class Glance(NamedTuple):
    """What makes a line worth a closer look: two neighbours of certain kinds. Two ASCII characters never do."""

    kinds: Table  # uint8[CODES], the kind of each code point, below KINDS
    leads: Table  # uint8[256 * 256], 1 for the first two bytes of a character of another kind than 0
    pairs: Table  # uint8[KINDS^2], 1 at left * KINDS + right for a pair that matters


def glance(kinds: Table, pairs: Table) -> Glance:
    """From the kinds of code points and the pairs. Before a text's first character stands one of kind 0."""
    return read_only(Glance(kinds, lead_bytes(kinds), pairs))


def lead_bytes(kinds: Table) -> Table:
    """uint8[256 * 256]: 1 at 256 * first + second byte of characters beyond ASCII of which uint8[CODES] is not 0."""
    leads = np.zeros(256 * 256, np.uint8)
    for code in np.flatnonzero(kinds).tolist():
        first, *others = chr(code).encode(errors="surrogatepass")
        if others:
            leads[256 * first + others[0]] = 1
    return leads


def lines_with(array: pa.Array | pa.ChunkedArray, what: Glance) -> Spans:
    """The lines of text[N] in which two neighbours are of kinds that matter; none of the other lines."""
    data, offsets = text_buffers(array)
    bounds = room_for(int(np.count_nonzero(data[offsets[0] : offsets[-1]] == _NEWLINE)) + len(offsets), offsets)
    _find(data, offsets, what, bounds)
    return spans_of(data, bounds)


def texts_of(lines: Spans) -> pa.Array:
    """large_string[S]: the lines as texts of their own."""
    return text_array(*taken(lines.data, lines.starts, lines.stops))


def replaced(array: pa.Array | pa.ChunkedArray, lines: Spans, by: pa.Array) -> pa.Array:
    """large_string[N]: text[N] with its `lines`, as `lines_with` found them, replaced by those in `by`, string[S]."""
    data, offsets = text_buffers(array)
    new, bounds = text_buffers(by)
    grown = int(bounds[-1] - bounds[0]) - int((lines.stops - lines.starts).sum())
    out = np.empty(int(offsets[-1] - offsets[0]) + grown, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    _replace(data, offsets, lines.starts, lines.stops, lines.first, new, bounds, out, ends)
    return text_array(out, ends)


def count_changed(lines: Spans, by: pa.Array) -> Indices:
    """int64[S]: characters of each line from its first to its last one that `by`, string[S], has otherwise.

    At least 1 for a line that is not the same.
    """
    return _count_changed(lines.data, lines.starts, lines.stops, *text_buffers(by))


@kernel
def _line_end(data: Bytes, at: Int, stop: Int, pad: Out[Bytes]) -> Int:
    """The byte after the line break that follows byte `at`, or `stop`."""
    while at < stop:
        bits = equal(window(data, at, pad), _NEWLINE) & first_bits(stop - at)
        if bits:
            return at + lowest(bits) + 1
        at += BLOCK
    return stop


@kernel
def _next_match(
    data: Bytes, begin: Int, after: Int, stop: Int, pad: Out[Bytes], kinds: Table, leads: Table, pairs: Table
) -> Int:
    """The first character of several bytes from byte `after` on that makes a pair with a neighbour; `stop` for none.

    Goes from one such character of the text, data[begin:stop], to the next.
    """
    last: Int = 0  # the kind of such a character that ends at `last_end`
    last_end: Int = -1
    for block in range(after, stop, BLOCK):
        bits = ~below(window(data, block, pad), 0xC0) & first_bits(stop - block)
        while bits:
            at = block + lowest(bits)
            bits &= bits - np.uint64(1)
            left: Int = 0
            if last_end == at:
                left = last
            elif at > begin and data[at - 1] < 0x80:
                left = np.int64(kinds[data[at - 1]])
            kind: Int = 0
            size: Int = 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
            if at + 1 < stop and leads[256 * np.int64(data[at]) + data[at + 1]]:
                code, size = decode(data, at, stop)
                kind = np.int64(kinds[code])
            end = at + size
            if pairs[left * KINDS + kind]:
                return at
            if end < stop and data[end] < 0x80 and pairs[kind * KINDS + np.int64(kinds[data[end]])]:
                return at
            last, last_end = kind, end
    return stop


@kernel
def _find(data: Bytes, offsets: Indices, what: Glance, out: Bounds) -> None:
    pad, line, (starts, stops, first) = np.empty(REACH, np.uint8), 0, out
    kinds, leads, pairs = what
    for document in range(offsets.size - 1):
        begin, stop = offsets[document], offsets[document + 1]
        after = begin  # the end of the last line found
        while after < stop:
            at = _next_match(data, begin, after, stop, pad, kinds, leads, pairs)
            if at == stop:
                break
            start = at
            while start > after and data[start - 1] != _NEWLINE:
                start -= 1
            after = _line_end(data, at, stop, pad)
            starts[line], stops[line] = start, after
            line += 1
        first[document + 1] = line


@kernel
def _replace(
    data: Bytes,
    offsets: Indices,
    starts: Indices,
    stops: Indices,
    first: Indices,
    new: Bytes,
    bounds: Indices,
    out: Out[Bytes],
    ends: Out[Indices],
) -> None:
    to: Int = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        for line in range(first[document], first[document + 1]):
            to = copy_bytes(data, at, starts[line], out, to)
            to = copy_bytes(new, bounds[line], bounds[line + 1], out, to)
            at = stops[line]
        to = copy_bytes(data, at, offsets[document + 1], out, to)
        ends[document + 1] = to


@kernel
def _count_changed(data: Bytes, starts: Indices, stops: Indices, new: Bytes, bounds: Indices) -> Indices:
    """Compared byte by byte from both ends; a byte that continues a character counts with it."""
    counts = np.zeros(starts.size, np.int64)
    for line in range(starts.size):
        start, stop, other, other_stop = starts[line], stops[line], bounds[line], bounds[line + 1]
        while start < stop and other < other_stop and data[start] == new[other]:
            start, other = start + 1, other + 1
        while start < stop and other < other_stop and data[stop - 1] == new[other_stop - 1]:
            stop, other_stop = stop - 1, other_stop - 1
        changed = start < stop or other < other_stop
        while start > starts[line] and start < stops[line] and data[start] & 0xC0 == 0x80:
            start -= 1
        for at in range(start, stop):
            counts[line] += (data[at] & 0xC0) != 0x80
        counts[line] = max(counts[line], np.int64(changed))
    return counts
