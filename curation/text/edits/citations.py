"""Citation markers as wikis print them, [1] and [citation needed], cut out of lines."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import types

from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, equal, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers
from curation.text.kernels.compiled import BYTES, INDICES, OUT_BYTES, OUT_INT64, TABLE, Int, kernel
from curation.text.kernels.unicode import DECIMAL, class_of, classes, decode, strip
from curation.text.lines import Lines

MARKERS = ("edit", "citation needed")  # what else than digits may stand in the brackets

_OPEN, _CLOSE = 91, 93


def without_citations(lines: Lines, *, nested: bool, markers: Sequence[str] = MARKERS) -> tuple[Lines, Indices]:
    """(the lines without the whitespace around them and without markers, int64[S] markers that each had).

    A marker is a pair of square brackets around decimal digits of any script, around nothing, or around one of
    `markers` as written. With `nested` also one that only stands there after another was cut: of "[[1]2]" nothing
    stays, else "[2]". Lines stay lines, if blank ones.
    """
    data = np.empty(int((lines.stops - lines.starts).sum()), np.uint8)
    begins, ends = np.empty_like(lines.starts), np.empty_like(lines.starts)
    starts, stops = np.empty_like(lines.starts), np.empty_like(lines.starts)
    removed = np.zeros(len(lines.starts), np.int64)
    phrases = phrase_buffers([f"[{marker}" for marker in markers])
    _cut(lines.data, lines.starts, lines.stops, *phrases, classes(), nested, data, begins, ends, removed)
    _strip_all(data, begins, ends, classes(), starts, stops)
    return Lines(data, begins, ends, starts, stops, lines.first), removed


@kernel(types.boolean(BYTES, types.int64, types.int64, types.int64, OUT_BYTES))
def _has_byte(data: Bytes, at: Int, stop: Int, byte: int, pad: Bytes) -> bool:
    while at < stop:
        if equal(window(data, at, pad), byte) & first_bits(stop - at):
            return True
        at += BLOCK
    return False


@kernel(types.int64(OUT_BYTES, types.int64, types.int64, TABLE))
def _before_digits(out: Bytes, least: Int, to: Int, table: npt.NDArray[np.uint16]) -> Int:
    """Where the decimal digits that end at byte `to` begin, not before `least`."""
    while to > least:
        at = to - 1
        while at > least and at > to - 4 and out[at] & 0xC0 == 0x80:
            at -= 1
        code, size = decode(out, at, to)
        if at + size != to or not class_of(table, code) & DECIMAL:
            break
        to = at
    return to


@kernel(types.int64(OUT_BYTES, types.int64, types.int64, BYTES, INDICES, TABLE))
def _marker_start(
    out: Bytes, least: Int, to: Int, phrases: Bytes, offsets: Indices, table: npt.NDArray[np.uint16]
) -> Int:
    """Where the marker begins whose closing bracket would stand at byte `to`; -1 where there is none."""
    digits = _before_digits(out, least, to, table)
    if digits > least and out[digits - 1] == _OPEN:
        return digits - 1
    for phrase in range(offsets.size - 1):
        size: Int = offsets[phrase + 1] - offsets[phrase]
        same = to - size >= least
        for k in range(size):
            same = same and out[to - size + k] == phrases[offsets[phrase] + k]
        if same:
            return to - size
    return -1


@kernel(
    types.void(
        BYTES, INDICES, INDICES, BYTES, INDICES, TABLE, types.boolean, OUT_BYTES, OUT_INT64, OUT_INT64, OUT_INT64
    )
)
def _cut(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    phrases: Bytes,
    offsets: Indices,
    table: npt.NDArray[np.uint16],
    nested: bool,
    out: Bytes,
    begins: Indices,
    ends: Indices,
    removed: Indices,
) -> None:
    pad = np.empty(REACH, np.uint8)
    to: Int = 0
    for line in range(starts.size):
        begin = least = to
        if not _has_byte(data, starts[line], stops[line], _CLOSE, pad):
            to = copy_bytes(data, starts[line], stops[line], out, to)
            begins[line], ends[line] = begin, to
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
        begins[line], ends[line] = begin, to


@kernel(types.void(OUT_BYTES, INDICES, INDICES, TABLE, OUT_INT64, OUT_INT64))
def _strip_all(
    data: Bytes, begins: Indices, ends: Indices, table: npt.NDArray[np.uint16], starts: Indices, stops: Indices
) -> None:
    for line in range(begins.size):
        starts[line], stops[line] = strip(data, begins[line], ends[line], table)
