"""Looks up which documents are in which rows of a token file, reading its lineage one row group at a time.

A lineage file has one row per segment, in the order of the index, so a segment's number is its row in the lineage.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError
from curation.core.parquet_file import open_parquet

Ints = npt.NDArray[np.int64]
COLUMNS = ("row", "position", "doc_id", "source", "doc_offset", "length", "url")
SEGMENT = "segment"  # added to the tables returned here: the segment's number in the file


def segments_of(path: str, doc_ids: pa.Array) -> pa.Table:
    """COLUMNS and SEGMENT of every segment of some documents. A row group without any costs only its `doc_id`."""
    tables = []
    with _open(path) as file:
        for group, first in _groups(file):
            ids = file.read_row_group(group, columns=["doc_id"])["doc_id"]
            rows = np.flatnonzero(np.asarray(pc.is_in(ids, doc_ids.cast(ids.type), skip_nulls=True)))
            if rows.size:
                tables.append(_segments(file, group, first, rows))
        return pa.concat_tables(tables) if tables else _none(file)


def segments_in(path: str, rows: Sequence[int]) -> pa.Table:
    """COLUMNS and SEGMENT of all segments in some of the file's rows, padding included, in order."""
    tables = []
    wanted = np.unique(np.asarray(rows, np.int64))
    with _open(path) as file:
        at = file.schema_arrow.get_field_index("row")
        for group, first in _groups(file):
            limits = file.metadata.row_group(group).column(at).statistics
            low, high = np.searchsorted(wanted, [limits.min, limits.max + 1])
            if low < high:
                own = np.asarray(file.read_row_group(group, columns=["row"])["row"])
                tables.append(_segments(file, group, first, np.flatnonzero(np.isin(own, wanted[low:high]))))
        return pa.concat_tables(tables) if tables else _none(file)


def _open(path: str) -> AbstractContextManager[pq.ParquetFile]:
    if storage.size(path) < 0:
        raise InputError(f"no lineage at {path}; copy the pack's .parquet files, or ask on the machine that has them")
    return open_parquet(path)


def _groups(file: pq.ParquetFile) -> Iterator[tuple[int, int]]:
    """Each row group that has rows, and the number of its first row."""
    first = 0
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if rows:
            yield group, first
        first += rows


def _segments(file: pq.ParquetFile, group: int, first: int, rows: Ints) -> pa.Table:
    table = file.read_row_group(group, columns=list(COLUMNS)).take(pa.array(rows)).select(COLUMNS)
    return table.append_column(SEGMENT, pa.array(rows + first))


def _none(file: pq.ParquetFile) -> pa.Table:
    schema = pa.schema([file.schema_arrow.field(name) for name in COLUMNS])
    return schema.append(pa.field(SEGMENT, pa.int64())).empty_table()
