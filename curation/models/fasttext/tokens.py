"""Tokens as fastText tells them apart: what separates them, and their hash."""

import numpy as np

from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiled import Byte, Int, kernel

BASIS, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_LABEL = np.frombuffer(b"__label__", np.uint8)
_END = np.frombuffer(b"</s>", np.uint8)


@kernel
def extend(state: np.uint32, byte: Byte) -> np.uint32:
    """One step of fastText's 32-bit FNV-1a, in which a byte is a signed number."""
    return np.uint32((state ^ np.uint32(np.int32(np.int8(byte)))) * _PRIME)


@kernel
def word_hash(data: Bytes, start: Int, stop: Int) -> np.uint32:
    state = BASIS
    for at in range(start, stop):
        state = extend(state, data[at])
    return state


@kernel
def blank(byte: Byte) -> bool:
    return bool(byte == 32 or 9 <= byte <= 13 or byte == 0)


@kernel
def is_marker(data: Bytes, start: Int, stop: Int) -> bool:
    """Whether a token would be taken for a label or for the end of the text, and so is no feature."""
    if data[start] == 95:  # an underline
        return stands_at(data, start, stop, _LABEL, 0, _LABEL.size)
    return bool(data[start] == 60 and stop - start == _END.size and stands_at(data, start, stop, _END, 0, _END.size))
