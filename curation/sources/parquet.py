"""Parquet files: one document a row, large files split by row groups.

`origin_offset` is the row's number in the file. A text column of bytes is read as UTF-8, with U+FFFD for invalid bytes.
A row whose text is null has the reason `extract:no_text`.

A few kilobytes may stand for terabytes, so dictionaries are not decoded before texts are measured, and the pages of a
large column are measured before they are decompressed: a row group whose largest pages hold more than `MAX_READ_BYTES`
is not read but counted, by rows (`skipped.large_page`).
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.dates import dates
from curation.sources.faults import note_fault
from curation.sources.mapping import Columns
from curation.sources.parquet_pages import MAX_READ_BYTES, rows_at_once
from curation.sources.units import group

BUFFER = 8 << 20  # bytes of a column that one request reads


@dataclass(frozen=True, kw_only=True)
class Parquet(Columns):
    """Parquet files; each `paths` entry is a file, a folder or a glob."""

    paths: tuple[str, ...]  # files, folders, globs or URIs; --input gives others

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 1

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large ones into ranges of row groups; reads the footers of the large ones."""
        pieces: list[tuple[Piece, int]] = []
        for file in files:
            small = file.size <= split_bytes
            pieces += [(Piece.of(file), file.size)] if small else _ranges(file, split_bytes)
        return group(pieces, group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing, not Parquet, or lacks a column."""
        for piece in unit:
            with _opened(piece.path) as (file, stream):
                yield from self._read_piece(file, stream, piece, source, tally)

    def _read_piece(
        self, file: pq.ParquetFile, stream: pa.NativeFile, piece: Piece, source: str, tally: ReadTally
    ) -> Iterator[pa.RecordBatch]:
        fields = self.named()
        for field in fields.values():
            _check_field(file.schema_arrow, field, piece.path)
        file = _undecoded(file.metadata, stream, fields.values())
        stop = file.num_row_groups if piece.stop < 0 else piece.stop
        row = sum(file.metadata.row_group(i).num_rows for i in range(piece.start))
        columns = sorted(set(fields.values()))
        for number in range(piece.start, stop):
            rows = file.metadata.row_group(number).num_rows
            at_once = rows_at_once(stream, file.metadata.row_group(number), columns)
            if at_once == 0:
                tally.records["skipped.large_page"] += rows
                note_fault(tally, piece.path, row, f"row group {number} has pages of more than {MAX_READ_BYTES} bytes")
                row += rows
                continue
            for batch in file.iter_batches(at_once, row_groups=[number], columns=columns, use_threads=False):
                values = {name: _nested(batch, field) for name, field in fields.items()}
                places = np.arange(row, row + len(batch))
                yield from self.batches(values, places, piece, source, tally, partial(_converted, fields, piece.path))
                row += len(batch)


@contextmanager
def _opened(path: str) -> Iterator[tuple[pq.ParquetFile, pa.NativeFile]]:
    """The file and its bytes."""
    fs, inner = storage.resolve(path)
    try:
        stream = fs.open_input_file(inner)
    except FileNotFoundError as error:
        raise InputError(f"no file at {path}; check `paths`") from error
    with stream:
        try:
            yield pq.ParquetFile(stream), stream
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"{path} cannot be read as Parquet: {error}") from error


def _undecoded(metadata: pq.FileMetaData, stream: pa.NativeFile, fields: Iterable[str]) -> pq.ParquetFile:
    """The file with the dictionaries of its fields as they are stored."""
    stored = {metadata.schema.column(i).path for i in range(metadata.num_columns)}
    names = sorted(stored.intersection(fields))
    # Buffered: pre-buffering would hold all that a row group stores.
    return pq.ParquetFile(stream, metadata=metadata, read_dictionary=names, pre_buffer=False, buffer_size=BUFFER)


def _ranges(file: InputFile, split_bytes: int) -> list[tuple[Piece, int]]:
    """Ranges of consecutive row groups, as many as fit in `split_bytes`, at least one; or the whole file."""
    with _opened(file.path) as (parquet, _):
        sizes = [_stored_bytes(parquet.metadata.row_group(i)) for i in range(parquet.num_row_groups)]
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


def _stored_bytes(group: pq.RowGroupMetaData) -> int:
    return sum(group.column(i).total_compressed_size for i in range(group.num_columns))


def _check_field(schema: pa.Schema, field: str, path: str) -> None:
    known = list(_paths(schema))
    if field not in known:
        near = difflib.get_close_matches(field, known, 1, cutoff=0.0)
        nearest = f"; the nearest name is {near[0]}" if near else ""
        raise InputError(f"{path} has no column {field!r}; it has {', '.join(known) or 'none'}{nearest}")


def _paths(fields: pa.Schema | pa.StructType, prefix: str = "") -> Iterator[str]:
    for field in fields:
        yield prefix + field.name
        if pa.types.is_struct(field.type):
            yield from _paths(field.type, f"{prefix}{field.name}.")


def _converted(fields: Mapping[str, str], path: str, name: str, values: pa.Array) -> pa.Array:
    if name == "crawled_at":
        return dates(values)
    kind = values.type
    target = pa.large_string() if name == "text" else pa.string()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _utf8(values, target)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if not (kind in (pa.null(), pa.string(), pa.large_string(), pa.string_view()) or (name == "id" and number)):
        raise InputError(f"column {fields[name]!r} of {path} is {kind}; {name} must be text")
    return values.cast(target)


def _nested(batch: pa.RecordBatch, field: str) -> pa.Array:
    if field in batch.schema.names:
        return batch.column(field)
    first, *rest = field.split(".")
    return pc.struct_field(batch.column(first), rest)


def _utf8(values: pa.Array, target: pa.DataType) -> pa.Array:
    try:
        return values.cast(target)
    except pa.ArrowInvalid:  # some value is not UTF-8
        return pa.array([None if v is None else v.decode("utf-8", "replace") for v in values.to_pylist()], target)
