"""Words, lines and paragraphs as spans of bytes, found for many documents in one call.

A word is a run of characters without whitespace, whitespace being what str.split() splits at. A line ends at "\\n" and
is taken without the whitespace around it; a blank one is no line. A paragraph is a run of lines without a blank line
between them, from its first line's first character to its last line's last.

N documents, S spans. Spans are in text order and those of document d are first[d] to first[d + 1] - 1.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from curation.text.buffers import Bytes, Indices, text_buffers
from curation.text.compiled import BYTES, INDICES, OUT_INT64, TABLE, kernel
from curation.text.hashing import Hashes, hash_spans
from curation.text.unicode import classes, count_characters, space_leads, space_size, strip

_NEWLINE = 10


@dataclass(frozen=True, eq=False)
class Spans:
    """Pieces of N texts: byte ranges of `data`, and how many characters each holds."""

    data: Bytes
    starts: Indices  # int64[S], bytes
    stops: Indices  # int64[S], bytes
    characters: Indices  # int64[S]
    first: Indices  # int64[N + 1]

    def count(self) -> Indices:
        """int64[N]: spans of each document."""
        return np.diff(self.first)

    def total(self, values: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Indices:
        """int64[N]: sum over each document of one whole number or truth value per span, [S]."""
        running = np.zeros(len(self.starts) + 1, np.int64)
        np.cumsum(values, out=running[1:])
        return running[self.first[1:]] - running[self.first[:-1]]

    def mean(self, values: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """float64[N]: mean over each document's spans, 0 where it has none."""
        return ratio(self.total(values), self.count())

    def hashes(self) -> Hashes:
        """uint64[S]: equal for equal spans; for different ones with a chance of 2^-64 each pair."""
        return hash_spans(self.data, self.starts, self.stops)


def ratio(part: Indices, whole: Indices) -> npt.NDArray[np.float64]:
    """float64[N]: part / whole, 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(whole), np.float64), where=whole != 0)


def word_spans(array: pa.Array | pa.ChunkedArray) -> Spans:
    """Whitespace tokens of text[N]."""
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    # A word takes two bytes, its last one's space among them, but at the end of a text. What stays unused of these
    # arrays is never touched and so takes no memory.
    most = (int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1
    starts, stops, characters = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    _find_words(data, offsets, classes(), space_leads(), starts, stops, characters, first)
    words = int(first[-1])
    return Spans(data, starts[:words], stops[:words], characters[:words], first)


def line_spans(array: pa.Array | pa.ChunkedArray) -> Spans:
    """Lines of text[N] that are not blank, without the whitespace around them."""
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    most = _count_byte(data[offsets[0] : offsets[-1]], _NEWLINE) + len(offsets)
    starts, stops = np.empty(most, np.int64), np.empty(most, np.int64)
    _find_lines(data, offsets, classes(), starts, stops, first)
    starts, stops = starts[: first[-1]], stops[: first[-1]]
    return Spans(data, starts, stops, count_characters(data, starts, stops), first)


def paragraph_spans(array: pa.Array | pa.ChunkedArray) -> Spans:
    """Paragraphs of text[N]; line breaks within count as characters."""
    lines = line_spans(array)
    first = np.zeros_like(lines.first)
    starts, stops = lines.starts.copy(), lines.stops.copy()
    _join_lines(lines.data, lines.first, starts, stops, first)
    starts, stops = starts[: first[-1]], stops[: first[-1]]
    return Spans(lines.data, starts, stops, count_characters(lines.data, starts, stops), first)


@kernel(types.void(BYTES, INDICES, TABLE, BYTES, OUT_INT64, OUT_INT64, OUT_INT64, OUT_INT64))
def _find_words(
    data: Bytes,
    offsets: Indices,
    table: npt.NDArray[np.uint16],
    leads: Bytes,
    starts: Indices,
    stops: Indices,
    characters: Indices,
    first: Indices,
) -> None:
    """Fill the parts of `Spans` for words.

    Branch-free but for rare bytes, as a word's end is a branch no processor foresees: `bounds` counts starts and ends
    of words so far, every byte writes to where the next of each would go, and the last write stays. Unsigned, since a
    signed index costs a test for a negative one.
    """
    one = np.uint64(1)
    bounds = np.uint64(0)
    for document in range(offsets.size - 1):
        at, stop = np.uint64(offsets[document]), np.uint64(offsets[document + 1])
        outside, length = one, np.uint64(0)
        while at < stop:
            space, size = np.uint64(leads[data[at]]), one
            if space > one:
                size = np.uint64(space_size(data, at, stop, table))
                space = np.uint64(size > 0)
                size = max(size, one)
            starts[(bounds + one) >> one], stops[bounds >> one], characters[bounds >> one] = at, at, length
            bounds += space ^ outside
            length = (length + np.uint64((data[at] & 0xC0) != 0x80)) * (one - space)
            outside = space
            at += size
        if outside == 0:
            stops[bounds >> one], characters[bounds >> one] = stop, length
            bounds += one
        first[document + 1] = bounds >> one


@kernel(types.int64(BYTES, types.int64))
def _count_byte(data: Bytes, value: int) -> int:
    count = 0
    for byte in data:
        count += byte == value
    return count


@kernel(types.void(BYTES, INDICES, TABLE, OUT_INT64, OUT_INT64, OUT_INT64))
def _find_lines(
    data: Bytes, offsets: Indices, table: npt.NDArray[np.uint16], starts: Indices, stops: Indices, first: Indices
) -> None:
    """Fill the parts of `Spans` for lines, all but `characters`."""
    line = 0
    for document in range(offsets.size - 1):
        begin, end = offsets[document], offsets[document + 1]
        for at in range(begin, end + 1):
            if at == end or data[at] == _NEWLINE:
                start, stop = strip(data, begin, at, table)
                if start < stop:
                    starts[line], stops[line] = start, stop
                    line += 1
                begin = at + 1
        first[document + 1] = line


@kernel(types.void(BYTES, INDICES, OUT_INT64, OUT_INT64, OUT_INT64))
def _join_lines(data: Bytes, lines: Indices, starts: Indices, stops: Indices, first: Indices) -> None:
    """Turn the bounds of lines, lines[d] being the first line of document d, into those of paragraphs in place."""
    paragraph = 0
    for document in range(lines.size - 1):
        for line in range(lines[document], lines[document + 1]):
            blank = line == lines[document] or _count_byte(data[stops[paragraph - 1] : starts[line]], _NEWLINE) > 1
            if blank:
                starts[paragraph] = starts[line]
                paragraph += 1
            stops[paragraph - 1] = stops[line]
        first[document + 1] = paragraph
