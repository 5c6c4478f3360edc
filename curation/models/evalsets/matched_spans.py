"""The bytes of texts that shared n-grams cover, widened to what a method removes around them."""

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.merged_spans import merge_spans

_WORD = 32  # bytes; a longer word, or a script without spaces, is cut where it is
_SPACE = 32


def matched_spans(
    text: pa.Array, row: Indices, start: Indices, stop: Indices, *, context: int = 0, least_piece: int = 0
) -> pa.ListArray:
    """SPANS[N] of text[N] from matches, bytes of their rows' texts.

    Each is widened by `context` characters on both sides, and to the ends of the words there, so that no halves of
    words meet where it is cut. A piece of fewer than `least_piece` characters that would remain between two spans, or
    at an end of the text, goes too.
    """
    data, offsets = text_buffers(text)
    merged = merge_spans(row, start, stop, len(text))
    if context:
        rows, starts, stops = _bounds(merged)
        _widen(data, offsets, rows, context, starts, stops)
        merged = merge_spans(rows, starts, stops, len(text))
    if least_piece:
        rows, starts, stops = _bounds(merged)
        _fill_pieces(data, offsets, rows, least_piece - 1, starts, stops)
        merged = merge_spans(rows, starts, stops, len(text))
    return merged


def _bounds(spans: pa.ListArray) -> tuple[Indices, Indices, Indices]:
    """Row, start and stop, int64[S] each, which may be written to."""
    values = spans.flatten()
    starts, stops = (np.array(values.field(name), np.int64) for name in ("start", "stop"))
    return np.repeat(np.arange(len(spans)), np.asarray(spans.value_lengths())), starts, stops


@kernel
def _before(data: Bytes, at: Int, start: Int, characters: Int) -> Int:
    """Where the last so many characters of data[start:at] begin."""
    while at > start and characters > 0:
        at -= 1
        characters -= np.int64(data[at] & 0xC0 != 0x80)
    return at


@kernel
def _beyond(data: Bytes, at: Int, stop: Int, characters: Int) -> Int:
    """Where the first so many characters of data[at:stop] end."""
    while at < stop and characters > 0:
        at += 1
        while at < stop and data[at] & 0xC0 == 0x80:
            at += 1
        characters -= 1
    return at


@kernel
def _word_before(data: Bytes, at: Int, start: Int) -> Int:
    """Where the word that byte `at` stands in begins; `at` where no ASCII whitespace is near."""
    for k in range(at, max(start, at - _WORD) - 1, -1):
        if k == start or data[k - 1] <= _SPACE:
            return np.int64(k)
    return at


@kernel
def _word_beyond(data: Bytes, at: Int, stop: Int) -> Int:
    """Where that word ends."""
    for k in range(at, min(stop, at + _WORD) + 1):
        if k == stop or data[k] <= _SPACE:
            return np.int64(k)
    return at


@kernel
def _widen(
    data: Bytes, offsets: Indices, rows: Indices, characters: int, starts: Out[Indices], stops: Out[Indices]
) -> None:
    for span in range(rows.size):
        begin = offsets[rows[span]]
        end = offsets[rows[span] + 1]
        start = _before(data, begin + starts[span], begin, characters)
        stop = _beyond(data, begin + stops[span], end, characters)
        starts[span] = _word_before(data, start, begin) - begin
        stops[span] = _word_beyond(data, stop, end) - begin


@kernel
def _fill_pieces(
    data: Bytes, offsets: Indices, rows: Indices, characters: int, starts: Out[Indices], stops: Out[Indices]
) -> None:
    """Let spans, which ascend, reach to the next one or to the text's end over pieces of up to so many characters."""
    for span in range(rows.size):
        begin = offsets[rows[span]]
        end = offsets[rows[span] + 1]
        if (span == 0 or rows[span - 1] != rows[span]) and _before(
            data, begin + starts[span], begin, characters
        ) == begin:
            starts[span] = 0
        follows = span + 1 < rows.size and rows[span + 1] == rows[span]
        limit = begin + starts[span + 1] if follows else end
        if _beyond(data, begin + stops[span], limit, characters) == limit:
            stops[span] = limit - begin
