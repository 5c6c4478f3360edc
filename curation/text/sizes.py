"""How large texts and spans of them are: characters and newlines. N documents, S spans."""

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, characters_in, equal, first_bits, ones, window
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import Out, kernel
from curation.text.shared_measures import shared

_NEWLINE = 10


@shared
def count_newlines(array: pa.Array | pa.ChunkedArray) -> Indices:
    """int64[N]: "\n" in each text."""
    data, offsets = text_buffers(array)
    counts = np.zeros(len(offsets) - 1, np.int64)
    _count_byte(data, offsets[:-1], offsets[1:], _NEWLINE, counts)
    return counts


@shared
def count_characters(array: pa.Array | pa.ChunkedArray) -> Indices:
    """int64[N]: characters of each text, that is bytes that continue no other."""
    data, offsets = text_buffers(array)
    return characters_of_spans(data, offsets[:-1], offsets[1:])


@kernel()
def characters_of_spans(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    """int64[S]: characters of each span data[starts[s]:stops[s]]."""
    counts, pad = np.empty(starts.size, np.int64), np.zeros(REACH, np.uint8)
    for span in range(starts.size):
        counts[span] = characters_in(data, starts[span], stops[span], pad)
    return counts


@kernel()
def _count_byte(data: Bytes, starts: Indices, stops: Indices, value: int, counts: Out[Indices]) -> None:
    pad = np.zeros(REACH, np.uint8)
    for span in range(starts.size):
        for at in range(starts[span], stops[span], BLOCK):
            counts[span] += ones(equal(window(data, at, pad), value) & first_bits(stops[span] - at))
