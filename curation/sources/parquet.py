"""Parquet files: one document a row, large files split by row groups.

`origin_offset` is the row's number in the file. Strings and bytes are read as UTF-8; values with invalid bytes, which
get U+FFFD, are counted (`lenient.invalid_utf8`). A row whose text is null has the reason `extract:no_text`.

A few kilobytes may stand for terabytes, so dictionaries are not decoded before texts are measured, and a row group is
read in pieces of `MAX_READ_BYTES`, whatever its size. What is held beside them is a page of each column: only the
task's memory limits what its writer made of it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.threads import map_threads
from curation.sources.parquet_fields import columns_of, values_of
from curation.sources.parquet_footer import Footer, read_footer
from curation.sources.typed_columns import TypedColumns, as_column
from curation.sources.units import MAX_ROWS, group

BUFFER = 8 << 20  # bytes of a column that one request reads
MAX_READ_BYTES = 64 << 20  # of texts that are held at a time
_NO_DICTIONARY = (
    "DecodeArrow of DictAccumulator"  # in pyarrow 26's error for pages that it does not read as dictionaries
)


@dataclass(frozen=True, kw_only=True)
class Parquet(TypedColumns):
    """Parquet files; each `paths` entry is a file, a folder or a glob."""

    version: ClassVar[int] = 3

    def schema_of(self, path: str) -> pa.Schema:
        """That of the footer."""
        with opened(path) as (footer, _):
            return footer.schema

    def first_rows(self, path: str, names: Sequence[str]) -> pa.RecordBatch | None:
        """Of the columns with these names, up to MAX_ROWS."""
        with opened(path) as (footer, stream):
            file = pq.ParquetFile(stream, metadata=footer.metadata, pre_buffer=False, buffer_size=BUFFER)
            return next(file.iter_batches(MAX_ROWS, columns=list(names), use_threads=False), None)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large ones into ranges of row groups; reads the footers of the large ones."""
        large = [file for file in files if file.size > split_bytes]
        cut = dict(zip([file.path for file in large], map_threads(partial(_ranges, split_bytes), large), strict=True))
        return group(
            (piece for file in files for piece in cut.get(file.path, [(Piece.of(file), file.size)])), group_bytes
        )

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing, not Parquet, or lacks a column."""
        for piece in unit:
            with opened(piece.path) as (footer, stream):
                yield from self._read_piece(footer, stream, piece, source, tally)

    def _read_piece(
        self, footer: Footer, stream: pa.NativeFile, piece: Piece, source: str, tally: ReadTally
    ) -> Iterator[pa.RecordBatch]:
        fields = self.checked(footer.schema, piece.path)
        columns = columns_of(footer.schema, fields)
        stop = len(footer.rows) if piece.stop < 0 else piece.stop
        row = sum(footer.rows[: piece.start])
        for number in range(piece.start, stop):
            for batch in _batches(footer, stream, number, columns):
                values = {name: values_of(batch, name, field) for name, field in fields.items()}
                places = np.arange(row, row + len(batch))
                yield from self.batches(values, places, piece, source, tally, partial(as_column, tally))
                row += len(batch)


def _batches(footer: Footer, stream: pa.NativeFile, number: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a row group. Dictionaries stay as they are stored; pyarrow has no way to do so for pages that are
    encoded as differences (DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY), so their columns are read as strings."""
    at_once = rows_at_once(footer.rows[number], footer.sizes[number])
    done = 0
    for stored in (_stored(footer, columns), []):
        # Buffered: pre-buffering would hold all that a row group stores.
        options = {"read_dictionary": stored, "buffer_size": BUFFER}
        file = pq.ParquetFile(stream, metadata=footer.metadata, pre_buffer=False, **options)
        batches = file.iter_batches(at_once, row_groups=[number], columns=columns, use_threads=False)
        seen = 0
        try:
            for batch in batches:
                rest = batch.slice(max(done - seen, 0))
                seen += len(batch)
                if len(rest):
                    done = seen
                    yield rest
            return
        except OSError as error:
            if not stored or _NO_DICTIONARY not in str(error):
                raise


def rows_at_once(rows: int, size: int) -> int:
    """Number of rows to read at a time from a group of `size` bytes, at most `MAX_ROWS`."""
    return max(1, min(MAX_ROWS, MAX_READ_BYTES * rows // max(size, 1)))


@contextmanager
def opened(path: str) -> Iterator[tuple[Footer, pa.NativeFile]]:
    """The footer of the file and its bytes."""
    fs, inner = storage.resolve(path)
    try:
        stream = fs.open_input_file(inner)
    except FileNotFoundError as error:
        raise InputError(f"no file at {path}; check `paths`") from error
    with stream:
        try:
            yield read_footer(stream, path), stream
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path} cannot be read as Parquet: {' '.join(str(error).split())}") from error


def _ranges(split_bytes: int, file: InputFile) -> list[tuple[Piece, int]]:
    """Ranges of consecutive row groups, as many as fit in `split_bytes`, at least one; or the whole file, also where it
    cannot be read: then `read` says why. A group takes the share of the file that it has without compression."""
    try:
        with opened(file.path) as (footer, _):
            sizes = [file.size * size // max(sum(footer.sizes), 1) for size in footer.sizes]
    except InputError as error:
        if error.__cause__ is not None:  # disk or network: the ranges must be the same whenever they are asked for
            raise
        return [(Piece.of(file), file.size)]
    cuts = [0]
    total = 0
    for i, size in enumerate(sizes):
        if i > cuts[-1] and total + size > split_bytes:
            cuts.append(i)
            total = 0
        total += size
    if len(cuts) == 1:
        return [(Piece.of(file), total)]
    cuts.append(len(sizes))
    return [(Piece.of(file, a, b), sum(sizes[a:b])) for a, b in pairwise(cuts)]


def _stored(footer: Footer, columns: Sequence[str]) -> list[str]:
    """Of the columns, or of the values of those that are lists, the leaves whose dictionaries stay as stored."""
    return sorted(leaf for leaf in footer.leaves if leaf.removesuffix(".list.element") in columns)
