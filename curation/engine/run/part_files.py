"""Reads and writes a stage's Parquet files: rows in, one or more `part-NNNNN.parquet` out, with their counts.

Row groups are cut by counted rows and bytes, never by how the rows happened to arrive, so equal rows give equal files.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import Part
from curation.core.composed import Files, read_rows
from curation.core.document import holds_all, kept_mask
from curation.core.new_file import FileFacts, NewFile
from curation.core.parquet_file import open_parquet

GROUP_ROWS = 4096
GROUP_BYTES = 16 << 20  # of text and other strings
# Of levels 1, 3 and 5 the same web text takes 15.8, 14.1 and 13.6 MB in 0.25, 0.28 and 0.44 s of CPU (2026-11).
LEVEL = 3
PAGE_BYTES = 4 << 20  # pages of 1 MB take 3 % more bytes and, with a dictionary, half as much time again to read


def read_part(files: Files, *, columns: Sequence[str], kept_only: bool = True) -> Iterator[pa.Table]:
    """The columns of a shard's rows and `drop_reason`, in tables of bounded size, without dropped rows if `kept_only`;
    adds `_row`, int64: the row's number among those returned."""
    first = 0
    for table in read_rows(files, [*columns, "drop_reason"], kept_only=kept_only):
        yield table.append_column("_row", pa.array(np.arange(first, first + table.num_rows, dtype=np.int64)))
        first += table.num_rows


def part_name(number: int, piece: int = 0) -> str:
    """The part file of a unit's or shard's number; `piece` counts the files of a unit that is cut for its size."""
    return f"part-{number:05d}.{piece:02d}.parquet" if piece else f"part-{number:05d}.parquet"


def part_schema(path: str) -> pa.Schema:
    with open_parquet(path) as file:
        return file.schema_arrow


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """The table's rows as a single record batch."""
    batches = table.combine_chunks().to_batches()
    if len(batches) == 1:
        return batches[0]
    if not batches:
        return pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], schema=table.schema)
    return pa.concat_batches(batches)


@lru_cache
def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """Options of a `ParquetWriter` for part files of the schema. Text has no use for a dictionary."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    columns = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    paths = [column.path for column in map(columns.column, range(len(columns)))]
    dictionary = [path for path in paths if path != "text"]
    return {
        "compression": "zstd",
        "compression_level": LEVEL,
        "data_page_size": PAGE_BYTES,
        "use_dictionary": dictionary or False,
    }


class PartWriter:
    """A context that writes tables of one schema as `part-NNNNN.parquet`, then `part-NNNNN.01.parquet`, … when one
    holds `full_bytes` of text; each becomes visible when it is whole.

    Where the schema has TEXT_OF_DROPPED, the text of kept rows is counted and not written.
    """

    def __init__(self, folder: str, number: int, schema: pa.Schema, source: str, full_bytes: int | None = None) -> None:
        self._folder = folder
        self._number = number
        self._schema = schema
        self._source = source
        self._full_bytes = full_bytes
        self._parts: list[Part] = []
        self._waiting: list[pa.Table] = []
        self._waiting_rows = self._waiting_bytes = 0
        self._open()

    def add(self, table: pa.Table) -> None:
        """Adds rows in order, with all their text; their columns are put in the schema's order and cast to its
        types."""
        table = table.select(self._schema.names).cast(self._schema)
        totals = np.cumsum(_row_bytes(table))
        start = 0
        while start < table.num_rows:
            stop = self._next_cut(start, totals)
            if stop == start:  # the next row would make the group too large
                self._flush()
                continue
            self._waiting.append(table.slice(start, stop - start))
            self._waiting_rows += stop - start
            self._waiting_bytes += int(totals[stop - 1] - (totals[start - 1] if start else 0))
            if self._waiting_rows >= GROUP_ROWS or self._waiting_bytes >= GROUP_BYTES:
                self._flush()
            start = stop

    def close(self) -> tuple[Part, ...]:
        """Finishes the last file; there is always at least one, if only with no rows."""
        self._flush()
        self._finish()
        return tuple(self._parts)

    def __enter__(self) -> "PartWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Leaves nothing of a file that was not finished."""
        if not self._target.closed:
            self._target.abandon()

    def _next_cut(self, start: int, totals: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> int:
        by_rows = start + GROUP_ROWS - self._waiting_rows
        base = int(totals[start - 1]) if start else 0
        by_bytes = int(np.searchsorted(totals, base + GROUP_BYTES - self._waiting_bytes, side="right"))
        least = start if self._waiting_rows else start + 1  # a row that is longer than a group makes a group by itself
        return max(least, min(by_rows, by_bytes, len(totals)))

    def _open(self) -> None:
        self._name = part_name(self._number, len(self._parts))
        self._counts = PartCounts()
        self._target = NewFile(storage.join(self._folder, self._name))
        self._file = pq.ParquetWriter(self._target, self._schema, **parquet_options(self._schema))

    def _flush(self) -> None:
        if not self._waiting_rows:
            return
        if self._full_bytes is not None and self._counts.totals["text_bytes"] >= self._full_bytes:
            self._finish()
            self._open()
        group = pa.concat_tables(self._waiting)
        self._counts.add(group)
        text = self._schema.field("text")
        if not holds_all(text):
            dropped = pc.if_else(kept_mask(group), pa.scalar(None, text.type), group["text"])
            group = group.set_column(self._schema.get_field_index("text"), text, dropped)
        self._file.write_table(group, row_group_size=group.num_rows)
        self._waiting = []
        self._waiting_rows = 0
        self._waiting_bytes = 0

    def _finish(self) -> None:
        self._file.close()
        self._parts.append(self._counts.part(self._name, self._source, self._target.publish()))


class PartCounts:
    """Counts the rows of a part file for its entry in the commit."""

    def __init__(self) -> None:
        self.totals = Counter(rows=0, kept=0, text_bytes=0)
        self._dropped = Counter[str]()

    def add(self, table: pa.Table) -> None:
        kept = kept_mask(table)
        lengths = text_lengths(table)
        texts = {"text_bytes": int(lengths.sum()), "kept_text_bytes": int(lengths[np.asarray(kept)].sum())}
        self.totals.update(rows=table.num_rows, kept=pc.sum(kept).as_py() or 0, **texts)
        if "tokens" in table.column_names:
            self.totals["tokens"] += pc.sum(pc.list_value_length(table["tokens"].filter(kept))).as_py() or 0
        reasons = pc.value_counts(table["drop_reason"].drop_null()).to_pylist()
        self._dropped.update({entry["values"]: entry["counts"] for entry in reasons})

    def part(self, name: str, source: str, facts: FileFacts) -> Part:
        dropped = dict(sorted(self._dropped.items()))
        return Part(name, source, facts.bytes, blake2b=facts.blake2b, dropped=dropped, **self.totals)


def text_lengths(table: pa.Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """int64[N]: UTF-8 bytes of each row's text, 0 where it has none."""
    lengths = pc.fill_null(pc.binary_length(table["text"]), 0)
    return np.asarray(lengths.cast(pa.int64()))


def _row_bytes(table: pa.Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """int64[N]: bytes of all strings of each row."""
    total = np.zeros(table.num_rows, np.int64)
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            total += np.asarray(pc.fill_null(pc.binary_length(column), 0), np.int64)
    return total
