"""Characters and newlines of texts and spans. N documents, S spans."""

import numpy as np
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.kernels.blocks import BLOCK, REACH, characters_in, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import equal, ones
from curation.text.kernels.compiler.kernel import kernel

_NEWLINE = 10


@shared
def count_newlines(array: pa.Array | pa.ChunkedArray) -> Indices:
    """int64[N]: "\n" in each text."""
    return _count_newlines(*text_buffers(array))


@shared
def count_characters(array: pa.Array | pa.ChunkedArray) -> Indices:
    """int64[N]: characters of each text."""
    data, offsets = text_buffers(array)
    return characters_of_spans(data, offsets[:-1], offsets[1:])


@kernel
def characters_of_spans(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    """int64[S]: characters of each span data[starts[s]:stops[s]]."""
    counts = np.empty(starts.size, np.int64)
    pad = np.zeros(REACH, np.uint8)
    for span in range(starts.size):
        counts[span] = characters_in(data, starts[span], stops[span], pad)
    return counts


@kernel
def _count_newlines(data: Bytes, offsets: Indices) -> Indices:
    counts = np.zeros(offsets.size - 1, np.int64)
    pad = np.zeros(REACH, np.uint8)
    for document in range(offsets.size - 1):
        for at in range(offsets[document], offsets[document + 1], BLOCK):
            bits = equal(window(data, at, pad), _NEWLINE)
            counts[document] += ones(bits & first_bits(offsets[document + 1] - at))
    return counts
