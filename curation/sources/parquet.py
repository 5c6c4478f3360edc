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
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.threads import map_threads
from curation.sources.dates import dates
from curation.sources.first_rows import holds_nothing
from curation.sources.mapping import Columns, decoded_values
from curation.sources.parquet_fields import as_utf8, check_fields, columns_of, is_text, values_of
from curation.sources.parquet_footer import Footer, read_footer
from curation.sources.units import MAX_ROWS, group

CHECKED = 1_000  # files that are looked at before work, evenly spread over all; one that is not is refused when read
DATED = 10  # files of which the first dates are read
BUFFER = 8 << 20  # bytes of a column that one request reads
MAX_READ_BYTES = 64 << 20  # of texts that are held at a time
_NO_DICTIONARY = (
    "DecodeArrow of DictAccumulator"  # in pyarrow 26's error for pages that it does not read as dictionaries
)


@dataclass(frozen=True, kw_only=True)
class Parquet(Columns):
    """Parquet files; each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 3

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names the first, where files among up to `CHECKED` are missing, not Parquet, or lack
        a column."""
        looked_at = paths[:: -(-len(paths) // CHECKED) or 1]
        refused = [error for error in map_threads(self._refused, looked_at) if error is not None]
        if refused:
            more = f" ({len(refused)} of {len(looked_at)} files that were looked at cannot be read)"
            raise InputError(f"{refused[0]}{more if len(refused) > 1 else ''}")
        if "crawled_at" in self.named():
            self._check_dates(looked_at[:DATED])

    def _check_dates(self, paths: Sequence[str]) -> None:
        """Raises InputError where none of the first rows of these files has a date, and some have something else."""
        stated = [values for values in map_threads(self._first_dates, paths) if len(values)]
        read = [_converted(ReadTally(), "crawled_at", decoded_values("crawled_at", values)) for values in stated]
        if stated and all(dates.null_count == len(dates) for dates in read):
            shown = stated[0][0].as_py()
            raise holds_nothing("crawled_at", self.named()["crawled_at"], masked(paths[0]), len(stated[0]), shown)

    def _first_dates(self, path: str) -> pa.Array:
        """The dates in the first rows of a file."""
        with opened(path) as (footer, stream):
            fields = {name: field for name, field in self.checked(footer.schema, path).items() if name == "crawled_at"}
            file = pq.ParquetFile(stream, metadata=footer.metadata, pre_buffer=False, buffer_size=BUFFER)
            columns = columns_of(footer.schema, fields)
            batch = next(file.iter_batches(MAX_ROWS, columns=columns, use_threads=False), None) if fields else None
            return pa.array([]) if batch is None else values_of(batch, "crawled_at", fields["crawled_at"]).drop_null()

    def _refused(self, path: str) -> InputError | None:
        try:
            with opened(path) as (footer, _):
                self.checked(footer.schema, path)
        except InputError as error:
            return error
        return None

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

    def checked(self, schema: pa.Schema, path: str) -> dict[str, str]:
        """Document column -> field of this file. Raises InputError where it lacks one."""
        check_fields(schema, self.named(), path)
        return self.named()

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
                yield from self.batches(values, places, piece, source, tally, partial(_converted, tally))
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
            raise InputError(f"{path} cannot be read as Parquet: {error}") from error


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


def _converted(tally: ReadTally, name: str, values: pa.Array) -> pa.Array:
    invalid = 0
    if is_text(values.type):
        values, invalid = as_utf8(values, pa.large_string() if name == "text" else pa.string())
    if invalid:
        tally.records["lenient.invalid_utf8"] += invalid
    if name == "crawled_at":
        return dates(values)
    return values.cast(pa.large_string() if name == "text" else pa.string())  # numbers, and nulls of no type
