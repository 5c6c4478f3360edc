"""Finds the rows and fields of text with delimiters: RFC 4180 in compiled code, and what spreadsheets write beside it.

A field that begins with the quote ends at the next one that is not doubled; delimiters and line breaks within it are
its own, and what stands between its last quote and the delimiter belongs to it too. Where that has a line break within
its quotes and text behind them, its first quote was none: the row ends with its line, and counts as MALFORMED, so that
a stray quote costs no other row. In other fields a quote is a character like any other. LF, CR LF and CR end a row.
Lines with nothing in them are no rows.

Source: Shafranovich 2005, "Common Format and MIME Type for Comma-Separated Values (CSV) Files" (RFC 4180).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, offsets_of
from curation.text.kernels.compiler.kernel import Int, Out, kernel

NO_QUOTE = -1
MALFORMED = -1  # in place of a row's number of fields
MAX_ROWS = 10_000  # that are found at a time
_LF = 10
_CR = 13
_BLANK = 32
_SOUND, _CUT, _STRAY = range(3)


class Dialect(NamedTuple):
    """The bytes with a meaning; `quote` is NO_QUOTE where no character quotes."""

    delimiter: int
    quote: int


class FoundRows(NamedTuple):
    """R rows, in order: where each begins, how many fields it has, and where those of the C wanted columns lie, quotes
    included; of a column that a row lacks, both are 0. The next row begins at `stop`."""

    offsets: Indices  # int64[R]
    fields: Indices  # int64[R]
    starts: npt.NDArray[np.int64]  # [C, R]
    stops: npt.NDArray[np.int64]
    stop: int


def find_rows(
    data: Bytes, at: int, dialect: Dialect, columns: Indices, *, final: bool, most: int = MAX_ROWS
) -> FoundRows:
    """Up to `most` rows from byte `at` on that end in the data, or with it if it is `final`. `columns` int64[C]: the
    numbers of the wanted columns, each once."""
    place = np.full(int(columns.max(initial=-1)) + 1, -1, np.int64)
    place[columns] = np.arange(len(columns))
    offsets = np.zeros(most, np.int64)
    fields = np.zeros(most, np.int64)
    starts = np.zeros(len(columns) * most, np.int64)  # column by column
    stops = np.zeros(len(columns) * most, np.int64)
    rows, stop = _find(data, at, dialect.delimiter, dialect.quote, final, place, offsets, fields, starts, stops)
    begins, ends = (bounds.reshape(len(columns), most)[:, :rows] for bounds in (starts, stops))
    return FoundRows(offsets[:rows], fields[:rows], begins, ends, stop)


def field_values(data: Bytes, starts: Indices, stops: Indices, quote: int) -> pa.Array:
    """large_binary[N]: fields data[starts:stops] without their quotes."""
    sizes = np.zeros(len(starts), np.int64)
    _copy(data, starts, stops, quote, np.empty(0, np.int64), np.empty(0, np.uint8), sizes)
    offsets = offsets_of(sizes)
    out = np.empty(offsets[-1], np.uint8)
    _copy(data, starts, stops, quote, offsets, out, sizes)
    return pa.Array.from_buffers(pa.large_binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(out)])


@kernel
def _field_end(data: Bytes, at: int, delimiter: int, quote: int, final: bool) -> tuple[int, int]:
    """Where the field that begins at byte `at` ends, and whether it is _SOUND, _CUT by the end of the data, or begins
    with a _STRAY quote."""
    size = data.size
    broken = False
    if at < size and data[at] == quote:
        at += 1
        while at < size:
            if data[at] != quote:
                broken |= data[at] == _LF or data[at] == _CR
                at += 1
            elif at + 1 < size and data[at + 1] == quote:
                at += 2
            else:
                break
        if at == size:  # within quotes, final or not
            return at, _CUT
        at += 1
    behind = at
    while at < size and data[at] != delimiter and data[at] != _LF and data[at] != _CR:
        behind += behind == at and data[at] == _BLANK
        at += 1
    if at == size and not final:
        return at, _CUT
    return at, _STRAY if broken and behind < at else _SOUND


@kernel
def _find(
    data: Bytes,
    at: int,
    delimiter: int,
    quote: int,
    final: bool,
    place: Indices,
    offsets: Out[Indices],
    fields: Out[Indices],
    starts: Out[Indices],
    stops: Out[Indices],
) -> tuple[int, int]:
    size = data.size
    row = 0
    while row < offsets.size:
        while at < size and (data[at] == _LF or data[at] == _CR):  # lines with nothing in them
            at += 1
        if at == size:
            return row, at
        begin = at
        field = 0
        whole = False
        while not whole:
            start = at
            at, state = _field_end(data, start, delimiter, quote, final)
            if state == _CUT:
                return row, begin
            if state == _STRAY:
                field = MALFORMED
                at = begin
                while data[at] != _LF and data[at] != _CR:
                    at += 1
                break
            if field < place.size and place[field] >= 0:
                starts[place[field] * offsets.size + row] = start
                stops[place[field] * offsets.size + row] = at
            field += 1
            whole = at == size or data[at] != delimiter
            at += at < size
        for late in range(max(field, 0), place.size):
            if place[late] >= 0:
                starts[place[late] * offsets.size + row] = 0
                stops[place[late] * offsets.size + row] = 0
        offsets[row] = begin
        fields[row] = field
        row += 1
    return row, at


@kernel
def _copy(
    data: Bytes, starts: Indices, stops: Indices, quote: int, offsets: Indices, out: Out[Bytes], sizes: Out[Indices]
) -> None:
    """Into `sizes` int64[N] the bytes of each field; with `offsets`, also into `out` the fields themselves."""
    for field in range(starts.size):
        at = starts[field]
        stop = stops[field]
        to: Int = offsets[field] if offsets.size else 0
        begin = to
        quoted = at < stop and data[at] == quote
        at += quoted
        while at < stop:
            if quoted and data[at] == quote:
                at += 1
                quoted = at < stop and data[at] == quote
                if not quoted:
                    continue
            if offsets.size:
                out[to] = data[at]
            to += 1
            at += 1
        sizes[field] = to - begin
