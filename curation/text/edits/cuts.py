"""Cuts spans out of texts so that what was apart stays apart.

The whitespace on both sides of a cut, and a piece between two of which nothing can be seen, becomes one gap. It has the
line breaks of the side with more of them, or those between two lines within the span if these are more, and the
indentation of what follows. Where there is no whitespace on either side, as in Chinese, the gap is a space. No gap
stays at the beginning or end of a text. Everything else is unchanged, byte by byte. N documents, S spans.
"""

import numpy as np
import pyarrow as pa

from curation.text.edits.cut_places import is_mark, joins_at
from curation.text.kernels.blocks import copy_bytes
from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_array, text_buffers
from curation.text.kernels.clusters import Joins, cluster_joins
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import Classes, classes, last_character, strip

_NEWLINE = 10
_RETURN = 13
_SPACE = 32
# A gap: bytes [0, 1) up to its last line break, bytes [2, 3) after it, and its line breaks.
_FROM, _BREAKS_END, _INDENT, _END, _BREAKS = range(5)
_GAP = 5


def without_spans(text: pa.Array, spans: pa.Array) -> pa.Array:
    """large_string[N]: text[N] without SPANS[N], which are as `narrowed` returns them. A null text becomes ""."""
    data, offsets = text_buffers(text)
    bounds = spans.flatten()
    starts, stops = (np.array(bounds.field(name), np.int64) for name in ("start", "stop"))
    first = offsets_of(np.asarray(spans.value_lengths()))
    out = np.empty(int(offsets[-1] - offsets[0]), np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    _cut(data, offsets, starts, stops, first, classes(), cluster_joins(), out, ends)
    return text_array(out[: ends[-1]], ends)


@kernel
def _after_breaks(data: Bytes, start: Int, stop: Int) -> Int:
    """The byte after the last line feed of data[start:stop]; `start` if there is none."""
    while stop > start and data[stop - 1] != _NEWLINE:
        stop -= 1
    return stop


@kernel
def _widen(data: Bytes, start: Int, stop: Int, gap: Out[Indices]) -> None:
    """Merge the whitespace data[start:stop], which follows a cut, into the gap before that cut."""
    middle = _after_breaks(data, start, stop)
    breaks = 0
    for at in range(start, middle):
        breaks += data[at] == _NEWLINE
    if start < stop and (breaks > 0 or gap[_BREAKS] == 0):
        gap[_INDENT] = middle
        gap[_END] = stop
    if breaks > 0 and breaks >= gap[_BREAKS]:
        gap[_FROM] = start
        gap[_BREAKS_END] = middle
        gap[_BREAKS] = breaks


@kernel
def _inside(data: Bytes, start: Int, stop: Int, gap: Out[Indices]) -> None:
    """Let the gap have as many line breaks as stand between any two lines of the span data[start:stop]."""
    breaks: Int = 0
    begin: Int = start
    for at in range(start, stop):
        if data[at] == _NEWLINE:
            if breaks == 0:
                begin = at - 1 if at > start and data[at - 1] == _RETURN else at
            breaks += 1
            if breaks > gap[_BREAKS]:
                gap[:] = 0
                gap[_FROM] = begin
                gap[_BREAKS_END] = at + 1
                gap[_BREAKS] = breaks
        elif data[at] > _SPACE:
            breaks = 0


@kernel
def _write_gap(data: Bytes, gap: Indices, out: Out[Bytes], to: Int) -> Int:
    """Write the gap, or a space if it is empty; returns where it ends."""
    begin = to
    to = copy_bytes(data, gap[_FROM], gap[_BREAKS_END], out, to)
    to = copy_bytes(data, gap[_INDENT], gap[_END], out, to)
    if to == begin:
        out[to] = _SPACE
        to += 1
    return to


@kernel
def _keep(
    data: Bytes,
    start: Int,
    stop: Int,
    cut_before: bool,
    cut_after: bool,
    table: Classes,
    joins: Joins,
    gap: Out[Indices],
    out: Out[Bytes],
    begin: Int,
    to: Int,
) -> Int:
    """Write the piece data[start:stop] between two cuts, with the gap before it. `gap` then holds the whitespace at its
    end."""
    solid, last = strip(data, start, stop, table)
    if solid == last and (cut_before or cut_after):
        _widen(data, start, stop, gap)
        return to
    if cut_before and solid > start and is_mark(joins_at(data, solid, stop, joins)[0]):
        solid = last_character(data, start, solid)  # the space that the mark stands on
    if not cut_before:
        solid = start
    elif to > begin:
        _widen(data, start, solid, gap)
        to = _write_gap(data, gap, out, to)
    gap[:] = 0
    if cut_after:
        _widen(data, last, stop, gap)
    else:
        last = stop
    return copy_bytes(data, solid, last, out, to)


@kernel
def _cut(
    data: Bytes,
    offsets: Indices,
    starts: Indices,
    stops: Indices,
    first: Indices,
    table: Classes,
    joins: Joins,
    out: Out[Bytes],
    ends: Out[Indices],
) -> None:
    """Write the texts without their spans, and ends[d + 1]."""
    gap = np.zeros(_GAP, np.int64)
    to: Int = 0
    for document in range(offsets.size - 1):
        begin = to
        at = offsets[document]
        gap[:] = 0
        cut = False
        for span in range(first[document], first[document + 1]):
            start = offsets[document] + starts[span]
            to = _keep(data, at, start, cut, True, table, joins, gap, out, begin, to)
            at = offsets[document] + stops[span]
            _inside(data, start, at, gap)
            cut = True
        to = _keep(data, at, offsets[document + 1], cut, False, table, joins, gap, out, begin, to)
        ends[document + 1] = to
