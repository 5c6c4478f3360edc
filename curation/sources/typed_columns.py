"""The base of sources whose files say which columns they have: a wrong field is refused before work, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.first_look import look_at, looked_at
from curation.core.protocols import ReadTally
from curation.core.threads import map_threads
from curation.sources.dates import dates
from curation.sources.first_rows import holds_nothing
from curation.sources.mapping import Columns, decoded_values
from curation.sources.parquet_fields import as_utf8, check_fields, columns_of, is_text, values_of

CHECKED = 1_000  # files that are looked at before work, evenly spread over all; one that is not is refused when read
DATED = 10  # files of which the first dates are read


@dataclass(frozen=True, kw_only=True)
class TypedColumns(Columns):
    """Files of columns with names and types."""

    def schema_of(self, path: str) -> pa.Schema:
        """The columns of a file. Raises InputError for one that is missing or cannot be read."""
        raise NotImplementedError

    def first_rows(self, path: str, names: Sequence[str]) -> pa.RecordBatch | None:
        """The first rows of a file, in the columns with these names; None if there are none."""
        raise NotImplementedError

    def checked(self, schema: pa.Schema, path: str) -> dict[str, str]:
        """Document column -> field of this file. Raises InputError where it lacks one."""
        check_fields(schema, self.named(), path)
        return self.named()

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names the first, where files among up to `CHECKED` are missing, cannot be read, or
        lack a column."""
        looked_at = paths[:: -(-len(paths) // CHECKED) or 1]
        refused = [error for error in map_threads(self._refused, looked_at) if error is not None]
        if refused:
            more = f" ({len(refused)} of {len(looked_at)} files that were looked at cannot be read)"
            raise InputError(f"{refused[0]}{more if len(refused) > 1 else ''}")
        if "crawled_at" in self.named():
            self._check_dates(looked_at[:DATED])

    def _check_dates(self, paths: Sequence[str]) -> None:
        """Raises InputError where none of the first rows of these files has a date, and some have something else."""
        stated = [values for values in look_at(self._first_dates, paths) if len(values)]
        read = [as_column(ReadTally(), "crawled_at", decoded_values("crawled_at", values)) for values in stated]
        if stated and all(dates.null_count == len(dates) for dates in read):
            shown = _shown(stated[0][0])
            raise holds_nothing("crawled_at", self.named()["crawled_at"], masked(paths[0]), len(stated[0]), shown)

    def _first_dates(self, path: str) -> pa.Array:
        """The dates in the first rows of a file."""
        schema = self.schema_of(path)
        fields = {name: field for name, field in self.checked(schema, path).items() if name == "crawled_at"}
        batch = self.first_rows(path, columns_of(schema, fields)) if fields else None
        return pa.array([]) if batch is None else values_of(batch, "crawled_at", fields["crawled_at"]).drop_null()

    def _refused(self, path: str) -> InputError | None:
        try:
            looked_at(path, partial(self._check_schema, path))
        except InputError as error:
            return error
        return None

    def _check_schema(self, path: str) -> None:
        self.checked(self.schema_of(path), path)


def _shown(value: pa.Scalar) -> Any:
    """A value for a message. Python has no dates beyond the year 9999."""
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return value.cast(pa.int64()).as_py()


def as_column(tally: ReadTally, name: str, values: pa.Array) -> pa.Array:
    """Values as `Columns.batches` wants them; those with invalid UTF-8 are counted."""
    invalid = 0
    if is_text(values.type):
        values, invalid = as_utf8(values, pa.large_string() if name == "text" else pa.string())
    if invalid:
        tally.records["lenient.invalid_utf8"] += invalid
    if name == "crawled_at":
        return dates(values)
    return values.cast(pa.large_string() if name == "text" else pa.string())  # numbers, and nulls of no type
