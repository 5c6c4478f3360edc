"""Reads one Parquet file of a run: all rows, those that meet a condition, or those with given numbers (K of them)."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.parquet_file import open_parquet
from curation.core.threads import map_threads

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def read(uri: str, columns: Sequence[str] | None = None) -> pa.Table:
    """All rows. The name "struct.field" gives the struct with only the named fields."""
    with open_parquet(uri) as parquet:
        return parquet.read(columns=columns)


def take(
    uri: str, rows: Ints, columns: Sequence[str] | None = None, *, reduce: Callable[[pa.Table], pa.Table] | None = None
) -> pa.Table:
    """The rows with the numbers int64[K], in that order. Reads only their row groups, several at a time.

    `reduce` shrinks each row group's rows before they are concatenated, for example to the lengths of texts.
    Raises IndexError for a row number beyond the file.
    """
    with open_parquet(uri) as parquet:
        metadata, schema = parquet.metadata, parquet.schema_arrow
    ends = np.cumsum([metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)], dtype=np.int64)
    if len(rows) and not 0 <= rows.min() <= rows.max() < metadata.num_rows:
        raise IndexError(f"row {rows.max()} of {metadata.num_rows}")
    groups = np.searchsorted(ends, rows, side="right")

    def rows_of(group: int) -> pa.Table:
        with open_parquet(uri, metadata) as parquet:
            table = parquet.read_row_group(group, columns=columns)
        first = ends[group] - metadata.row_group(group).num_rows
        table = table.take(pa.array(rows[groups == group] - first))
        return reduce(table) if reduce is not None else table

    tables = map_threads(rows_of, np.unique(groups).tolist())
    if not tables:
        empty = schema.empty_table().select(schema.names if columns is None else columns)
        return reduce(empty) if reduce is not None else empty
    grouped = np.argsort(groups, kind="stable")  # the order of the rows in the tables
    table = pa.concat_tables(tables)
    return table if np.all(np.diff(grouped) > 0) else table.take(pa.array(np.argsort(grouped)))


def scan(uri: str, columns: Sequence[str], where: pc.Expression | None = None) -> Iterator[pa.RecordBatch]:
    """The rows that meet a condition, in order, without empty batches. Skips row groups whose statistics rule it out.
    The name "struct.field" gives a column of that field, with that name."""
    import pyarrow.dataset  # slow to import, and few commands need it

    fs, path = storage.resolve(uri)
    fields = {name: pc.field(*name.split(".")) for name in columns}
    with open_parquet(uri):
        file = pyarrow.dataset.dataset(path, filesystem=fs, format="parquet")
        for batch in file.to_batches(columns=fields, filter=where, batch_readahead=1, fragment_readahead=1):
            if batch.num_rows:
                yield batch
