"""Measures the pages of a Parquet row group before they are decompressed: a page of 100 kB may hold 2 GB.

A page's header begins with its type and its sizes with and without compression. pyarrow does not show them. Columns
that are small by the sizes in the footer are not examined.

Source: apache/parquet-format, parquet.thrift (PageHeader).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.sources.parquet_footer import Footer
from curation.sources.thrift import ThriftError, read_numbers
from curation.sources.units import MAX_ROWS

MAX_READ_BYTES = 64 << 20  # of pages without compression that are held at a time; writers aim at pages of 1 MB
_HEADERS = (1 << 8, 1 << 16, 1 << 24)  # bytes read for a header: statistics may make it long
_KIND, _UNPACKED, _STORED, _ROWS = range(4)
_PATHS = ((1,), (2,), (3,), (5, 1), (8, 1))  # the last: rows of a data page of version 1 or 2


class Page(NamedTuple):
    """A page's rows (0 for a dictionary) and its bytes without compression."""

    rows: int
    size: int


def rows_at_once(stream: pa.NativeFile, footer: Footer, group: int, columns: Sequence[str]) -> int:
    """How many rows of a group to read at a time, at most `MAX_ROWS`; 0 if its pages are too large to be read at all.

    Columns of more than `MAX_READ_BYTES` are examined, which takes a short read for each page. Raises ThriftError for
    a header that cannot be read.
    """
    read = [number for number, leaf in enumerate(footer.leaves) if leaf in columns]
    if footer.size[group, read].sum() <= MAX_READ_BYTES:
        return MAX_ROWS
    places = zip(footer.start[group, read].tolist(), footer.stored[group, read].tolist(), strict=True)
    pages = [list(_pages(stream, start, stored)) for start, stored in places]
    if sum(max((page.size for page in own), default=0) for own in pages) > MAX_READ_BYTES:
        return 0
    return min(_bounded(own, MAX_READ_BYTES // len(pages)) for own in pages)


def _bounded(pages: Sequence[Page], most: int) -> int:
    """The most rows, up to `MAX_ROWS`, whose pages hold at most `most` bytes wherever they begin; at least 1."""
    rows = MAX_ROWS
    first = 0
    held = 0
    size = 0
    for page in pages:
        held = held + page.rows
        size = size + page.size
        while size > most and pages[first] is not page:
            # Rows from the last of the first page to the first of this one touch all pages held.
            rows = min(rows, max(held - pages[first].rows - page.rows + 1, 1))
            held = held - pages[first].rows
            size = size - pages[first].size
            first += 1
    return rows


def _pages(stream: pa.NativeFile, start: int, stored: int) -> Iterator[Page]:
    """The pages in `stored` bytes from byte `start` on."""
    at = start
    while at < start + stored:
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
        try:
            numbers = read_numbers(stream.read_at(size, at), _PATHS)
        except EOFError:
            continue
        values = dict(zip(np.minimum(numbers.path, _ROWS).tolist(), numbers.value.tolist(), strict=True))
        kind, unpacked, stored = (values.get(name, -1) for name in (_KIND, _UNPACKED, _STORED))
        if min(kind, unpacked, stored) < 0:
            break
        return _Header(numbers.end, stored, unpacked, values.get(_ROWS, 0))
    raise ThriftError(f"no page header at byte {at}")
