"""Lines without the phrases that a page's frame leaves in them, such as "Read more…" behind a teaser."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import types

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import (
    BYTES,
    INDICES,
    INT64_PAIR,
    OUT_BOOLS,
    OUT_BYTES,
    OUT_INT64,
    TABLE,
    Int,
    kernel,
)
from curation.text.kernels.unicode import classes, space_size, strip
from curation.text.lines import Lines
from curation.text.matches import Bools
from curation.text.phrases.line_phrases import lower_phrases, phrase_at, phrase_before


@dataclass(frozen=True, kw_only=True)
class Boilerplate:
    """Phrases in lower case, matched in any, by where in a line they stand."""

    anywhere: tuple[str, ...] = ()
    at_start: tuple[str, ...] = ()
    at_end: tuple[str, ...] = ()


def without(lines: Lines, chosen: Bools, phrases: Boilerplate) -> tuple[Lines, Bools]:
    """(the lines, the chosen ones, bool[S], without the phrases; bool[S] whether a line lost something).

    The whitespace before a phrase goes with it, and that around an edited line. What becomes a phrase only by a cut is
    cut too. A line of nothing else becomes a blank one.
    """
    data = np.empty(int((lines.ends - lines.begins).sum()), np.uint8)
    begins, ends = np.empty_like(lines.starts), np.empty_like(lines.starts)
    starts, stops = np.empty_like(lines.starts), np.empty_like(lines.starts)
    edited = np.zeros(len(lines.starts), np.bool_)
    given = [lower_phrases(some) for some in (phrases.anywhere, phrases.at_start, phrases.at_end)]
    bounds = (begins, ends, starts, stops)
    _without(
        lines.data, lines.begins, lines.ends, chosen, *given[0], *given[1], *given[2], classes(), data, *bounds, edited
    )
    return Lines(data, *bounds, lines.first), edited


@kernel(types.int64(OUT_BYTES, types.int64, types.int64, TABLE))
def _before_spaces(out: Bytes, base: Int, stop: Int, table: npt.NDArray[np.uint16]) -> Int:
    """Where the whitespace that ends at byte `stop` begins, not before `base`."""
    while stop > base:
        at = stop - 1
        while at > base and at > stop - 4 and out[at] & 0xC0 == 0x80:
            at -= 1
        if at + space_size(out, at, stop, table) != stop:
            break
        stop = at
    return stop


@kernel(types.int64(BYTES, types.int64, types.int64, BYTES, INDICES, TABLE, OUT_BYTES, types.int64))
def _copy_without(
    data: Bytes,
    begin: Int,
    end: Int,
    anywhere: Bytes,
    offsets: Indices,
    table: npt.NDArray[np.uint16],
    out: Bytes,
    base: Int,
) -> Int:
    """Copy data[begin:end] to byte `base` of `out` without the phrases; where the copy ends."""
    to = base
    for at in range(begin, end):
        out[to] = data[at]
        to += 1
        size = phrase_before(out, base, to, anywhere, offsets)
        if size:
            to = _before_spaces(out, base, to - size, table)
    return to


@kernel(INT64_PAIR(BYTES, types.int64, types.int64, BYTES, INDICES, BYTES, INDICES, TABLE))
def _trim(
    data: Bytes,
    start: Int,
    stop: Int,
    heads: Bytes,
    head_offsets: Indices,
    tails: Bytes,
    tail_offsets: Indices,
    table: npt.NDArray[np.uint16],
) -> tuple[Int, Int]:
    """Start and stop without the phrases and the whitespace at both ends."""
    while True:
        start, stop = strip(data, start, stop, table)
        head = phrase_at(data, start, stop, heads, head_offsets)
        tail = phrase_before(data, start + head, stop, tails, tail_offsets)
        if head + tail == 0:
            return start, stop
        start, stop = start + head, stop - tail


@kernel(
    types.void(
        *(BYTES, INDICES, INDICES, OUT_BOOLS, BYTES, INDICES, BYTES, INDICES, BYTES, INDICES, TABLE),
        *(OUT_BYTES, OUT_INT64, OUT_INT64, OUT_INT64, OUT_INT64, OUT_BOOLS),
    )
)
def _without(
    data: Bytes,
    begins: Indices,
    ends: Indices,
    chosen: Bools,
    anywhere: Bytes,
    offsets: Indices,
    heads: Bytes,
    head_offsets: Indices,
    tails: Bytes,
    tail_offsets: Indices,
    table: npt.NDArray[np.uint16],
    out: Bytes,
    new_begins: Indices,
    new_ends: Indices,
    starts: Indices,
    stops: Indices,
    edited: Bools,
) -> None:
    base: Int = 0
    for line in range(begins.size):
        begin, end = begins[line], ends[line]
        to = base + end - begin
        if chosen[line]:
            copied = _copy_without(data, begin, end, anywhere, offsets, table, out, base)
            start, stop = strip(out, base, copied, table)
            starts[line], stops[line] = _trim(out, start, stop, heads, head_offsets, tails, tail_offsets, table)
            edited[line] = copied < to or starts[line] > start or stops[line] < stop
        if edited[line]:
            new_begins[line], new_ends[line] = starts[line], stops[line]
        else:
            out[base:to] = data[begin:end]
            new_begins[line], new_ends[line] = base, to
            starts[line], stops[line] = strip(out, base, to, table)
        base = to
