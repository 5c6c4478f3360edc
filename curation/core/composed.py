"""Reads the rows of a shard at one of its stages, with any column that its documents have there.

A stage's part file holds what the stage added; a column that it lacks lies in the file of an earlier stage. The kept
rows of a file, in order, are the rows of the shard's file in the next stage, so a column is found by position: no join,
and only files that are needed are opened. N = rows of the nearest file, K = rows that are asked for.
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
from curation.core.parquet_file import open_parquet

Ints = npt.NDArray[np.int64]
Files = tuple[str, ...]  # a shard's part files: that of the stage in question, then of each stage before it
REASON = "drop_reason"


@dataclass
class _Layer:
    """One of the shard's open files: the names asked of it, and which of its rows belong to the rows asked for."""

    file: pq.ParquetFile
    names: list[str]
    rows: Ints

    def tables(self) -> Iterator[pa.Table]:
        """The rows, a row group at a time; groups without any are not read."""
        metadata = self.file.metadata
        bounds = np.cumsum([0, *(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))])
        for group, (first, last) in enumerate(pairwise(bounds.tolist())):
            low, high = np.searchsorted(self.rows, [first, last]).tolist()
            if low < high:
                table = self.file.read_row_group(group, columns=self.names)
                whole = high - low == last - first
                yield table if whole else table.take(pa.array(self.rows[low:high] - first))


def read_rows(
    files: Files, columns: Sequence[str], *, kept_only: bool = False, rows: Ints | None = None
) -> Iterator[pa.Table]:
    """Tables of the asked columns of the shard's rows in `files[0]`, in order: all, the kept ones, or `rows` int64[K]
    (ascending). "struct.field" gives the struct with only the fields named so. Memory: a row group of each file that is
    read, and the numbers of the rows.

    Raises InputError for a column that none of the files has, and for files that do not belong together.
    """
    with _opened(files, columns) as (opened, names):
        layers, chosen = _layers(files, opened, names, kept_only=kept_only, rows=rows)
        streams = [layer.tables() for layer in layers]
        waiting = [pa.table({}) for _ in layers]
        done = 0
        while done < chosen:
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
    with _opened(files, columns) as (opened, names):
        homes = {_top(name): depth for depth, own in enumerate(names) for name in own}
        return pa.schema([opened[homes[name]].schema_arrow.field(name).remove_metadata() for name in columns])


def all_columns(files: Files) -> pa.Schema:
    """Every column that one of the files holds for all its rows, as the nearest has it."""
    fields: dict[str, pa.Field] = {}
    for path in files:
        with open_parquet(path) as file:
            fields = {field.name: field.remove_metadata() for field in file.schema_arrow if holds_all(field)} | fields
    return pa.schema(fields.values())


def kept_rows(files: Files) -> npt.NDArray[np.bool_]:
    """bool[N]: the rows without a drop reason."""
    with open_parquet(files[0]) as file:
        return _kept(file)


@contextmanager
def _opened(files: Files, columns: Sequence[str]) -> Iterator[tuple[list[pq.ParquetFile], list[list[str]]]]:
    """The nearest files that have all columns between them, open, each with the names that are read of it."""
    wanted, opened, names = dict.fromkeys(columns), list[pq.ParquetFile](), list[list[str]]()
    with ExitStack() as stack:
        for path in files:
            if opened and not wanted:
                break
            file = stack.enter_context(open_parquet(path))
            here = {field.name for field in file.schema_arrow if holds_all(field)}
            own = [name for name in wanted if _top(name) in here]
            wanted = {name: None for name in wanted if name not in own}
            opened.append(file)
            names.append(own)
        if wanted:
            raise InputError(
                f"{files[0]} and the stages before it have no column {next(iter(wanted))!r}: copy the whole run, or "
                "curate again"
            )
        yield opened, names


def _layers(
    files: Files, opened: list[pq.ParquetFile], names: list[list[str]], *, kept_only: bool, rows: Ints | None
) -> tuple[list[_Layer], int]:
    """The files of which something is read, each with its rows, and how many rows are asked for."""
    layers: list[_Layer] = []
    if rows is None:
        rows = np.flatnonzero(_kept(opened[0])) if kept_only else np.arange(opened[0].metadata.num_rows)
    elif len(rows) and not 0 <= rows[0] <= rows[-1] < opened[0].metadata.num_rows:
        raise IndexError(f"row {rows[-1]} of {opened[0].metadata.num_rows}")
    for depth, (file, own) in enumerate(zip(opened, names, strict=True)):
        if depth:
            kept = np.flatnonzero(_kept(file))
            if len(kept) != opened[depth - 1].metadata.num_rows:
                raise InputError(f"{files[depth - 1]} does not have the rows that {files[depth]} kept; curate again")
            rows = kept[rows]
        if own:
            layers.append(_Layer(file, own, rows))
    return layers, len(rows)


def _kept(file: pq.ParquetFile) -> npt.NDArray[np.bool_]:
    return np.asarray(kept_mask(file.read(columns=[REASON])))


def _top(name: str) -> str:
    """The column that holds the field at a path."""
    return name.partition(".")[0]
