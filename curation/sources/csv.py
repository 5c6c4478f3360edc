"""Files with delimiters (CSV, TSV): one document a row, plain or as gzip, zstd, lz4, xz or bzip2.

    - read: {csv: {paths: [posts.csv], text: body, id: id, url: link}}
    - read: {csv: {paths: [dump.txt], header: [id, title, text], delimiter: "|", quote: ""}}

The first row names the fields, unless `header` does. Quotes are those of RFC 4180, so a quoted field may hold
delimiters and line breaks. Without `delimiter`, it is a tab where a name ends in .tsv or .tab, and else the one of
comma, tab, semicolon and bar by which the first row has most fields. An empty field is none: a row without a text has
the reason `extract:no_text`.

A row with more or fewer fields than the first is counted (`skipped.bad_row`) and noted, as nothing tells which of its
fields is the text. A quote without an end is counted likewise, and a row longer than `max_row_bytes` as
`skipped.long_row`; after both, reading goes on in the next line. A byte order mark decides the encoding; a file that is
not UTF-8 is read by the encoding that it seems to be in (`lenient.charset`), and bytes that still are none become
U+FFFD (`lenient.invalid_utf8`). `origin_offset` is the row's offset in the decompressed file, as UTF-8. A file is never
cut, since only reading it from its beginning tells which line breaks are within quotes.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.csv_blocks import NO_END, CsvBlock, as_utf8_chunks, csv_blocks, dialect_of, header_of
from curation.sources.csv_rows import MALFORMED, Dialect, field_values
from curation.sources.inflate import OnFault
from curation.sources.lines import file_chunks
from curation.sources.parquet_fields import columns_of, values_of
from curation.sources.rows_behind_damage import RowsBehindDamage
from curation.sources.typed_columns import TypedColumns, as_column
from curation.sources.zips import ZIP
from curation.text.kernels.buffers import Indices

LOOK = 1 << 20  # bytes of a file's beginning with its first rows
_WORDS = {"tab": "\t"}


class _Beginning(NamedTuple):
    """A file's first bytes, the names of its fields, and where its first row behind them begins."""

    chunks: Iterator[bytes]
    data: bytes
    dialect: Dialect
    names: Sequence[str]
    rows: int

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(name, pa.large_binary()) for name in self.names])


