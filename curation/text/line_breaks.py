"""Lines as str.splitlines() cuts them: at every line break that Unicode knows, not only at "\n"."""

import numpy as np
import pyarrow as pa
from numba import types

from curation.text.kernels.blocks import BLOCK, REACH, below, equal, first_bits, lowest, window
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import BYTES, INDICES, OUT_INT64, Int, kernel
from curation.text.kernels.unicode import decode
from curation.text.shared_measures import shared
from curation.text.spans import Spans, spans_of

_NEWLINE = 10


@shared
def split_lines(array: pa.Array | pa.ChunkedArray) -> Spans:
    """Text[N] as str.splitlines() cuts it: at all the line breaks that Unicode knows, blank lines among the spans."""
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    most = int(offsets[-1] - offsets[0])
    starts, stops = np.empty(most, np.int64), np.empty(most, np.int64)
    _split_lines(data, offsets, starts, stops, first)
    return spans_of(data, starts, stops, first)


@kernel(types.int64(BYTES, types.int64, types.int64))
def _break_size(data: Bytes, at: Int, stop: Int) -> Int:
    """Bytes of the line break at byte `at`; 0 where there is none."""
    byte = data[at]
    if byte == 13 and at + 1 < stop and data[at + 1] == _NEWLINE:
        return 2
    if 10 <= byte <= 13 or 28 <= byte <= 30:
        return 1
    if byte != 0xC2 and byte != 0xE2:
        return 0
    code, size = decode(data, at, stop)
    return size if code == 0x85 or code == 0x2028 or code == 0x2029 else 0


@kernel(types.void(BYTES, INDICES, OUT_INT64, OUT_INT64, OUT_INT64))
def _split_lines(data: Bytes, offsets: Indices, starts: Indices, stops: Indices, first: Indices) -> None:
    pad, line = np.zeros(REACH, np.uint8), 0
    for document in range(offsets.size - 1):
        begin, end = offsets[document], offsets[document + 1]
        for block in range(begin, end, BLOCK):
            address = window(data, block, pad)
            bits = below(address, 0x0E) & ~below(address, 0x0A) | below(address, 0x1F) & ~below(address, 0x1C)
            bits = (bits | equal(address, 0xC2) | equal(address, 0xE2)) & first_bits(end - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                size = _break_size(data, at, end) if at >= begin else 0  # the line feed after a return is read already
                if size:
                    starts[line], stops[line] = begin, at
                    line += 1
                    begin = at + size
        if begin < end:
            starts[line], stops[line] = begin, end
            line += 1
        first[document + 1] = line
