"""Reads labelled documents from files: JSON lines or Parquet, by DuckDB, one thread and in the order of the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa
import pyarrow.fs as pafs

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.fits import LABEL, Examples
from curation.core.protocols import Piece
from curation.engine.run.read_step import check_unchanged

ROWS = 1024  # of a table that is read at a time
JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
COMPRESSED = (".gz", ".zst")
MOST_BYTES = 64 << 20  # of one line


@dataclass(frozen=True)
class ExampleFile:
    """One file, and how its documents are chosen."""

    piece: Piece
    examples: Examples

    @property
    def path(self) -> str:
        return self.piece.path


def labelled_rows(file: ExampleFile, label: str) -> Iterator[pa.Table]:
    """Tables of `text: large_string` and LABEL, without documents that have no text or no label. Raises InputError for
    a file that has changed since the plan, that cannot be read, or that lacks a field."""
    check_unchanged(file.piece)
    with _open(file, label) as chosen:
        for batch in chosen.to_arrow_reader(ROWS):
            table = pa.Table.from_batches([batch])
            yield table.cast(pa.schema([("text", pa.large_string()), (LABEL, pa.string())]))


def label_sizes(file: ExampleFile, label: str) -> dict[str, tuple[int, int]]:
    """Label -> documents, and UTF-8 bytes of their text. Raises InputError as `labelled_rows` does."""
    check_unchanged(file.piece)
    with _open(file, label) as chosen:
        counts = chosen.aggregate(f"{LABEL}, count(*), sum(strlen(text))").fetchall()
    return {name: (documents, int(size)) for name, documents, size in counts}


def check_fields(file: ExampleFile) -> None:
    """Raises InputError for a file that cannot be read or whose first rows lack a field."""
    with _open(file, "", look=True):
        pass


@contextmanager
def _open(file: ExampleFile, label: str, *, look: bool = False) -> Iterator[duckdb.DuckDBPyRelation]:
    """Text and label of the chosen documents, in order; `look` at which fields the file has."""
    examples = file.examples
    with duckdb.connect(config={"threads": 1, "preserve_insertion_order": True}) as connection:
        try:
            everything = _scan(connection, file, look=look)
            own = f"CAST({_path(examples.label)} AS VARCHAR)" if examples.label else _literal(label)
            chosen = everything.filter(examples.where) if examples.where else everything
            chosen = chosen.select(f"CAST({_path(examples.text)} AS VARCHAR) AS text, {own} AS {LABEL}")
            yield chosen.filter(f"text IS NOT NULL AND {LABEL} IS NOT NULL")
        except (duckdb.Error, OSError) as error:
            cause = " ".join(str(error).partition("\n\nLINE")[0].split())
            raise InputError(f"cannot read examples from {masked(file.path)}: {masked(cause)}") from error


def _scan(connection: duckdb.DuckDBPyConnection, file: ExampleFile, *, look: bool) -> duckdb.DuckDBPyRelation:
    """All rows. Where no condition is given and nobody looks, the fields are known, so no type is guessed from the
    first lines."""
    fs, path = storage.resolve(file.path)
    name = path
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    if isinstance(fs, pafs.PyFileSystem):
        connection.register_filesystem(fs.handler.fs)
        path = fs.handler.fs.unstrip_protocol(path)
    if name.endswith(".parquet"):
        return connection.read_parquet(path)
    if name.endswith(JSON_ENDINGS):
        examples = file.examples
        fields = [examples.text, *([examples.label] if examples.label else [])]
        known = not (look or examples.where or "." in "".join(fields))
        columns = dict.fromkeys(fields, "VARCHAR") if known else None
        return connection.read_json(path, format="newline_delimited", columns=columns, maximum_object_size=MOST_BYTES)
    raise InputError(
        f"cannot read examples from {masked(file.path)}: its name ends in neither .parquet nor .jsonl, which .gz or "
        ".zst may follow"
    )


def _path(field: str) -> str:
    """A field as SQL names it, one inside another by dots."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in field.split("."))


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
