"""The bytes of a file with delimiters as UTF-8, and its rows, however long it is."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curation.core.errors import InputError
from curation.core.protocols import ReadTally
from curation.sources.csv_rows import MALFORMED, NO_QUOTE, Dialect, FoundRows, field_values, find_rows
from curation.sources.inflate import OnFault
from curation.sources.lines import BLOCK_BYTES, PACKED
from curation.sources.utf8 import wide_codec
from curation.text.charsets.detector import detected
from curation.text.kernels.buffers import Bytes, Indices

SAMPLE = 1 << 18  # bytes of a file's beginning by which its encoding and delimiter are told
DELIMITERS = (",", "\t", ";", "|")
MAX_FIELDS = 4096  # of a header
MAX_REPAIRS = 100  # of quotes without an end in a file: each may be searched for through `max_row` bytes
NO_END = "row with a quote that has no end"
_TABS = re.compile(rf"\.(?:tsv|tab)(?:\.(?:{PACKED}))?\Z", re.IGNORECASE)
_BREAK = re.compile(rb"[\r\n]")


class CsvBlock(NamedTuple):
    """Rows in bytes of which the first is at `offset` in the file, as UTF-8."""

    data: Bytes
    offset: int
    rows: FoundRows


def as_utf8_chunks(chunks: Iterator[bytes], tally: ReadTally) -> Iterator[bytes]:
    """A file's bytes as UTF-8, by its byte order mark or, where it is clearly in another encoding, by that
    (`lenient.charset`). Without the mark; the first chunk has at least SAMPLE bytes, unless the file has fewer."""
    start = bytearray()
    for chunk in chunks:
        start += chunk
        if len(start) >= SAMPLE:
            break
    codec = _codec_of(bytes(start[:SAMPLE]))
    if codec is None:
        yield bytes(start.removeprefix(codecs.BOM_UTF8))
        yield from chunks
        return
    tally.records["lenient.charset"] += 1
    decoder = codecs.getincrementaldecoder(codec)("replace")
    yield decoder.decode(bytes(start)).encode(errors="replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode(errors="replace")
    yield decoder.decode(b"", final=True).encode(errors="replace")


def _codec_of(sample: bytes) -> str | None:
    """The encoding of a file that begins so; None for UTF-8, and where it cannot be told."""
    if codec := wide_codec(sample):
        return codec
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        found = detected(sample)  # None where it has NULs
        return None if found == "utf-8" else found
    return None


def dialect_of(path: str, start: bytes, delimiter: str | None, quote: str) -> Dialect:
    """The dialect of a file by its `start`: without a given delimiter, a tab if the name says so, or else the one that
    cuts the first row into most fields."""
    mark = ord(quote) if quote else NO_QUOTE
    if delimiter is not None:
        return Dialect(ord(delimiter), mark)
    if _TABS.search(path):
        return Dialect(ord("\t"), mark)
    data = np.frombuffer(start, np.uint8)
    dialects = [Dialect(ord(one), mark) for one in DELIMITERS]
    return max(
        dialects, key=lambda one: find_rows(data, 0, one, np.empty(0, np.int64), final=True, most=1).fields.sum()
    )


def header_of(data: Bytes, dialect: Dialect, path: str) -> tuple[list[str], int]:
    """The names in the first row, and where the next one begins. Raises InputError where there is no row, or none that
    ends."""
    rows = find_rows(data, 0, dialect, np.arange(MAX_FIELDS), final=len(data) < SAMPLE, most=1)
    if not len(rows.offsets) or rows.fields[0] == MALFORMED:
        what = "has nothing to read" if not data.tobytes().strip() else "has no end of its first row"
        raise InputError(f"{path} {what}; give a file of rows with delimiters, the first of which names the fields")
    if rows.fields[0] > MAX_FIELDS:
        raise InputError(f"{path} has {rows.fields[0]:,} fields in its first row; {MAX_FIELDS:,} are possible")
    count = int(rows.fields[0])
    names = field_values(data, rows.starts[:count, 0], rows.stops[:count, 0], dialect.quote).to_pylist()
    return [name.decode("utf-8", "replace").strip() for name in names], rows.stop


def csv_blocks(
    chunks: Iterator[bytes],
    first: bytes,
    offset: int,
    dialect: Dialect,
    columns: Indices,
    max_row: int,
    on_bad: OnFault,
    on_long: OnFault,
) -> Iterator[CsvBlock]:
    """The rows of `first`, which is at `offset` in the file, and of the chunks behind it.

    A row of more than `max_row` bytes is reported to `on_long`, a quote without an end to `on_bad`; reading goes on in
    the line after that in which the row begins, and ends after MAX_REPAIRS of these.
    """
    held = first
    wanted = 0  # bytes before it is worth looking again
    repairs = 0
    final = False
    while held or not final:
        held, final = _filled(held, chunks, wanted)
        data = np.frombuffer(held, np.uint8)
        at = 0
        while len((rows := find_rows(data, at, dialect, columns, final=final)).offsets):
            yield CsvBlock(data, offset, rows)
            at = rows.stop
        at = rows.stop
        left = len(held) - at
        wanted = max(BLOCK_BYTES, 2 * left)
        if left > max_row or (final and left):
            repairs += 1
            over = f"; reading ends here, after {MAX_REPAIRS:,} of these" if repairs > MAX_REPAIRS else ""
            if left > max_row:
                on_long(offset + at, f"row longer than {max_row} bytes{over}")
            else:
                on_bad(offset + at, f"{NO_END}{over}")
            if over:
                return
            held, passed = _next_line(held, at, chunks)
            offset += passed
            wanted = 0
            continue
        offset += at
        held = held[at:]


def _filled(held: bytes, chunks: Iterator[bytes], wanted: int) -> tuple[bytes, bool]:
    """Adds chunks to the bytes held, to those wanted and at least one. Says whether they have ended too."""
    parts = [held]
    size = len(held)
    while size < max(wanted, 1):
        more = next(chunks, None)
        if more is None:
            return b"".join(parts), True
        parts.append(more)
        size += len(more)
    return b"".join(parts), False


def _next_line(held: bytes, at: int, chunks: Iterator[bytes]) -> tuple[bytes, int]:
    """The bytes held from the next line after byte `at` on, and the number of bytes passed over."""
    passed = 0
    part = held
    while (line_break := _BREAK.search(part, at)) is None:
        passed += len(part)
        at = 0
        more = next(chunks, None)
        if more is None:
            return b"", passed
        part = more
    return part[line_break.end() :], passed + line_break.end()
