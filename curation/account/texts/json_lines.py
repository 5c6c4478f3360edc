"""Arrow tables as JSON lines, by DuckDB: no Python for a document.

Times are written as ISO 8601 (`2026-11-28T04:00:00.000Z`). Numbers that JSON lacks, such as NaN, become null.
"""

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

ISO = "%Y-%m-%dT%H:%M:%SZ"


class JsonLines:
    """`lines` of one table after the other; all have the same columns."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(config={"threads": 1})

    def lines(self, table: pa.Table) -> pa.Buffer:
        """The rows as UTF-8, each ending in a line feed."""
        columns = [_writable(column.combine_chunks()) for column in table.columns]
        rows = pa.table(columns, names=table.column_names)
        self._connection.register("rows", rows)
        texts = self._connection.sql("select to_json(rows) || chr(10) as line from rows").to_arrow_table()["line"]
        self._connection.unregister("rows")
        joined = pa.concat_arrays(chunk.cast(pa.large_string()) for chunk in texts.chunks)
        offsets = memoryview(joined.buffers()[1]).cast("q")
        return joined.buffers()[2][offsets[joined.offset] : offsets[joined.offset + len(joined)]]


def _writable(values: pa.Array) -> pa.Array:
    """The values with times as strings and without numbers that JSON lacks, also inside structs."""
    kind = values.type
    if pa.types.is_timestamp(kind):
        return pc.strftime(values, ISO)
    if pa.types.is_floating(kind):
        return pc.if_else(pc.fill_null(pc.is_finite(values), False), values, pa.scalar(None, kind))
    if pa.types.is_struct(kind):
        fields = [_writable(field) for field in values.flatten()]
        mask = values.is_null() if values.null_count else None
        return pa.StructArray.from_arrays(fields, [field.name for field in kind], mask=mask)
    return values
