"""Reads Thrift's compact protocol, in which Parquet writes its footer and the header of each page.

pyarrow's own access to the columns of a damaged footer ends the process (SIGABRT, pyarrow 26), and it does not show the
headers of pages at all.

Source: apache/thrift, thrift-compact-protocol.md.
"""

from typing import TypeAlias, Union

Value: TypeAlias = Union[int, bytes, list["Value"], "Fields", None]
Fields: TypeAlias = dict[int, Value]  # of a struct, by number; None for what nothing here needs (doubles, maps …)

MAX_DEPTH = 16  # of structs and lists within each other; Parquet's own have 6

_TRUE, _FALSE, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12


class ThriftError(ValueError):
    """Bytes that no struct has."""


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[Fields, int]:
    """The struct that begins at byte `at`, and where it ends. Raises IndexError where the bytes end before it does, and
    ThriftError for bytes that no struct has."""
    if depth > MAX_DEPTH:
        raise ThriftError(f"structs in structs, more than {MAX_DEPTH}")
    fields: Fields = {}
    number = 0
    while byte := data[at]:
        at += 1
        kind = byte & 15
        if byte >> 4:
            number += byte >> 4
        else:
            number, at = _zigzag(data, at)
        if kind in (_TRUE, _FALSE):
            fields[number] = int(kind == _TRUE)
        else:
            fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def number_of(fields: Fields, field: int, default: int | None = None) -> int:
    """A field that is a number. Raises ThriftError for another value, and for none where there is no default."""
    value = fields.get(field, default)
    if not isinstance(value, int):
        raise ThriftError(f"field {field} is no number")
    return value


def structs_of(fields: Fields, field: int) -> list[Fields]:
    """A field that is a list of structs. Raises ThriftError for any other value."""
    value = fields.get(field)
    found = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(found) < len(value):
        raise ThriftError(f"field {field} is no list of structs")
    return found


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Value, int]:
    if kind in _NUMBERS:
        return _zigzag(data, at)
    if kind == _BINARY:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind == _STRUCT:
        return read_struct(data, at, depth + 1)
    if kind in _LISTS:
        return _list(data, at, depth + 1)
    if kind in (_TRUE, _FALSE, _BYTE):  # booleans in a list take a byte each
        return data[at], at + 1
    if kind == _DOUBLE:
        return None, at + 8
    raise ThriftError(f"a value of type {kind}")


def _list(data: bytes, at: int, depth: int) -> tuple[list[Value], int]:
    if depth > MAX_DEPTH:
        raise ThriftError(f"lists in lists, more than {MAX_DEPTH}")
    kind, size = data[at] & 15, data[at] >> 4
    at += 1
    if size == 15:
        size, at = _varint(data, at)
    values: list[Value] = []
    for _ in range(size):
        data[at]  # a value has one byte at least, so that a size out of thin air ends where the bytes do
        value, at = _value(data, at, kind, depth)
        values.append(value)
    return values, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ThriftError("a number of more than 64 bits")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at
