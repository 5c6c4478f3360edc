"""Reads the rows of a shard at one of its stages, with any column that its documents have there.

A stage's part file holds what the stage added; a column that it lacks lies in the file of an earlier stage. The kept
rows of a file, in order, are the rows of the shard's file in the next stage, so a column is found by position: no join,
and only the files that are needed are opened. N = rows of the nearest file, K = rows to read.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.document import holds_all, kept_mask
from curation.core.errors import InputError
from curation.core.parquet_file import new_reader, open_parquet, reading

Ints = npt.NDArray[np.int64]
Files = tuple[str, ...]  # a shard's part files: that of the stage in question, then of each stage before it
REASON = "drop_reason"


@dataclass
class _Layer:
    """One of the shard's files, open, and the names that are read of it."""

    path: str
    file: pq.ParquetFile
    names: list[str]

    def __len__(self) -> int:
        rows: int = self.file.metadata.num_rows
        return rows

    def kept(self) -> npt.NDArray[np.bool_]:
        """bool[N]: the rows without a drop reason."""
        with reading(self.path):
            return np.asarray(kept_mask(self.file.read(columns=[REASON])))

    def tables(self, rows: Ints) -> Iterator[pa.Table]:
        """The rows with the numbers int64[K] (ascending), a row group at a time; groups without any are not read."""
        metadata = self.file.metadata
        bounds = np.cumsum([0, *(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))])
        for group, (first, last) in enumerate(pairwise(bounds.tolist())):
            low, high = np.searchsorted(rows, [first, last]).tolist()
            if low < high:
                with reading(self.path):
                    table = self.file.read_row_group(group, columns=self.names)
                yield table if high - low == last - first else table.take(pa.array(rows[low:high] - first))


def read_rows(
    files: Files, columns: Sequence[str], *, kept_only: bool = False, rows: Ints | None = None
) -> Iterator[pa.Table]:
    """Tables with these columns of the shard's rows in `files[0]`, in order: all, the kept ones, or `rows` int64[K]
    (ascending). "struct.field" gives the struct with only that field. Memory: a row group of each file that is read,
    and the numbers of the rows.

    Raises InputError for a column that none of the files has, and for files that do not belong together.
    """
    with _opened(files, columns) as layers:
        if rows is None:
            rows = np.flatnonzero(layers[0].kept()) if kept_only else np.arange(len(layers[0]))
        elif len(rows) and not 0 <= rows[0] <= rows[-1] < len(layers[0]):
            raise IndexError(f"row {rows[-1]} of {len(layers[0])}")
        streams = [layer.tables(own) for layer, own in _followed(layers, rows) if layer.names]
        waiting = [pa.table({}) for _ in streams]
        done = 0
        while done < len(rows):
            for at, stream in enumerate(streams):
                if not waiting[at].num_rows:
                    waiting[at] = next(stream)
            size = min(table.num_rows for table in waiting)
            together = {name: table[name].slice(0, size) for table in waiting for name in table.column_names}
            yield pa.table({name: together[name] for name in dict.fromkeys(map(_top, columns))})
            waiting = [table.slice(size) for table in waiting]
            done += size


def schema_of(files: Files, columns: Sequence[str]) -> pa.Schema:
    """The types of columns at the shard's stage, in their order. Raises InputError for one that none of the files
    has."""
    with _opened(files, columns) as layers:
        fields = {name: layer.file.schema_arrow.field(name) for layer in layers for name in layer.names}
        return pa.schema([fields[name].remove_metadata() for name in columns])


def all_columns(files: Files) -> pa.Schema:
    """Every column that one of the files holds for all its rows, as the nearest has it."""
    fields: dict[str, pa.Field] = {}
    for path in files:
        with open_parquet(path) as file:
            fields = {field.name: field.remove_metadata() for field in file.schema_arrow if holds_all(field)} | fields
    return pa.schema(fields.values())


def kept_rows(files: Files) -> npt.NDArray[np.bool_]:
    """bool[N]: the rows without a drop reason."""
    with _opened(files, [REASON]) as (layer, *_):
        return layer.kept()


@contextmanager
def _opened(files: Files, columns: Sequence[str]) -> Iterator[list[_Layer]]:
    """The nearest files that together have all columns."""
    wanted = list(dict.fromkeys(columns))
    layers = list[_Layer]()
    with ExitStack() as stack:
        for path in files:
            if layers and not wanted:
                break
            with reading(path):
                file = stack.enter_context(new_reader(path))
            here = {field.name for field in file.schema_arrow if holds_all(field)}
            layers.append(_Layer(path, file, [name for name in wanted if _top(name) in here]))
            wanted = [name for name in wanted if _top(name) not in here]
        if wanted:
            raise InputError(
                f"{files[0]} and the stages before it have no column {wanted[0]!r}: copy the whole run, or curate again"
            )
        yield layers


def _followed(layers: Sequence[_Layer], rows: Ints) -> Iterator[tuple[_Layer, Ints]]:
    """Each file, and the numbers that the `rows` of the first have in it."""
    for before, layer in zip([None, *layers], layers, strict=False):
        if before is not None:
            kept = np.flatnonzero(layer.kept())
            if len(kept) != len(before) and len(before):  # a stage may be sealed without all rows of a shard
                raise InputError(f"{before.path} does not have the rows that {layer.path} kept; curate again")
            rows = kept[rows]
        yield layer, rows


def _top(name: str) -> str:
    """The column that holds the field at a path."""
    return name.partition(".")[0]
