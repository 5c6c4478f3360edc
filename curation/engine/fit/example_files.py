"""Reads labelled documents from files: JSON lines or Parquet, by DuckDB, one thread and in the order of the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.fits import LABEL, Examples
from curation.core.protocols import Piece
from curation.core.row_files import check_condition, field, literal, reading, rows_of
from curation.engine.run.read_step import check_unchanged

ROWS = 1024  # of a table that is read at a time


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


def check_fields(file: ExampleFile) -> None:
    """Raises InputError for a file that cannot be read or whose first rows lack a field."""
    with _open(file, "", look=True):
        pass


@contextmanager
def _open(file: ExampleFile, label: str, *, look: bool = False) -> Iterator[duckdb.DuckDBPyRelation]:
    """Text and label of the chosen documents, in order; `look` at which fields the file has."""
    examples = file.examples
    failed = f"cannot read examples from {masked(file.path)}"
    with reading(failed) as connection:
        everything = rows_of(connection, file.path, columns=_known(examples, look=look))
        if everything is None:
            raise InputError(f"{failed}: its name ends in neither .parquet nor .jsonl, which .gz or .zst may follow")
        own = f"CAST({field(examples.label)} AS VARCHAR)" if examples.label else literal(label)
        if examples.where:
            check_condition(connection, examples.where)
        chosen = everything.filter(examples.where) if examples.where else everything
        chosen = chosen.select(f"CAST({field(examples.text)} AS VARCHAR) AS text, {own} AS {LABEL}")
        yield chosen.filter(f"text IS NOT NULL AND {LABEL} IS NOT NULL")


def _known(examples: Examples, *, look: bool) -> dict[str, str] | None:
    """The fields of JSON lines with their types, so that none is guessed from the first lines; None where a condition
    is given or somebody looks."""
    fields = [examples.text, *([examples.label] if examples.label else [])]
    known = not (look or examples.where or "." in "".join(fields))
    return dict.fromkeys(fields, "VARCHAR") if known else None
