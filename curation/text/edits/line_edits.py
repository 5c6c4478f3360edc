"""Finds the few lines that may need an edit, so that slower code sees only those, and puts edited lines back.

N documents, S lines. A line here includes its line break.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, characters_in, copy_bytes, first_bits, gather, window
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.instructions import below, equal, lowest
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.unicode import decode
from curation.text.sizes import count_newlines
from curation.text.spans import Bounds, TextSpans, room_for, spans_of

Table: TypeAlias = npt.NDArray[np.uint8]
CODES = 0x110000
KINDS = 16  # of characters, at most

_NEWLINE = 10


class SuspectPairs(NamedTuple):
    """Pairs of neighbouring characters, by kind, that make a line suspect. Two ASCII characters never do."""

    kinds: Table  # uint8[CODES], the kind of each code point, below KINDS
    leads: Table  # uint8[256 * 256], 1 for the first two bytes of a character of another kind than 0
    pairs: Table  # uint8[KINDS^2], 1 at left * KINDS + right for a suspect pair


def suspect_pairs(kinds: Table, pairs: Table) -> SuspectPairs:
    """A SuspectPairs from kinds of code points and pairs of kinds. A text's first character follows one of kind 0."""
    return read_only(SuspectPairs(kinds, lead_bytes(kinds), pairs))


def lead_bytes(kinds: Table) -> Table:
    """uint8[256 * 256]: 1 at 256 * first + second byte of the non-ASCII characters whose kind is not 0."""
    leads = np.zeros(256 * 256, np.uint8)
    for code in np.flatnonzero(kinds).tolist():
        first, *others = chr(code).encode(errors="surrogatepass")
        if others:
            leads[256 * first + others[0]] = 1
    return leads


def lines_with(array: pa.Array | pa.ChunkedArray, suspect_pairs: SuspectPairs) -> TextSpans:
    """The lines of text[N] that hold a suspect pair."""
    data, offsets = text_buffers(array)
    bounds = room_for(count_newlines(array).sum() + len(offsets), offsets)
    _find(data, offsets, suspect_pairs, bounds)
    return spans_of(data, bounds)


def texts_of(lines: TextSpans) -> pa.Array:
    """large_string[S]: each line as a text."""
    return text_array(*gather(lines.data, lines.starts, lines.stops))


def replaced(array: pa.Array | pa.ChunkedArray, lines: TextSpans, by: pa.Array) -> pa.Array:
    """large_string[N]: text[N] with its `lines` (or other spans) replaced by `by`, string[S]."""
    data, offsets = text_buffers(array)
    new, bounds = text_buffers(by)
    grown = int(bounds[-1] - bounds[0]) - int((lines.stops - lines.starts).sum())
    out = np.empty(int(offsets[-1] - offsets[0]) + grown, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    _replace(data, offsets, lines.starts, lines.stops, lines.first, new, bounds, out, ends)
    return text_array(out, ends)


def count_changed(lines: TextSpans, by: pa.Array) -> Indices:
    """int64[S]: characters of each line from the first to the last that differ from `by`, string[S].

    At least 1 for a line that differs at all.
    """
    return _count_changed(lines.data, lines.starts, lines.stops, *text_buffers(by))


@kernel
def _line_end(data: Bytes, at: Int, stop: Int, pad: Out[Bytes]) -> Int:
    """The byte after the next line break from byte `at`, or `stop`."""
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
    """The first non-ASCII character at or after byte `after` of the text data[begin:stop] that makes a suspect pair
    with a neighbour; `stop` if there is none."""
    last: Int = 0  # the kind of the non-ASCII character that ends at `last_end`
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
            last = kind
            last_end = end
    return stop


@kernel
def _find(data: Bytes, offsets: Indices, suspect_pairs: SuspectPairs, out: Bounds) -> None:
    pad = np.empty(REACH, np.uint8)
    line = 0
    starts, stops, first = out
    kinds, leads, pairs = suspect_pairs
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
        after = begin  # the end of the last suspect line
        while after < stop:
            at = _next_match(data, begin, after, stop, pad, kinds, leads, pairs)
            if at == stop:
                break
            start = at
            while start > after and data[start - 1] != _NEWLINE:
                start -= 1
            after = _line_end(data, at, stop, pad)
            starts[line] = start
            stops[line] = after
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
    """Compares bytes from both ends; a continuation byte belongs to its character."""
    counts = np.zeros(starts.size, np.int64)
    pad = np.empty(REACH, np.uint8)
    for line in range(starts.size):
        start = starts[line]
        stop = stops[line]
        new_start = bounds[line]
        new_stop = bounds[line + 1]
        while start < stop and new_start < new_stop and data[start] == new[new_start]:
            start += 1
            new_start += 1
        while start < stop and new_start < new_stop and data[stop - 1] == new[new_stop - 1]:
            stop -= 1
            new_stop -= 1
        changed = start < stop or new_start < new_stop
        while start > starts[line] and start < stops[line] and data[start] & 0xC0 == 0x80:
            start -= 1
        counts[line] = max(characters_in(data, start, stop, pad), int(changed))
    return counts
