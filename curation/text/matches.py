"""Which spans of text hold characters of a class or one of a few phrases. S spans, P phrases."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers
from curation.text.kernels.compiler.kernel import kernel
from curation.text.kernels.unicode import Classes, class_of, classes, decode, last_character
from curation.text.spans import TextSpans

Bools = npt.NDArray[np.bool_]


def consists_of_class(spans: TextSpans, flags: int) -> Bools:
    """bool[S]: whether every character of a span is in one of the classes in `flags` (see `unicode`)."""
    return _consists_of_class(spans.data, spans.starts, spans.stops, classes(), flags)


def starts_with_class(spans: TextSpans, flags: int) -> Bools:
    """bool[S]: whether the first character of a span is in one of the classes in `flags`."""
    return _end_of_class(spans.data, spans.starts, spans.stops, classes(), flags, False)


def starts_with(spans: TextSpans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span begins with one of the phrases."""
    return _end_is(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases), False)


def contains(spans: TextSpans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span contains one of the phrases."""
    return _contains(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def ends_with(spans: TextSpans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span ends with one of the phrases."""
    return _end_is(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases), True)


def ends_with_class(spans: TextSpans, flags: int) -> Bools:
    """bool[S]: whether the last character of a span is in one of the classes in `flags`."""
    return _end_of_class(spans.data, spans.starts, spans.stops, classes(), flags, True)


@kernel
def _consists_of_class(data: Bytes, starts: Indices, stops: Indices, table: Classes, flags: int) -> Bools:
    matching = np.ones(starts.size, np.bool_)
    for span in range(starts.size):
        at = starts[span]
        stop = stops[span]
        while at < stop:
            code, size = decode(data, at, stop)
            if not class_of(table, code) & flags:
                matching[span] = False
                break
            at += size
    return matching


@kernel
def _end_of_class(data: Bytes, starts: Indices, stops: Indices, table: Classes, flags: int, last: bool) -> Bools:
    matching = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        start = starts[span]
        stop = stops[span]
        if start < stop:
            at = last_character(data, start, stop) if last else start
            code, size = decode(data, at, stop)
            matching[span] = class_of(table, code) & flags != 0 and (at + size == stop or not last)
    return matching


@kernel
def _end_is(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices, last: bool) -> Bools:
    matching = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for phrase in range(offsets.size - 1):
            first = offsets[phrase]
            end = offsets[phrase + 1]
            at = max(starts[span], stops[span] - (end - first)) if last else starts[span]
            matching[span] |= stands_at(data, at, stops[span], phrases, first, end)
    return matching


@kernel
def _contains(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    matching = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for at in range(starts[span], stops[span]):
            for phrase in range(offsets.size - 1):
                if data[at] == phrases[offsets[phrase]]:
                    matching[span] |= stands_at(data, at, stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return matching
