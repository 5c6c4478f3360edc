"""What spans of text contain: classes of characters, fixed phrases at their ends.

S spans, P phrases. Phrases are compared byte by byte, as written.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import types

from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers
from curation.text.kernels.compiled import BYTES, INDICES, OUT_BOOLS, TABLE, kernel
from curation.text.kernels.unicode import class_of, classes, decode
from curation.text.spans import Spans

Bools = npt.NDArray[np.bool_]


def consists_of_class(spans: Spans, flags: int) -> Bools:
    """bool[S]: whether all characters of a span are of one of the classes in `flags`."""
    return _consists_of_class(spans.data, spans.starts, spans.stops, classes(), flags)


def starts_with_class(spans: Spans, flags: int) -> Bools:
    """bool[S]: whether the first character of a span is of one of the classes in `flags`."""
    return _starts_with_class(spans.data, spans.starts, spans.stops, classes(), flags)


def starts_with(spans: Spans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span begins with one of the phrases."""
    return _starts_with(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def contains(spans: Spans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span contains one of the phrases."""
    return _contains(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def ends_with(spans: Spans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span ends with one of the phrases."""
    return _ends_with(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def ends_with_class(spans: Spans, flags: int) -> Bools:
    """bool[S]: whether the last character of a span is of one of the classes in `flags` (see `unicode`)."""
    return _ends_with_class(spans.data, spans.starts, spans.stops, classes(), flags)


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, TABLE, types.int64))
def _consists_of_class(
    data: Bytes, starts: Indices, stops: Indices, table: npt.NDArray[np.uint16], flags: int
) -> Bools:
    found = np.ones(starts.size, np.bool_)
    for span in range(starts.size):
        at, stop = starts[span], stops[span]
        while at < stop:
            code, size = decode(data, at, stop)
            if not class_of(table, code) & flags:
                found[span] = False
                break
            at += size
    return found


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, TABLE, types.int64))
def _starts_with_class(
    data: Bytes, starts: Indices, stops: Indices, table: npt.NDArray[np.uint16], flags: int
) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        if starts[span] < stops[span]:
            code, _ = decode(data, starts[span], stops[span])
            found[span] = class_of(table, code) & flags != 0
    return found


@kernel(types.boolean(BYTES, types.int64, types.int64, BYTES, types.int64, types.int64))
def _same_at(data: Bytes, at: int, stop: int, phrases: Bytes, first: int, last: int) -> bool:
    """Whether phrases[first:last] stands at byte `at` and ends by `stop`."""
    if at + last - first > stop:
        return False
    for k in range(last - first):  # noqa: SIM110  a generator does not compile
        if data[at + k] != phrases[first + k]:
            return False
    return True


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, BYTES, INDICES))
def _starts_with(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for phrase in range(offsets.size - 1):
            found[span] |= _same_at(data, starts[span], stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return found


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, BYTES, INDICES))
def _contains(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for at in range(starts[span], stops[span]):
            for phrase in range(offsets.size - 1):
                if data[at] == phrases[offsets[phrase]]:
                    found[span] |= _same_at(data, at, stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return found


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, BYTES, INDICES))
def _ends_with(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for phrase in range(offsets.size - 1):
            at = stops[span] - (offsets[phrase + 1] - offsets[phrase])
            if at >= starts[span]:
                found[span] |= _same_at(data, at, stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return found


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, TABLE, types.int64))
def _ends_with_class(data: Bytes, starts: Indices, stops: Indices, table: npt.NDArray[np.uint16], flags: int) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        at = stops[span] - 1
        while at > starts[span] and at > stops[span] - 4 and data[at] & 0xC0 == 0x80:
            at -= 1
        if at >= starts[span]:
            code, size = decode(data, at, stops[span])
            found[span] = at + size == stops[span] and class_of(table, code) & flags != 0
    return found
