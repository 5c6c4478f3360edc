"""Cuts citation markers of wikis, [1] and [citation needed], from lines."""

import numpy as np

from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, first_bits, stands_at, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers
from curation.text.kernels.compiler.instructions import equal
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import DECIMAL, Classes, class_of, classes, decode, last_character
from curation.text.lines import Lines
from curation.text.spans import Bounds, spans_of

MARKERS = ("edit", "citation needed")  # allowed in the brackets besides digits

_OPEN = 91
_CLOSE = 93


def without_citations(lines: Lines, *, nested: bool) -> tuple[Lines, Indices]:
    """(the lines without markers and surrounding whitespace, int64[S]: markers cut from each).

    A marker is square brackets around decimal digits of any script, around one of MARKERS as written, or around
    nothing. With `nested`, markers that a cut leaves behind are cut too: "[[1]2]" becomes empty, otherwise "[2]".
    No line is dropped; some may become blank.
    """
    data = np.empty(int((lines.stops - lines.starts).sum()), np.uint8)
    begins = np.empty_like(lines.starts)
    ends = np.empty_like(lines.starts)
    removed = np.zeros(len(lines.starts), np.int64)
    phrases = phrase_buffers([f"[{marker}" for marker in MARKERS])
    _cut(lines.data, lines.starts, lines.stops, *phrases, classes(), nested, data, begins, ends, removed)
    trimmed = spans_of(data, Bounds(begins, ends, lines.first)).stripped()
    return Lines(data, begins, ends, trimmed.starts, trimmed.stops, lines.first), removed


@kernel
def _has_byte(data: Bytes, at: Int, stop: Int, byte: int, pad: Out[Bytes]) -> bool:
    while at < stop:
        if equal(window(data, at, pad), byte) & first_bits(stop - at):
            return True
        at += BLOCK
    return False


@kernel
def _before_digits(out: Out[Bytes], least: Int, to: Int, table: Classes) -> Int:
    """Where the decimal digits at the end of out[least:to] begin; `to` if there are none."""
    while to > least:
        at = last_character(out, least, to)
        code, size = decode(out, at, to)
        if at + size != to or not class_of(table, code) & DECIMAL:
            break
        to = at
    return to


@kernel
def _marker_start(out: Out[Bytes], least: Int, to: Int, phrases: Bytes, offsets: Indices, table: Classes) -> Int:
    """Where the marker begins whose closing bracket comes at byte `to`; -1 if there is none."""
    digits = _before_digits(out, least, to, table)
    if digits > least and out[digits - 1] == _OPEN:
        return digits - 1
    for phrase in range(offsets.size - 1):
        size: Int = offsets[phrase + 1] - offsets[phrase]
        if to - size >= least and stands_at(out, to - size, to, phrases, offsets[phrase], offsets[phrase + 1]):
            return to - size
    return -1


@kernel
def _cut(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    phrases: Bytes,
    offsets: Indices,
    table: Classes,
    nested: bool,
    out: Out[Bytes],
    begins: Out[Indices],
    ends: Out[Indices],
    removed: Out[Indices],
) -> None:
    pad = np.empty(REACH, np.uint8)
    to: Int = 0
    for line in range(starts.size):
        begin = least = to
        if not _has_byte(data, starts[line], stops[line], _CLOSE, pad):
            to = copy_bytes(data, starts[line], stops[line], out, to)
            begins[line] = begin
            ends[line] = to
            continue
        for at in range(starts[line], stops[line]):
            byte = data[at]
            if byte == _CLOSE:
                start = _marker_start(out, least, to, phrases, offsets, table)
                if start >= 0:
                    to = start
                    least = begin if nested else to
                    removed[line] += 1
                    continue
            out[to] = byte
            to += 1
        begins[line] = begin
        ends[line] = to
