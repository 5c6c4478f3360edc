"""The beginning of each text on one line, as line-based models read it."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from curation.text.buffers import Bytes, Indices, text_buffers
from curation.text.compiled import BYTES, INDICES, OUT_BYTES, OUT_INT64, TABLE, kernel
from curation.text.unicode import classes, space_size

_NEWLINE = 10
_BLANK = 32


def one_line_heads(array: pa.Array | pa.ChunkedArray, characters: int) -> pa.Array:
    """large_binary[N]: `characters` of text[N] from its first word on, line breaks as spaces, and one at the end.

    Never cut within a character; a shorter text is taken whole. A text without a word gives the line break alone.
    """
    data, offsets = text_buffers(array)
    ends = np.zeros(len(offsets), np.int64)
    # A character has at most four bytes; the last byte of each head is its line break.
    most = int(np.minimum(np.diff(offsets), 4 * characters).sum()) + len(offsets)
    out = np.empty(most, np.uint8)
    _heads(data, offsets, characters, classes(), out, ends)
    return pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(out)])


@kernel(types.void(BYTES, INDICES, types.int64, TABLE, OUT_BYTES, OUT_INT64))
def _heads(
    data: Bytes, offsets: Indices, characters: int, table: npt.NDArray[np.uint16], out: Bytes, ends: Indices
) -> None:
    """Stray continuation bytes begin no character; four times `characters` bytes bound a head that has many."""
    to = 0
    for document in range(offsets.size - 1):
        start, stop, taken = offsets[document], offsets[document + 1], 0
        while start < stop:
            size = space_size(data, start, stop, table)
            if size == 0:
                break
            start += size
        stop = min(stop, start + 4 * characters)
        for at in range(start, stop):
            byte = data[at]
            taken += (byte & 0xC0) != 0x80
            if taken > characters:
                break
            out[to] = _BLANK if byte == _NEWLINE else byte
            to += 1
        out[to] = _NEWLINE
        to += 1
        ends[document + 1] = to
