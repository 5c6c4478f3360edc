"""Queries a run's documents in SQL: each stage of documents is a view, with all columns that its documents have there.

DuckDB sees one data set per stage, which reads the columns of a query from the stages that hold them: a query about a
signal opens one file per shard and reads no text. Stages whose names do not occur in the query are not opened.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.core.errors import UserError


class Views:
    """A connection to an empty database in memory, with a run's stages as views; a context that closes it."""

    def __init__(self, run: RunFolder) -> None:
        self._stages = {stage.name: stage for stage in run.stages if stage.verb.documents and stage.shards}
        self._connection = duckdb.connect(config={"python_enable_replacements": False})

    @property
    def names(self) -> list[str]:
        """The views, in the order of the run."""
        return list(self._stages)

    def ask(self, query: str) -> tuple[list[str], Iterator[dict[str, Any]]]:
        """The columns of the answer, and its rows, computed as they are read. A statement without an answer has no
        columns. Raises UserError in one line for a query that DuckDB refuses."""
        try:
            for name, stage in self._stages.items():
                if name.casefold() in query.casefold():
                    self._connection.register(name, _Documents(stage))
            answer = self._connection.sql(query)
            if answer is None:
                return [], iter(())
            reader = answer.to_arrow_reader(1024)
        except duckdb.Error as error:
            raise self._refused(error) from error
        return reader.schema.names, self._rows(reader)

    def _rows(self, reader: pa.RecordBatchReader) -> Iterator[dict[str, Any]]:
        try:
            for batch in reader:
                yield from batch.to_pylist()
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> UserError:
        cause = " ".join(str(error).partition("\n\nLINE")[0].split())
        hint = f"; the run's views are {', '.join(self.names)}" if "Table with name" in cause else ""
        return UserError(f"{cause}{hint}")

    def __enter__(self) -> "Views":
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()


class _Documents(ds.Dataset):  # type: ignore[misc]  # DuckDB passes columns and conditions on to nothing else
    """A stage's documents as DuckDB scans them."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def schema(self) -> pa.Schema:
        return self._stage.schema

    def scanner(
        self, columns: Sequence[str] | None = None, filter: pc.Expression | None = None, **options: object
    ) -> ds.Scanner:
        names = self.schema.names if columns is None else list(columns)
        schema = pa.schema([self.schema.field(name) for name in names])
        return ds.Scanner.from_batches(self._stage.scan(names, filter), schema=schema)
