"""Measures the pages of a Parquet row group before they are decompressed: a page of 100 kB may hold 2 GB.

A page's header, in Thrift's compact protocol, begins with its type and its sizes with and without compression. pyarrow
does not show them. Columns that are small by the sizes in the footer are not examined.

Source: apache/parquet-format, parquet.thrift (PageHeader); apache/thrift, thrift-compact-protocol.md.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from curation.sources.units import MAX_ROWS

MAX_READ_BYTES = 64 << 20  # of pages without compression that are held at a time; writers aim at pages of 1 MB
_HEADERS = (1 << 8, 1 << 16, 1 << 24)  # bytes read for a header: statistics may make it long

_BOOLEANS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, 12


class Page(NamedTuple):
    """A page's rows (0 for a dictionary) and its bytes without compression."""

    rows: int
    size: int


def rows_at_once(stream: pa.NativeFile, group: pq.RowGroupMetaData, columns: Sequence[str]) -> int:
    """How many rows of a group to read at a time, at most `MAX_ROWS`; 0 if its pages are too large to be read at all.

    Columns of more than `MAX_READ_BYTES` are examined, which takes a short read for each page.
    """
    chunks = [group.column(number) for number in range(group.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in columns]
    if sum(chunk.total_uncompressed_size for chunk in chunks) <= MAX_READ_BYTES:
        return MAX_ROWS
    pages = [list(_pages(stream, chunk)) for chunk in chunks]
    if sum(max((page.size for page in own), default=0) for own in pages) > MAX_READ_BYTES:
        return 0
    return min(_bounded(own, MAX_READ_BYTES // len(chunks)) for own in pages)


def _bounded(pages: Sequence[Page], most: int) -> int:
    """The most rows, up to `MAX_ROWS`, whose pages hold at most `most` bytes wherever they begin; at least 1."""
    rows, first, held, size = MAX_ROWS, 0, 0, 0
    for page in pages:
        held, size = held + page.rows, size + page.size
        while size > most and pages[first] is not page:
            # Rows from the last of the first page to the first of this one touch all pages held.
            rows = min(rows, max(held - pages[first].rows - page.rows + 1, 1))
            held, size, first = held - pages[first].rows, size - pages[first].size, first + 1
    return rows


def _pages(stream: pa.NativeFile, column: pq.ColumnChunkMetaData) -> Iterator[Page]:
    """Raises pa.ArrowInvalid for a header that cannot be read."""
    at = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
    end = at + column.total_compressed_size
    while at < end:
        header = _header(stream, at)
        yield Page(header.rows, header.size)
        at += header.length + header.stored


class _Header(NamedTuple):
    length: int
    stored: int
    size: int
    rows: int


def _header(stream: pa.NativeFile, at: int) -> _Header:
    for size in _HEADERS:
        data = stream.read_at(size, at)
        try:
            fields, length = _struct(data, 0)
        except IndexError:
            continue
        kind, unpacked, stored = (fields.get(number, -1) for number in (1, 2, 3))
        if min(kind, unpacked, stored) < 0:
            break
        values = fields.get(5, fields.get(8, 0))  # of a data page of version 1 or 2
        return _Header(length, stored, unpacked, values)
    raise pa.ArrowInvalid(f"no page header at byte {at}")


def _struct(data: bytes, at: int) -> tuple[dict[int, int], int]:
    """The numbers of a struct by field, a nested struct standing for its first; and where the struct ends."""
    fields: dict[int, int] = {}
    number = 0
    while byte := data[at]:
        at += 1
        kind = byte & 15
        if byte >> 4:
            number += byte >> 4
        else:
            number, at = _zigzag(data, at)
        if kind in _NUMBERS:
            fields[number], at = _zigzag(data, at)
        elif kind == _STRUCT:
            inner, at = _struct(data, at)
            fields[number] = inner.get(1, 0)
        elif kind == _BINARY:
            size, at = _varint(data, at)
            at += size
        elif kind in (_BYTE, _DOUBLE):
            at += 1 if kind == _BYTE else 8
        elif kind not in _BOOLEANS:
            raise pa.ArrowInvalid(f"a page header has a field of type {kind}")
    return fields, at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise pa.ArrowInvalid("a page header has a number of more than 64 bits")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at
