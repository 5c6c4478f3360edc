"""Queries a run's documents in SQL: each stage of documents is a view, with all columns that its documents have there.

DuckDB sees one data set per stage, which reads the columns of a query from the stages that hold them: a query about a
signal opens one file per shard and reads no text. Stages whose names do not occur in the query are not opened.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.status import not_yet
from curation.core.close_names import nearest
from curation.core.errors import UserError

NO_TABLE = re.compile(r"Table with name (.{1,300}) does not exist!")
PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")  # needs no quotes in SQL, unless it is one of its words


class Views:
    """A connection to an empty database in memory, with a run's stages as views; a context that closes it.

    Its threads call Python, which must not end before them: leaving the context ends the answer and waits for them.
    """

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._reader = pa.RecordBatchReader.from_batches(pa.schema([]), ())
        self._stages = {stage.name: stage for stage in run.stages if stage.verb.documents and stage.shards}
        self._connection = duckdb.connect(config={"python_enable_replacements": False})

    @property
    def names(self) -> list[str]:
        """The views, in the order of the run."""
        return list(self._stages)

    def ask(self, query: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
        """The columns of the answer, and its rows, computed as they are read, until the next question. A statement
        without an answer has no columns. Raises UserError in one line for a query that DuckDB refuses."""
        self._reader.close()
        try:
            for name, stage in self._stages.items():
                if name.casefold() in query.casefold():
                    self._connection.register(name, _Documents(stage))
            answer = self._connection.sql(query)
            if answer is None:
                return [], iter(())
            self._reader = answer.to_arrow_reader(1024)
        except duckdb.Error as error:
            raise self._refused(error, self._unquoted(query)) from error
        return self._reader.schema.names, self._rows()

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            for batch in self._reader:
                yield from batch.to_pylist()
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise self._refused(error) from error

    def _unquoted(self, query: str) -> str:
        """What to write for the first view whose name SQL reads as something else, as it does the "-" of "web-gopher";
        empty if the query names none like that."""
        for name in self._stages:
            bare = rf"(?<![\w\"'-]){re.escape(name)}(?![\w\"'-])"
            if not PLAIN_NAME.fullmatch(name) and re.search(bare, query, re.IGNORECASE):
                return f'; in SQL the view {name} is written with double quotes: "{name}"'
        return ""

    def _refused(self, error: Exception, hint: str = "") -> UserError:
        # What Python raised while DuckDB read a stage stands behind what DuckDB says of it.
        cause = " ".join(str(error).partition("\n\nLINE")[0].rpartition("InputError: ")[2].split())
        missing = NO_TABLE.search(cause)
        if missing is None or hint:
            return UserError(cause + hint)
        pending = not_yet(self._run)
        if not self._stages:
            return UserError(f"the run has no views: {pending or 'none of its stages has documents'}")
        return UserError(f"no view named {missing[1]!r}{nearest(missing[1], self._stages)}{pending and f'; {pending}'}")

    def __enter__(self) -> "Views":
        return self

    def __exit__(self, *exception: object) -> None:
        self._reader.close()
        self._connection.close()


class _Documents(ds.Dataset):  # type: ignore[misc]  # DuckDB passes columns and conditions on to nothing else
    """A stage's documents as DuckDB scans them."""

    def __init__(self, stage: SealedStage) -> None:
        self._stage = stage

    @property
    def schema(self) -> pa.Schema:
        return self._stage.schema

    def scanner(
        self, columns: Sequence[str] | None = None, filter: pc.Expression | None = None, **options: object
    ) -> "_Scan":
        names = self.schema.names if columns is None else list(columns)
        schema = pa.schema([self.schema.field(name) for name in names])
        return _Scan(pa.RecordBatchReader.from_batches(schema, self._stage.scan(names, filter)))


@dataclass(frozen=True)
class _Scan:
    """One pass over a view. A Scanner of Arrow would read ahead in threads of its own, which nothing stops or awaits
    when a query ends early: Python then dies of them on its way out."""

    reader: pa.RecordBatchReader

    @property
    def projected_schema(self) -> pa.Schema:
        return self.reader.schema

    def to_reader(self) -> pa.RecordBatchReader:
        return self.reader
