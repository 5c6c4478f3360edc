"""Files of documents: Parquet, or JSON lines that may be compressed. A new file begins where one has FILE_BYTES.

Where a file ends follows from the documents alone, so the same documents give the same bytes.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.texts.json_lines import JsonLines
from curation.core import storage
from curation.core.new_file import NewFile

Form = Literal["parquet", "jsonl", "jsonl.gz", "jsonl.zst", "datasets"]
FILE_BYTES = 1 << 30  # of a file's columns in memory; Parquet takes about a third of that on the disk
GROUP_BYTES = 32 << 20  # … and of a row group
GROUP_ROWS = 10_000
GZIP_LEVEL = 6


@dataclass(frozen=True)
class TextFile:
    """A finished file, by its name in the folder."""

    name: str
    documents: int
    bytes: int
    blake2b: str


class DocumentFiles:
    """The files `<prefix>-00000.<suffix>` … of a folder. `add` tables of the same columns, then `close` once."""

    def __init__(self, folder: str, prefix: str, form: Form, *, file_bytes: int = FILE_BYTES) -> None:
        self._folder = folder
        self._prefix = prefix
        self._form = form
        self._file_bytes = file_bytes
        self._json = JsonLines() if form.startswith("jsonl") else None
        self._waiting: list[pa.Table] = []
        self._file: _OpenFile | None = None
        self._done: list[TextFile] = []

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        rows = sum(one.num_rows for one in self._waiting)
        if rows >= GROUP_ROWS or sum(one.nbytes for one in self._waiting) >= GROUP_BYTES:
            self._write()

    def close(self) -> list[TextFile]:
        """The files, none where there was no document."""
        if self._waiting:
            self._write()
        self._finish()
        return self._done

    def _write(self) -> None:
        """The waiting rows, as one row group."""
        table = pa.concat_tables(self._waiting)
        self._waiting = []
        if self._file is None:
            name = f"{self._prefix}-{len(self._done):05d}.{'parquet' if self._json is None else self._form}"
            self._file = _OpenFile(storage.join(self._folder, name), name, table.schema, self._json)
        self._file.write(table)
        if self._file.held >= self._file_bytes:
            self._finish()

    def _finish(self) -> None:
        if self._file is not None:
            self._done.append(self._file.finish())
            self._file = None


class _OpenFile:
    """A file that is being written; `held` are the bytes of its columns so far."""

    def __init__(self, uri: str, name: str, schema: pa.Schema, json: JsonLines | None) -> None:
        self.held = 0
        self._rows = 0
        self._name = name
        self._json = json
        self._new = NewFile(uri)
        self._sink: Any = _compressing(self._new, name)
        self._parquet = pq.ParquetWriter(self._new, schema, compression="zstd") if json is None else None

    def write(self, table: pa.Table) -> None:
        self.held += table.nbytes
        self._rows += table.num_rows
        if self._parquet is not None:
            self._parquet.write_table(table, row_group_size=table.num_rows)
        else:
            assert self._json is not None, "a file is Parquet or JSON lines"
            self._sink.write(self._json.lines(table))

    def finish(self) -> TextFile:
        if self._parquet is not None:
            self._parquet.close()
        else:
            self._sink.close()
        facts = self._new.publish()
        return TextFile(self._name, self._rows, facts.bytes, facts.blake2b)


def _compressing(file: NewFile, name: str) -> Any:
    """The file, or what compresses into it as its name says."""
    if name.endswith(".gz"):
        return gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)  # without name and time: equal texts, equal bytes
    if name.endswith(".zst"):
        return pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd")
    return file


def by_split(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each split that the table has, under its name."""
    for split in table["split"].unique().to_pylist():
        yield split, table.filter(pa.compute.equal(table["split"], split))
