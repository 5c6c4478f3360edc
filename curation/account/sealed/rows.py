"""Reads rows of one shard, by number or by a condition, with any columns that its documents have there.

`curation.core.composed` knows which file holds which column.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.composed import Files, read_rows, schema_of

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def read(files: Files, columns: Sequence[str], rows: Ints | None = None) -> pa.Table:
    """All rows, or those with the numbers int64[K] (ascending). The name "struct.field" gives the struct with only the
    named fields. Raises IndexError for a row number beyond the shard."""
    tables = list(read_rows(files, columns, rows=rows))
    if tables:
        return pa.concat_tables(tables)
    return schema_of(files, list(dict.fromkeys(name.partition(".")[0] for name in columns))).empty_table()


def scan(
    files: Files, columns: Sequence[str], where: pc.Expression | None = None, judged_by: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """The rows that meet a condition on the columns `judged_by`, in order, without empty batches.

    Those columns are read first, then the others, only in row groups with rows that meet it. The name "struct.field"
    gives a column of that field, with that name.
    """
    rows = None if where is None else _meeting(files, where, judged_by)
    for table in read_rows(files, columns, rows=rows):
        chosen = [_field(table, name) for name in columns]
        yield from pa.Table.from_arrays(chosen, names=list(columns)).combine_chunks().to_batches()


def columns_in(where: pc.Expression, schema: pa.Schema) -> list[str]:
    """The columns that a condition uses."""
    empty = schema.empty_table()

    def needed(name: str) -> bool:
        try:
            empty.drop_columns([name]).filter(where)
        except pa.ArrowInvalid:
            return True
        return False

    return [name for name in schema.names if needed(name)]


def _meeting(files: Files, where: pc.Expression, columns: Sequence[str]) -> Ints:
    """int64[K]: the numbers of the rows that meet the condition."""
    first = 0
    rows = [np.empty(0, np.int64)]
    for table in read_rows(files, columns or ["drop_reason"]):
        numbers = pa.array(np.arange(first, first + table.num_rows))
        rows.append(np.asarray(table.append_column("_row", numbers).filter(where)["_row"]))
        first += table.num_rows
    return np.concatenate(rows)


def _field(table: pa.Table, name: str) -> pa.ChunkedArray:
    column, *fields = name.split(".")
    return pc.struct_field(table[column], fields) if fields else table[column]
