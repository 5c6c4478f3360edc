"""A few evenly spread windows of each text, so that a classifier need not read all of a long one.

The beginning alone, with its menus and headings, would be a poor sample of a text.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.kernel import Out, kernel


class Windows(NamedTuple):
    """Windows of N texts: those of text d are data[starts[w]:stops[w]], w from first[d] to first[d + 1] - 1."""

    data: Bytes
    starts: Indices  # int64[windows of all texts]
    stops: Indices
    first: Indices  # int64[N + 1]


def whole(array: pa.Array | pa.ChunkedArray, *, rows: Indices | None = None) -> Windows:
    """Every text of text[N], or those at `rows` int64[M], as one window."""
    data, begins, ends = _bounds(array, rows)
    return Windows(data, begins, ends, np.arange(len(begins) + 1, dtype=np.int64))


def windows(array: pa.Array | pa.ChunkedArray, *, count: int, size: int, rows: Indices | None = None) -> Windows:
    """`count` windows of up to `size` bytes of every text of text[N], or of those at `rows` int64[M]. A text of at most
    count * size bytes is one window.

    The first window begins with the text and the last one ends with it. All other ends move inwards to ASCII
    whitespace, or to the next character if there is none within half a window. `count` must be at least 2 and
    `size` at least 8.
    """
    data, begins, ends = _bounds(array, rows)
    first = offsets_of(np.where(ends - begins > count * size, count, 1))
    starts = np.empty(first[-1], np.int64)
    stops = np.empty(first[-1], np.int64)
    _windows(data, begins, ends, size, first, starts, stops)
    return Windows(data, starts, stops, first)


def _bounds(array: pa.Array | pa.ChunkedArray, rows: Indices | None) -> tuple[Bytes, Indices, Indices]:
    data, offsets = text_buffers(array)
    return (data, offsets[:-1], offsets[1:]) if rows is None else (data, offsets[:-1][rows], offsets[1:][rows])


@kernel
def _edge(data: Bytes, at: int, step: int, reach: int) -> int:
    """The nearest whitespace to byte `at` in the direction of `step`, else the nearest first byte of a character."""
    for k in range(reach):
        if data[at + k * step] <= 32:
            return at + k * step
    while data[at] & 0xC0 == 0x80 and reach > 0:
        at += step
        reach -= 1
    return at


@kernel
def _windows(
    data: Bytes, begins: Indices, ends: Indices, size: int, first: Indices, starts: Out[Indices], stops: Out[Indices]
) -> None:
    for document in range(first.size - 1):
        begin = begins[document]
        end = ends[document]
        last = first[document + 1] - first[document] - 1
        starts[first[document]] = begin
        stops[first[document] + last] = end
        for window in range(last + 1):
            span = first[document] + window
            at = begin + (end - begin - size) * window // max(last, 1)
            if window > 0:
                starts[span] = _edge(data, at, 1, size // 2)
            if window < last:
                stops[span] = _edge(data, at + size, -1, size // 2)
