"""Reads .npy files of numbers, whose headers are checked before an array is made.

NumPy makes the array that a header states before it looks whether the file holds so much, and its errors for a damaged
header are of many kinds.

Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
"""

import ast
import math
import struct
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from curation.core import storage

_MAGIC = b"\x93NUMPY"
_LONGEST = 1024  # bytes of a header; those of arrays of numbers take 118
_START = _LONGEST + 12
_FIELDS = {"descr", "fortran_order", "shape"}
_UNREADABLE = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


class NpyHeader(NamedTuple):
    """A header: the numbers' type, the array's shape, the order of its numbers, and the offset of the first."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_column: bool
    offset: int


def stated(start: bytes, size: int) -> NpyHeader:
    """Reads the header at the `start` of a file of `size` bytes. Raises ValueError unless it holds just its array."""
    fields, offset = _header(start)
    shape = fields["shape"]
    try:
        dtype = np.dtype(fields["descr"])
    except _UNREADABLE as error:
        raise ValueError("its header names no type of numbers") from error
    if not isinstance(shape, tuple) or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("its header states no shape")
    if dtype.kind not in "fiu":
        raise ValueError(f"it holds {dtype}, not numbers")
    if type(fields["fortran_order"]) is not bool:
        raise ValueError("its header does not say the order of its numbers")
    if offset + math.prod(shape) * dtype.itemsize != size or any(length > size for length in shape):
        raise ValueError(f"it has {size:,} bytes, which do not hold {dtype}{list(shape)}")
    return NpyHeader(dtype, shape, fields["fortran_order"], offset)


def _header(start: bytes) -> tuple[dict[str, Any], int]:
    """The fields of a header, and where it ends."""
    if not start.startswith(_MAGIC) or len(start) < len(_MAGIC) + 6:
        raise ValueError("it does not begin as a .npy file")
    wide = start[len(_MAGIC)] > 1  # the major version: from the second on, four bytes tell the header's length
    length = struct.unpack_from("<I" if wide else "<H", start, len(_MAGIC) + 2)[0]
    begin = len(_MAGIC) + (6 if wide else 4)
    if length > _LONGEST:
        raise ValueError(f"its header has {length:,} bytes, more than the {_LONGEST:,} of an array of numbers")
    try:
        fields = ast.literal_eval(start[begin : begin + length].decode("latin-1").strip())
    except _UNREADABLE as error:
        raise ValueError("its header is damaged") from error
    if not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise ValueError("its header is damaged")
    return fields, begin + length


def parse(content: bytes) -> npt.NDArray[Any]:
    """The array in a file's content. Raises ValueError if there is none."""
    header = stated(content[:_START], len(content))
    numbers = np.frombuffer(content, header.dtype, math.prod(header.shape), header.offset)
    return numbers.reshape(header.shape, order="F" if header.by_column else "C")


def mapped(uri: str) -> npt.NDArray[Any]:
    """The array of a file, mapped from the disk; of an object store, read into this process. Raises ValueError if there
    is none."""
    if storage.in_store(uri):
        return parse(storage.read_bytes(uri))
    stated(storage.read_start(uri, _START), storage.size(uri))
    return np.asarray(np.load(storage.resolve(uri)[1], mmap_mode="r", allow_pickle=False))
