"""Copies pieces of bytes into an Arrow array of their own."""

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, offsets_of
from curation.text.kernels.compiler.kernel import Out, kernel


def gathered(data: Bytes, starts: Indices, stops: Indices) -> pa.Array:
    """large_binary[N]: the pieces data[starts:stops] of bytes, which may be anything."""
    offsets = offsets_of(stops - starts)
    out = np.empty(offsets[-1], np.uint8)
    _copy(data, starts, offsets, out)
    return pa.Array.from_buffers(pa.large_binary(), len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(out)])


@kernel
def _copy(data: Bytes, starts: Indices, offsets: Indices, out: Out[Bytes]) -> None:
    for piece in range(starts.size):
        begin = offsets[piece]
        start = starts[piece]
        for at in range(offsets[piece + 1] - begin):
            out[begin + at] = data[start + at]
