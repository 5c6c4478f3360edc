"""Words, lines and paragraphs as spans of bytes, found for many documents in one call.

Words are those of str.split(). A line ends at "\n"; the whitespace around it is left out, and blank lines do not count.
A paragraph is a run of lines without a blank line between them. `pieces` cuts texts as other rule sets do. What has
nothing but whitespace and characters that are UNSEEN (`curation/text/kernels/unicode.py`) is blank, and no word.

N documents, S spans. Spans are in text order and those of document d are first[d] to first[d + 1] - 1.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.kernels.blocks import BLOCK, REACH, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.instructions import equal, lowest
from curation.text.kernels.compiler.kernel import Byte, Out, kernel
from curation.text.kernels.unicode import UNSEEN, Classes, class_of, classes, decode, strip
from curation.text.sizes import characters_of_spans, count_newlines
from curation.text.words import begin_words, more_words, next_words, word_scan

_NEWLINE = 10
MANY = 2**62  # no limit


@dataclass(frozen=True, eq=False)
class TextSpans:
    """Pieces of N texts as byte ranges of `data`."""

    data: Bytes
    starts: Indices  # int64[S], bytes
    stops: Indices  # int64[S], bytes
    characters: Indices  # int64[S]
    first: Indices  # int64[N + 1]

    def count(self) -> Indices:
        """int64[N]: spans of each document."""
        return np.diff(self.first)

    def total(self, values: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Indices:
        """int64[N]: sum over each document's spans of values[S]."""
        running = offsets_of(values)
        return running[self.first[1:]] - running[self.first[:-1]]

    def mean(self, values: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """float64[N]: mean over each document's spans, 0 if it has none."""
        return ratio(self.total(values), self.count())

    def median(self, values: Indices) -> npt.NDArray[np.float64]:
        """float64[N]: median over each document's spans, 0 if it has none."""
        return _medians(values, self.first)

    def stripped(self) -> "TextSpans":
        """The spans without the whitespace around each; some may become empty."""
        bounds = Bounds(self.starts.copy(), self.stops.copy(), self.first)
        _strip(self.data, classes(), bounds.starts, bounds.stops)
        return spans_of(self.data, bounds)


def ratio(part: Indices, whole: Indices) -> npt.NDArray[np.float64]:
    """float64[…] of the shape of `part`: part / whole, 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(part.shape, np.float64), where=whole != 0)


class Bounds(NamedTuple):
    """The arrays that a kernel fills with the spans it finds; `starts` and `stops` may be longer than needed."""

    starts: Out[Indices]
    stops: Out[Indices]
    first: Out[Indices]


def room_for(most: int, offsets: Indices) -> Bounds:
    """Room for `most` spans of N texts. Untouched room takes no memory."""
    return Bounds(np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(len(offsets), np.int64))


def spans_of(data: Bytes, bounds: Bounds) -> TextSpans:
    """The spans in filled bounds, with their characters counted."""
    first = bounds.first
    starts = bounds.starts[: first[-1]]
    stops = bounds.stops[: first[-1]]
    return TextSpans(data, starts, stops, characters_of_spans(data, starts, stops), first)


@shared
def word_spans(array: pa.Array | pa.ChunkedArray) -> TextSpans:
    """Whitespace tokens of text[N]."""
    data, offsets = text_buffers(array)
    # Each word but a text's last takes two bytes, one for its space.
    bounds = room_for((int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1, offsets)
    characters = np.empty_like(bounds.starts)
    first = bounds.first
    _find_words(data, offsets, bounds, characters)
    return TextSpans(data, bounds.starts[: first[-1]], bounds.stops[: first[-1]], characters[: first[-1]], first)


def line_spans(array: pa.Array | pa.ChunkedArray) -> TextSpans:
    """Lines of text[N]."""
    return pieces(array, least=1, most=1, stripped=True, blank=False)


@shared
def pieces(
    array: pa.Array | pa.ChunkedArray, *, least: int, most: int, stripped: bool, blank: bool, trimmed: bool = False
) -> TextSpans:
    """Text[N] cut at every run of `least` to `most` newlines, which are left out. Lines of UNSEEN characters alone do
    not interrupt a run, as if they were empty.

    `stripped` leaves out the whitespace around each piece. `blank` keeps blank pieces, so that even an empty text has
    one, as with re.split. `trimmed` leaves out the whitespace around the text before it is cut.
    """
    data, offsets = text_buffers(array)
    bounds = room_for(count_newlines(array).sum() + len(offsets), offsets)
    _find_pieces(data, offsets, classes(), least, most, stripped, blank, trimmed, bounds)
    return spans_of(data, bounds)


@shared
def paragraph_spans(array: pa.Array | pa.ChunkedArray) -> TextSpans:
    """Paragraphs of text[N]; line breaks inside them count as characters."""
    lines = line_spans(array)
    bounds = Bounds(lines.starts.copy(), lines.stops.copy(), np.zeros_like(lines.first))
    _join_lines(lines.data, lines.first, bounds)
    return spans_of(lines.data, bounds)


@kernel
def _find_words(data: Bytes, offsets: Indices, out: Bounds, characters: Out[Indices]) -> None:
    scan = word_scan()
    span = 0
    starts, stops, first = out
    bounds = scan.bounds
    marks = scan.marks
    for document in range(offsets.size - 1):
        begin_words(scan, offsets[document], offsets[document + 1])
        while more_words(scan):
            for word in range(next_words(data, scan)):
                starts[span] = bounds[2 * word]
                stops[span] = bounds[2 * word + 1]
                characters[span] = marks[2 * word + 1] - marks[2 * word]
                span += 1
        first[document + 1] = span


@kernel
def _medians(values: Indices, first: Indices) -> npt.NDArray[np.float64]:
    medians = np.zeros(first.size - 1, np.float64)
    for document in range(medians.size):
        start = first[document]
        stop = first[document + 1]
        if start < stop:
            ordered = np.sort(values[start:stop])
            medians[document] = (ordered[(stop - start - 1) // 2] + ordered[(stop - start) // 2]) / 2
    return medians


@kernel
def plain(byte: Byte) -> bool:
    """Whether a byte cannot be part of a whitespace character."""
    return bool(0x20 < byte < 0x80)


@kernel
def _strip(data: Bytes, table: Classes, starts: Out[Indices], stops: Out[Indices]) -> None:
    for span in range(starts.size):
        start = starts[span]
        stop = stops[span]
        if start < stop and not (plain(data[start]) and plain(data[stop - 1])):
            starts[span], stops[span] = strip(data, start, stop, table)


@kernel
def _newlines(data: Bytes, start: int, stop: int, pad: Out[Bytes], places: Out[Indices]) -> int:
    """Fill `places` with the newlines of data[start:stop]. Returns how many."""
    count = 0
    for at in range(start, stop, BLOCK):
        bits = equal(window(data, at, pad), _NEWLINE) & first_bits(stop - at)
        while bits:
            places[count] = at + lowest(bits)
            bits &= bits - np.uint64(1)
            count += 1
    return count


@kernel
def _empty(data: Bytes, start: int, stop: int, table: Classes) -> bool:
    """Whether a line has only UNSEEN characters, or none."""
    while start < stop:
        if data[start] < 0x80:
            return False
        code, size = decode(data, start, stop)
        if class_of(table, code) & UNSEEN == 0:
            return False
        start += size
    return True


@kernel
def _find_pieces(
    data: Bytes,
    offsets: Indices,
    table: Classes,
    least: int,
    most: int,
    stripped: bool,
    blank: bool,
    trimmed: bool,
    out: Bounds,
) -> None:
    starts, stops, first = out
    pad = np.zeros(REACH, np.uint8)
    places = np.empty(starts.size, np.int64)
    piece = 0
    for document in range(offsets.size - 1):
        begin = offsets[document]
        end = offsets[document + 1]
        k = 0
        if trimmed:
            begin, end = strip(data, begin, end, table)
        newlines = _newlines(data, begin, end, pad, places)
        while k <= newlines:
            at = places[k] if k < newlines else end
            run = 1
            while k + run < newlines and run < most and _empty(data, places[k + run - 1] + 1, places[k + run], table):
                run += 1
            k += run
            if run < least and at < end:
                continue
            start = begin
            stop = at
            if begin == at or not (plain(data[begin]) and plain(data[at - 1])):
                start, stop = strip(data, begin, at, table)
            if blank or start < stop:
                starts[piece], stops[piece] = (start, stop) if stripped else (begin, at)
                piece += 1
            begin = places[k - 1] + 1 if at < end else end
        first[document + 1] = piece


@kernel
def _join_lines(data: Bytes, lines: Indices, out: Bounds) -> None:
    """Turn the bounds of lines into those of paragraphs, in place; lines[d] is the first line of document d."""
    starts, stops, first = out
    paragraph = 0
    for document in range(lines.size - 1):
        for line in range(lines[document], lines[document + 1]):
            newlines = 0
            if line > lines[document]:
                for at in range(stops[paragraph - 1], starts[line]):
                    newlines += data[at] == _NEWLINE
            if line == lines[document] or newlines > 1:
                starts[paragraph] = starts[line]
                paragraph += 1
            stops[paragraph - 1] = stops[line]
        first[document + 1] = paragraph
