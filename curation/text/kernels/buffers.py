"""Arrow text as the two NumPy arrays that kernels read, and back.

Throughout `curation/text/`: N documents, B bytes of UTF-8, uint8[B] `data` and int64[N + 1] `offsets`; document d is
data[offsets[d]:offsets[d + 1]]. A null text counts as empty. A character is counted at every byte that is not a UTF-8
continuation byte, so invalid UTF-8 can be counted too.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes: TypeAlias = npt.NDArray[np.uint8]
Indices: TypeAlias = npt.NDArray[np.int64]

_NARROW = (pa.string(), pa.binary())
_WIDE = (pa.large_string(), pa.large_binary())


def text_buffers(array: pa.Array | pa.ChunkedArray) -> tuple[Bytes, Indices]:
    """An array's bytes and offsets: views of a large_string or large_binary array or of a slice of one.

    Copies only the int32 offsets of string and binary, arrays with nulls, and several chunks. The offsets of a slice
    do not begin at 0. Raises TypeError for an array that does not hold text.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.type not in _NARROW + _WIDE:
        raise TypeError(f"expected an array of text or binary, got {array.type}")
    if array.null_count:
        array = pc.fill_null(array, pa.scalar(b"", array.type))
    _, offsets, data = array.buffers()
    if offsets is None or len(array) == 0:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    width = np.int64 if array.type in _WIDE else np.int32
    view = np.frombuffer(offsets, width)[array.offset : array.offset + len(array) + 1]
    content = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return content, view.astype(np.int64, copy=False)


def text_array(data: Bytes, offsets: Indices) -> pa.Array:
    """large_string[N] over `data` and `offsets`, without a copy or a check for UTF-8."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)


def offsets_of(sizes: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Indices:
    """int64[N + 1]: where each of N pieces of these sizes begins when they follow one another; last, where they end."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def phrase_buffers(phrases: Sequence[str]) -> tuple[Bytes, Indices]:
    """The bytes and offsets of a few fixed phrases. Raises ValueError for an empty phrase: it would match anywhere."""
    if not all(phrases):
        raise ValueError(f"an empty phrase matches everywhere: {phrases!r}")
    return text_buffers(pa.array(phrases, pa.large_string()))
