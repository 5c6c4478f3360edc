"""Measures the pages of a Parquet row group before they are decompressed: a page of 100 kB may hold 2 GB.

A page's header begins with its type and its sizes with and without compression. pyarrow does not show them. Columns
that are small by the sizes in the footer are not examined.

Source: apache/parquet-format, parquet.thrift (PageHeader).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from curation.sources.parquet_footer import Chunk, Group
from curation.sources.thrift import ThriftError, number_of, read_struct
from curation.sources.units import MAX_ROWS

MAX_READ_BYTES = 64 << 20  # of pages without compression that are held at a time; writers aim at pages of 1 MB
_HEADERS = (1 << 8, 1 << 16, 1 << 24)  # bytes read for a header: statistics may make it long


class Page(NamedTuple):
    """A page's rows (0 for a dictionary) and its bytes without compression."""

    rows: int
    size: int


def rows_at_once(stream: pa.NativeFile, group: Group, columns: Sequence[str]) -> int:
    """How many rows of a group to read at a time, at most `MAX_ROWS`; 0 if its pages are too large to be read at all.

    Columns of more than `MAX_READ_BYTES` are examined, which takes a short read for each page. Raises ThriftError for
    a header that cannot be read.
    """
    chunks = [chunk for chunk in group.chunks if chunk.path in columns]
    if sum(chunk.size for chunk in chunks) <= MAX_READ_BYTES:
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


def _pages(stream: pa.NativeFile, chunk: Chunk) -> Iterator[Page]:
    at, end = chunk.start, chunk.start + chunk.stored
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
    for size in _HEADERS if at >= 0 else ():
        data = stream.read_at(size, at)
        try:
            fields, length = read_struct(data)
        except IndexError:
            continue
        kind, unpacked, stored = (number_of(fields, number, -1) for number in (1, 2, 3))
        if min(kind, unpacked, stored) < 0:
            break
        values = fields.get(5, fields.get(8))  # of a data page of version 1 or 2
        return _Header(length, stored, unpacked, number_of(values, 1, 0) if isinstance(values, dict) else 0)
    raise ThriftError(f"no page header at byte {at}")
