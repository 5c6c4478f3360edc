"""Cuts phrases of a page's frame from lines, such as "Read more…" after a teaser."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from curation.text.kernels.blocks import copy_bytes
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.unicode import Classes, before_spaces, classes, strip
from curation.text.lines import Lines
from curation.text.matches import Bools
from curation.text.phrases.line_phrases import lower_phrases, phrase_at, phrase_before


@dataclass(frozen=True, kw_only=True)
class Boilerplate:
    """Phrases in lower case, matched in any case, by their place in a line."""

    anywhere: tuple[str, ...] = ()
    at_start: tuple[str, ...] = ()
    at_end: tuple[str, ...] = ()


class _Phrases(NamedTuple):
    """Bytes and offsets of each kind."""

    anywhere: Bytes
    offsets: Indices
    heads: Bytes
    head_offsets: Indices
    tails: Bytes
    tail_offsets: Indices


class _Out(NamedTuple):
    """The edited lines (see `Lines`), and whether each lost something."""

    data: Out[Bytes]
    begins: Out[Indices]
    ends: Out[Indices]
    starts: Out[Indices]
    stops: Out[Indices]
    edited: Out[Bools]


def without(lines: Lines, chosen: Bools, phrases: Boilerplate) -> tuple[Lines, Bools]:
    """Cut the phrases from the lines in `chosen`, bool[S]. Returns the lines, and bool[S]: whether each lost something.

    The whitespace before a phrase and around an edited line goes too. Cuts repeat while they leave new phrases. A line
    without other text becomes blank.
    """
    data = np.empty(int((lines.ends - lines.begins).sum()), np.uint8)
    begins = np.empty_like(lines.starts)
    ends = np.empty_like(lines.starts)
    starts = np.empty_like(lines.starts)
    stops = np.empty_like(lines.starts)
    edited = np.zeros(len(lines.starts), np.bool_)
    cut = _Phrases(*lower_phrases(phrases.anywhere), *lower_phrases(phrases.at_start), *lower_phrases(phrases.at_end))
    out = _Out(data, begins, ends, starts, stops, edited)
    _without(lines.data, lines.begins, lines.ends, chosen, read_only(cut), classes(), out)
    return Lines(data, begins, ends, starts, stops, lines.first), edited


@kernel
def _copy_without(
    data: Bytes, begin: Int, end: Int, phrases: _Phrases, table: Classes, out: Out[Bytes], base: Int
) -> Int:
    """Copy data[begin:end] to out[base:] without the phrases `anywhere`. Returns where the copy ends."""
    to = base
    for at in range(begin, end):
        out[to] = data[at]
        to += 1
        size = phrase_before(out, base, to, phrases.anywhere, phrases.offsets)
        if size:
            to = before_spaces(out, base, to - size, table)
    return to


@kernel
def _trim(data: Bytes, start: Int, stop: Int, phrases: _Phrases, table: Classes) -> tuple[Int, Int]:
    """Start and stop without phrases and whitespace at both ends."""
    while True:
        start, stop = strip(data, start, stop, table)
        head = phrase_at(data, start, stop, phrases.heads, phrases.head_offsets)
        tail = phrase_before(data, start + head, stop, phrases.tails, phrases.tail_offsets)
        if head + tail == 0:
            return start, stop
        start += head
        stop -= tail


@kernel
def _without(
    data: Bytes, begins: Indices, ends: Indices, chosen: Out[Bools], phrases: _Phrases, table: Classes, out: _Out
) -> None:
    base: Int = 0
    for line in range(begins.size):
        begin = begins[line]
        end = ends[line]
        to = base + end - begin
        if chosen[line]:
            copied = _copy_without(data, begin, end, phrases, table, out.data, base)
            start, stop = strip(out.data, base, copied, table)
            out.starts[line], out.stops[line] = _trim(out.data, start, stop, phrases, table)
            out.edited[line] = copied < to or out.starts[line] > start or out.stops[line] < stop
        if out.edited[line]:
            out.begins[line], out.ends[line] = out.starts[line], out.stops[line]
        else:
            copy_bytes(data, begin, end, out.data, base)
            out.begins[line] = base
            out.ends[line] = to
            out.starts[line], out.stops[line] = strip(out.data, base, to, table)
        base = to
