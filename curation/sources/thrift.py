"""Reads numbers from Thrift's compact protocol, in which Parquet writes its footer and the header of each page.

pyarrow's own access to the columns of a damaged footer ends the process (SIGABRT, pyarrow 26), and it does not show the
headers of pages at all.

Source: apache/thrift, thrift-compact-protocol.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_DEPTH = 16  # of structs and lists within each other; Parquet's own have 8
_FIELDS = 64  # numbers of fields that a path may have; Parquet's own are below 20
_LONGEST = 1 << 48  # paths beyond are of no interest
# in place of an offset
_ENDS = -1
_DAMAGED = -2

# 4 to 6 are numbers
_TRUE = 1
_FALSE = 2
_BYTE = 3
_DOUBLE = 7
_BINARY = 8
_LIST = 9
_SET = 10
_STRUCT = 12


class ThriftError(ValueError):
    """Bytes that no struct has."""


class Numbers(NamedTuple):
    """What a struct holds under the paths that were asked for, in the order of the bytes: int64[K] which path, int64[K]
    the values (0 where a struct begins); and where the struct ends."""

    path: Indices
    value: Indices
    end: int


def read_numbers(data: bytes, paths: Sequence[tuple[int, ...]]) -> Numbers:
    """The numbers and structs in the struct at the beginning of `data` whose fields are `paths`: (4, 3) is field 3 of
    the struct in field 4, or of every struct where that is a list.

    Raises EOFError where the bytes end before the struct does, and ThriftError for bytes that no struct has.
    """
    wanted = np.zeros(len(paths), np.int64)
    for number, path in enumerate(paths):
        for part in path:
            wanted[number] = wanted[number] * _FIELDS + part
    found, values, end = _numbers(np.frombuffer(data, np.uint8), wanted)
    if end == _ENDS:
        raise EOFError("the bytes end within a struct")
    if end == _DAMAGED:
        raise ThriftError("bytes that are no struct")
    return Numbers(found, values, int(end))


@kernel
def _varint(data: Bytes, at: Int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = 0
    shift = 0
    while at < data.size:
        byte = int(data[at])
        value |= (byte & 127) << shift
        at += 1
        shift += 7
        if byte < 128:
            return value, at
        if shift > 63:
            return 0, _DAMAGED
    return 0, _ENDS


@kernel
def _zigzag(data: Bytes, at: Int) -> tuple[int, int]:
    """A number that may be below 0, and where it ends."""
    value, end = _varint(data, at)
    return ((value >> 1) & 0x7FFF_FFFF_FFFF_FFFF) ^ -(value & 1), end


@kernel
def _field(data: Bytes, at: Int, last: Int) -> tuple[int, int, int]:
    """Type and number of the field after field `last`, and where its value begins; type 0 is the end of the struct."""
    kind = int(data[at]) & 15
    step = int(data[at]) >> 4
    if kind == 0 or step > 0:
        return kind, last + step, at + 1
    number, end = _zigzag(data, at + 1)
    return kind, number, end


@kernel
def _scalar(data: Bytes, at: Int, kind: Int) -> tuple[int, int]:
    """The value of a number (0 for any other type), and where it ends."""
    if kind == _BYTE:
        return 0, at + 1
    if kind == _DOUBLE:
        return 0, at + 8
    if kind == _BINARY:
        size, end = _varint(data, at)
        if end < 0:
            return 0, end
        return 0, end + size if 0 <= size <= data.size - end else _ENDS
    if _BYTE < kind < _DOUBLE:
        return _zigzag(data, at)
    return 0, _DAMAGED


@kernel
def _elements(data: Bytes, at: Int) -> tuple[int, int, int]:
    """Type and number of a list's elements, and where the first begins."""
    if at >= data.size:
        return 0, 0, _ENDS
    kind = int(data[at]) & 15
    size = int(data[at]) >> 4
    if size < 15:
        return kind, size, at + 1
    size, end = _varint(data, at + 1)
    return kind, size, end if size >= 0 or end < 0 else _DAMAGED


@kernel
def _kept(
    found: Out[Indices], values: Out[Indices], count: Int, wanted: Indices, path: Int, value: Int
) -> tuple[Indices, Indices, Int]:
    """The places in `wanted` and the values found so far, and how many, with this value where its path is wanted."""
    for number in range(wanted.size):
        if wanted[number] == path:
            if count == found.size:
                found = np.append(found, found)
                values = np.append(values, values)
            found[count] = number
            values[count] = value
            count += 1
    return found, values, count


@kernel
def _numbers(data: Bytes, wanted: Indices) -> tuple[Indices, Indices, int]:
    found = np.empty(64, np.int64)
    values = np.empty(64, np.int64)
    count: Int = 0
    # Of each struct or list that is open: the elements left (-1: a struct), their type, the path, the last field.
    left = np.zeros(_DEPTH, np.int64)
    kinds = np.zeros(_DEPTH, np.int64)
    paths = np.zeros(_DEPTH, np.int64)
    last = np.zeros(_DEPTH, np.int64)
    left[0] = -1
    depth = 0
    at = 0
    while depth >= 0 and at >= 0:
        path = paths[depth]
        kind = kinds[depth]
        value = 0
        if left[depth] == 0:
            depth -= 1
            continue
        if at >= data.size:
            at = _ENDS
            break
        if left[depth] > 0:
            left[depth] -= 1
            at += kind in (_TRUE, _FALSE)  # a byte each in a list, nothing in a struct
        else:
            kind, last[depth], at = _field(data, at, last[depth])
            if kind == 0 or at < 0:
                depth -= 1
                continue
            known = 0 < last[depth] < _FIELDS and 0 <= path < _LONGEST
            path = path * _FIELDS + last[depth] if known else -1
        if kind in (_STRUCT, _LIST, _SET):
            depth += 1
            if depth == _DEPTH:
                at = _DAMAGED
                break
            paths[depth] = path
            last[depth] = 0
            left[depth] = -1
            if kind != _STRUCT:
                kinds[depth], left[depth], at = _elements(data, at)
        elif kind not in (_TRUE, _FALSE):
            value, at = _scalar(data, at, kind)
        if kind == _STRUCT or _BYTE < kind < _DOUBLE:
            found, values, count = _kept(found, values, count, wanted, path, value)
    return found[:count].copy(), values[:count].copy(), at