@dataclass(frozen=True, kw_only=True)
class Csv(TypedColumns):
    """Files with delimiters; each `paths` entry is a file, a folder or a glob."""

    delimiter: Annotated[str | None, "between fields: a character, or tab; None: by the name and the first row"] = None
    quote: Annotated[str, "around fields that hold delimiters: a character; empty: none"] = '"'
    header: Annotated[tuple[str, ...], "names of the fields; empty: the first row has them"] = ()
    max_row_bytes: Annotated[int, "a longer row is skipped"] = 32 << 20

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("delimiter", self._delimiter or ","), ("quote", self.quote or '"')):
            if len(value) != 1 or not value.isascii() or value in "\r\n\0":
                raise ValueError(f"{name} is {value!r}; give one ASCII character, such as ';', or tab for a tab")
        if self.quote and self._delimiter == self.quote:
            raise ValueError(f"delimiter and quote are both {self.quote!r}; give two characters")
        if len(set(self.header)) < len(self.header):
            raise ValueError("header names a field twice; give each a name of its own")
        if self.max_row_bytes < 1:
            raise ValueError(f"max_row_bytes is {self.max_row_bytes}; give 1 or more")

    @property
    def _delimiter(self) -> str | None:
        return None if self.delimiter is None else _WORDS.get(self.delimiter, self.delimiter)

    def checked(self, schema: pa.Schema, path: str) -> dict[str, str]:
        """As that of all; says what to do where the first row holds no names."""
        try:
            return super().checked(schema, path)
        except InputError as error:
            hint = "" if self.header else "; if the first row has no names, give them as `header: [id, text, …]`"
            raise InputError(f"{error}{hint}") from error

    def schema_of(self, path: str) -> pa.Schema:
        """The fields of the first row, which may hold any bytes."""
        with closing(file_chunks(path, 0, False, lambda *_: None)) as chunks:
            return self._begun(path, chunks, ReadTally()).schema

    def first_rows(self, path: str, names: Sequence[str]) -> pa.RecordBatch | None:
        """Some of the fields with these names."""
        with closing(file_chunks(path, 0, False, lambda *_: None)) as chunks:
            begun = self._begun(path, chunks, ReadTally())
            looked = begun._replace(data=begun.data[:LOOK], chunks=iter(()))
            blocks = self._blocks(looked, names, lambda *_: None, lambda *_: None)
            return next((self._sound(begun, block, names, lambda *_: None)[1] for block in blocks), None)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError for a file that is missing, empty or lacks a field."""
        for piece in unit:
            damage = RowsBehindDamage(piece.path, tally)
            tally.rows_of(piece.path, "row")
            with closing(file_chunks(piece.path, 0, False, damage.fault, on_passed=damage.passed)) as chunks:
                yield from self._rows(self._begun(piece.path, chunks, tally), piece, source, tally)
            damage.end()

    def _rows(self, begun: _Beginning, piece: Piece, source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        fields = self.checked(begun.schema, piece.path)
        names = columns_of(begun.schema, fields)
        on_bad = partial(tally.skip, piece.path, "bad_row")
        for block in self._blocks(begun, names, on_bad, partial(tally.skip, piece.path, "long_row")):
            offsets, batch = self._sound(begun, block, names, on_bad)
            tally.rows_of(piece.path).read += len(batch)
            values = {name: values_of(batch, name, field) for name, field in fields.items()}
            yield from self.batches(values, offsets, piece, source, tally, partial(as_column, tally))

    def _begun(self, path: str, chunks: Iterator[bytes], tally: ReadTally) -> _Beginning:
        chunks = as_utf8_chunks(chunks, tally)
        data = next(chunks, b"")
        if data.startswith(ZIP):
            raise InputError(f"{path} is a zip archive; unpack it, and give the file in it")
        dialect = dialect_of(path, data, self._delimiter, self.quote)
        found = (list(self.header), 0) if self.header else header_of(np.frombuffer(data, np.uint8), dialect, path)
        return _Beginning(chunks, data, dialect, *found)

    def _blocks(self, begun: _Beginning, names: Sequence[str], on_bad: OnFault, on_long: OnFault) -> Iterator[CsvBlock]:
        columns = np.array([begun.names.index(name) for name in names], np.int64)
        first = begun.data[begun.rows :]
        return csv_blocks(begun.chunks, first, begun.rows, begun.dialect, columns, self.max_row_bytes, on_bad, on_long)

    def _sound(
        self, begun: _Beginning, block: CsvBlock, names: Sequence[str], on_bad: OnFault
    ) -> tuple[Indices, pa.RecordBatch]:
        """Offsets int64[R] and the fields with these names of the rows that have as many fields as the first."""
        rows = block.rows
        sound = rows.fields == len(begun.names)
        for bad in np.flatnonzero(~sound).tolist():
            error = f"row of {rows.fields[bad]} fields, not {len(begun.names)}"
            on_bad(block.offset + int(rows.offsets[bad]), NO_END if rows.fields[bad] == MALFORMED else error)
        columns = []
        for start, stop in zip(rows.starts, rows.stops, strict=True):
            values = field_values(block.data, start[sound], stop[sound], begun.dialect.quote)
            empty = pc.equal(pc.binary_length(values), 0)
            columns.append(pc.if_else(empty, pa.scalar(None, values.type), values))
        schema = pa.schema([(name, pa.large_binary()) for name in names])
        return block.offset + rows.offsets[sound], pa.RecordBatch.from_arrays(columns, schema=schema)
