"""Arrow files (`.arrow`, `.feather`), as streams and with a footer, and the folders that `save_to_disk` of Hugging
Face's datasets writes: one document a row.

    - read: {arrow: {paths: [wiki/train], text: text, id: id}}

`origin_offset` is the row's number in the file. Strings and bytes are read as UTF-8; values with invalid bytes, which
get U+FFFD, are counted (`lenient.invalid_utf8`). A row whose text is null has the reason `extract:no_text`. A file is
read a record batch at a time, and never cut. A batch that is damaged is noted and passed over; where no batch can be
read any more, the file ends with a fault. Beside data, `save_to_disk` leaves descriptions and caches, which are no
input: `state.json`, `dataset_info.json`, `dataset_dict.json`, and `cache-*.arrow` beside a `state.json`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeAlias

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.names import system_name
from curation.core.odd_names import is_local
from curation.core.protocols import Piece, ReadTally
from curation.sources.inflate import OnFault
from curation.sources.parquet_fields import columns_of, paths_of, values_of
from curation.sources.typed_columns import TypedColumns, as_column
from curation.sources.units import group

FILE = b"ARROW1"  # begins a file with a footer
STREAM = b"\xff\xff\xff\xff"  # begins a stream
FEATHER_1 = b"FEA1"
DESCRIPTIONS = ("state.json", "dataset_info.json", "dataset_dict.json")  # beside the data of `save_to_disk`
SLICE = 1 << 16  # rows of a batch at a time
ROWS = 1 << 20  # of a file, whatever its size; and beyond …
ROWS_PER_BYTE = 250  # … as many for each of its bytes: a column of nulls has none
_BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}

Reader: TypeAlias = pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader


@dataclass(frozen=True, kw_only=True)
class Arrow(TypedColumns):
    """Arrow files; each `paths` entry is a file, a folder or a glob."""

    version: ClassVar[int] = 1

    def schema_of(self, path: str) -> pa.Schema:
        """The schema at the beginning of the file."""
        with opened(path) as stream:
            return reader_of(stream, path).schema

    def first_rows(self, path: str, names: Sequence[str]) -> pa.RecordBatch | None:
        """The first rows of the columns with these names; None for a file without batches."""
        with opened(path) as stream:
            return next((batch.slice(0, SLICE) for _, batch in batches_of(stream, path, names, lambda *_: None)), None)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a file is never cut."""
        return group(((Piece.of(file), file.size) for file in data_files(files)), group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing, not Arrow, or lacks a column."""
        for piece in unit:
            with opened(piece.path) as stream:
                schema = reader_of(stream, piece.path).schema
                fields = self.checked(schema, piece.path)
                on_fault = partial(tally.fault, piece.path)
                for row, batch in batches_of(stream, piece.path, columns_of(schema, fields), on_fault):
                    for start in range(0, len(batch), SLICE):
                        part = batch.slice(start, SLICE)
                        values = {name: values_of(part, name, field) for name, field in fields.items()}
                        places = np.arange(row + start, row + start + len(part))
                        yield from self.batches(values, places, piece, source, tally, partial(as_column, tally))


def data_files(files: Sequence[InputFile]) -> list[InputFile]:
    """The files without what `save_to_disk` leaves beside the data."""
    paths = {file.path for file in files}
    return [file for file in files if not _is_beside(file.path, paths)]


def _is_beside(path: str, paths: set[str]) -> bool:
    folder, _, name = path.rpartition("/")
    return name in DESCRIPTIONS or (name.startswith("cache-") and f"{folder}/{DESCRIPTIONS[0]}" in paths)


@contextmanager
def opened(path: str) -> Iterator[pa.NativeFile]:
    """The file's bytes: a local file is mapped, as its sizes may be anything."""
    fs, inner = storage.resolve(path)
    try:
        local = is_local(fs) and (fs.get_file_info(inner).size or 0) > 0
        stream = pa.memory_map(system_name(inner)) if local else fs.open_input_file(inner)
    except FileNotFoundError as error:
        raise InputError(f"no file at {path}; check `paths`") from error
    with stream:
        yield stream


def reader_of(stream: pa.NativeFile, path: str, names: Sequence[str] | None = None) -> Reader:
    """A reader of the columns with these names, or around them; None: of all. Raises InputError for no Arrow file."""
    stream.seek(0)
    head = stream.read(8)
    stream.seek(0)
    if head.startswith(FEATHER_1):
        raise InputError(
            f"{path} is of Feather's version 1; read it with pandas and write it with to_feather, or as Parquet"
        )
    if not head.startswith((FILE, STREAM)):
        raise InputError(f"{path} is no Arrow file: it begins with {head!r}; `winnow inspect FILE` says what reads it")
    if head.startswith(STREAM) and int.from_bytes(head[4:], "little") > stream.size():
        raise InputError(f"{path} cannot be read as Arrow: it ends within its schema")
    open_as = pa.ipc.open_file if head.startswith(FILE) else pa.ipc.open_stream
    try:
        reader = open_as(stream)
        list(paths_of(reader.schema))  # whose names may be no UTF-8
        if names is None:
            return reader
        every = reader.schema.names
        stream.seek(0)
        wanted = [at for at, column in enumerate(every) if any(f"{name}.".startswith(f"{column}.") for name in names)]
        return open_as(stream, options=pa.ipc.IpcReadOptions(included_fields=wanted, use_threads=False))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Arrow: {' '.join(str(error).split())}") from error


def batches_of(
    stream: pa.NativeFile, path: str, names: Sequence[str], on_fault: OnFault
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Each sound batch of the columns with these names, and the number of its first row."""
    reader = reader_of(stream, path, names)
    most = ROWS + ROWS_PER_BYTE * stream.size()
    row = 0
    number = 0
    while True:
        try:
            batch = _next(reader, number)
        except (pa.ArrowException, OSError, MemoryError) as error:
            on_fault(row, f"record batch {number} is damaged: {error}")
            if isinstance(reader, pa.ipc.RecordBatchStreamReader):
                return
            number += 1
            continue
        if batch is None:
            return
        number += 1
        if row + len(batch) > most:
            on_fault(row, f"record batch {number - 1} has {len(batch):,} rows, more than the file's size allows")
            return
        if wrong := _unsound(batch):
            on_fault(row, f"record batch {number - 1} is damaged: {wrong}")
        elif len(batch):
            yield row, batch
        row += len(batch)


def _next(reader: Reader, number: int) -> pa.RecordBatch | None:
    """The batch with this number, which follows the last one; None at the end."""
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return reader.get_batch(number) if number < reader.num_record_batches else None
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None


def _unsound(batch: pa.RecordBatch) -> str:
    """Says what is wrong with a batch of unchecked buffers; "" if nothing is. Strings may be any bytes."""
    try:
        batch.validate()
        for column in batch.columns:
            (column.view(_BYTES[column.type]) if column.type in _BYTES else column).validate(full=True)
    except (pa.ArrowException, NotImplementedError) as error:
        return str(error)
    return ""
