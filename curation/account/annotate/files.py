"""Documents of JSON lines or Parquet files that are not a run: each needs a field `text`.

`doc_id`, `url` and `source` are taken where a file has them; else a document's id is the hash of its text, and its
source the file's name. Files are read by DuckDB, JSON lines also where compressed with gzip or zstd.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.annotate.documents import DocumentUnit
from curation.account.annotate.strata import Ints
from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.row_files import field, reading, rows_of
from curation.text.kernels.hashing import hash128

TEXTS = ("doc_id", "url", "source", "text")  # fields that are read as text
ROWS = 4096  # at a time


@dataclass(frozen=True)
class FileUnit(DocumentUnit):
    """A file with a document per row."""

    path: str

    def check(self, signal: str | None) -> None:
        """Raises InputError where the file cannot be read, or has no text or no such signal."""
        if "text" not in self._types:
            raise InputError(f"{self.path} has no field 'text'{nearest('text', self._types)}")
        if signal is not None and signal.partition(".")[0] not in self._types:
            raise InputError(f"{self.path} has no field {signal!r}{nearest(signal.partition('.')[0], self._types)}")
        next(self._read(["text"], signal, rows=1), None)

    def ids(self, signal: str | None) -> Iterator[pa.Table]:
        for table in self.tables(signal):
            yield table.append_column("usable", table["text"].is_valid())

    def documents(self, rows: Ints) -> pa.Table:
        first = 0
        tables = list[pa.Table]()
        for table in self.tables():
            low, high = np.searchsorted(rows, [first, first + len(table)])
            if low < high:
                tables.append(table.take(pa.array(rows[low:high] - first)))
            first += len(table)
        return pa.concat_tables(tables)

    def fields(self) -> list[str]:
        """The names of its fields."""
        return list(self._types)

    def texts(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """All rows, in order: the fields of these names as text."""
        return self._read(self._own(*names))

    def tables(self, signal: str | None = None) -> Iterator[pa.Table]:
        """All rows, in order: `doc_id`, `url`, `source`, `text` and, for a signal, `value`."""
        for table in self._read(["text", *self._own("doc_id", "source", "url")], signal):
            url = table["url"] if "url" in table.column_names else pa.nulls(len(table), pa.string())
            own = {"doc_id": self._ids(table), "url": url, "source": self._sources(table)}
            value = {"value": table["value"]} if signal is not None else {}
            yield pa.table({**own, "text": table["text"].cast(pa.large_string()), **value})

    def _ids(self, table: pa.Table) -> pa.Array:
        hi, lo = hash128(table["text"].cast(pa.large_string()).combine_chunks())
        hashes = pa.array([f"{a:016x}{b:016x}" for a, b in zip(hi.tolist(), lo.tolist(), strict=True)], pa.string())
        return pc.coalesce(table["doc_id"], hashes) if "doc_id" in table.column_names else hashes

    def _sources(self, table: pa.Table) -> pa.Array:
        name = pa.scalar(PurePosixPath(self.path).name)
        return pc.coalesce(table["source"], name) if "source" in table.column_names else pa.repeat(name, len(table))

    def _own(self, *names: str) -> list[str]:
        return [name for name in names if name in self._types]

    @cached_property
    def _types(self) -> dict[str, str]:
        """The fields, with the types that DuckDB finds in the file's first lines."""
        with self._open() as rows:
            fields = zip(rows.columns, rows.types, strict=True)
            return {name: "VARCHAR" if name in TEXTS else str(kind) for name, kind in fields}

    def _read(self, fields: Sequence[str], signal: str | None = None, *, rows: int | None = None) -> Iterator[pa.Table]:
        """The fields as text and, for a signal, `value`; of the first `rows`."""
        chosen = [f"cast({field(name)} as varchar) as {field(name)}" for name in fields]
        top = {*fields}
        if signal is not None:
            chosen.append(f"{field(signal)} as value")
            top.add(signal.partition(".")[0])
        with self._open(columns={name: kind for name, kind in self._types.items() if name in top}) as found:
            selected = found.select(", ".join(chosen))
            for batch in (selected if rows is None else selected.limit(rows)).to_arrow_reader(ROWS):
                yield pa.Table.from_batches([batch])

    @contextmanager
    def _open(self, **json: Any) -> Iterator[duckdb.DuckDBPyRelation]:
        failed = f"cannot read documents from {self.path}, as JSON lines or Parquet"
        with reading(failed) as connection:
            rows = rows_of(connection, self.path, **json)
            if rows is None:
                raise InputError(
                    f"{failed}: its name ends in neither .parquet nor .jsonl, which .gz or .zst may follow"
                )
            yield rows


def file_units(pattern: str, signal: str | None) -> list[FileUnit]:
    """A unit per file of a path, folder or glob. Raises InputError where one has no text or no such signal."""
    if storage.in_store(pattern):
        raise InputError(f"{pattern}: files are read from a local disk; copy them there, or name a run")
    units = [FileUnit(file.path) for file in list_files(pattern)]
    for unit in units:
        unit.check(signal)
    return units
