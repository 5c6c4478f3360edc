"""Writes the rows, index and lineage of one split of one shard as its documents arrive (concat packing).

P = pieces (documents or the rest of one), S = segments, R = rows; T = row_length = row_tokens - 1. What is not yet a
whole row is carried to the next batch: its tokens, beginning with the one that the row before ended on, and the pieces
that they come from.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import UserError
from curation.tokens.token_files import LINEAGE, PADDING_BIT, Segments, Tokens, Vocabulary, file_name, index_bytes

Ints = npt.NDArray[np.int64]
LINEAGE_GROUP = 100_000  # segments in a Parquet row group: a few MB


@dataclass(frozen=True)
class Pieces:
    """Runs of tokens: the columns of LINEAGE that name each one's document [P], offsets in it and lengths, int64[P]."""

    documents: pa.Table
    offsets: Ints
    lengths: Ints

    def then(self, other: "Pieces") -> "Pieces":
        return Pieces(
            pa.concat_tables([self.documents, other.documents]),
            np.concatenate([self.offsets, other.offsets]),
            np.concatenate([self.lengths, other.lengths]),
        )

    def after(self, tokens: int) -> "Pieces":
        """What is left behind the first `tokens` tokens, of which there are more."""
        ends = np.cumsum(self.lengths)
        first = int(np.searchsorted(ends, tokens, side="right"))
        rest = Pieces(self.documents.slice(first), self.offsets[first:].copy(), self.lengths[first:].copy())
        used = tokens - int(ends[first] - self.lengths[first])
        rest.offsets[0] += used
        rest.lengths[0] -= used
        return rest


@dataclass(frozen=True)
class Cut:
    """Segments of consecutive rows: per row their count [R]; per segment its row, position in it, piece, offset in the
    piece and length [S], all int64."""

    counts: Ints
    rows: Ints
    positions: Ints
    pieces: Ints
    offsets: Ints
    lengths: Ints


def cut_rows(lengths: Ints, rows: int, row_length: int) -> Cut:
    """Row i holds tokens i * T … i * T + T of the pieces laid end to end; the last row may end before that."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    row_starts = np.arange(rows) * row_length
    row_ends = np.minimum(row_starts + row_length + 1, ends[-1])
    first = np.searchsorted(ends, row_starts, side="right")
    counts = np.searchsorted(ends, row_ends - 1, side="right") - first + 1
    row = np.repeat(np.arange(rows), counts)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + first[row]
    start = np.maximum(starts[piece], row_starts[row])
    length = np.minimum(ends[piece], row_ends[row]) - start
    return Cut(counts, row, start - row_starts[row], piece, start - starts[piece], length)


class RowWriter:
    """`add` the batches of one split in order, then `close` once."""

    def __init__(
        self, folder: str, split: str, shard: int, *, source: str, row_length: int, vocabulary: Vocabulary
    ) -> None:
        self._folder, self._row_length, self._vocabulary = folder, row_length, vocabulary
        self._part: dict[str, Any] = {"name": file_name(split, shard), "source": source, "split": split}
        self._totals = {"rows": 0, "tokens": 0, "documents": 0, "utf8_bytes": 0}
        filesystem, path = storage.resolve(storage.join(folder, self._part["name"] + ".bin"))
        self._rows_file, self._rows_hash = filesystem.open_output_stream(path), _hash()
        self._lineage_bytes = pa.BufferOutputStream()  # compressed; the index is small too
        self._lineage = pq.ParquetWriter(self._lineage_bytes, LINEAGE, compression="zstd")
        self._unwritten: list[pa.Table] = []
        self._counts: list[Ints] = [np.zeros(1, np.int64)]
        self._lengths: list[Ints] = []
        self._tokens: Tokens = np.empty(0, vocabulary.dtype)
        self._pieces = Pieces(LINEAGE.empty_table().select(["doc_id", "source", "url"]), *_no_ints(2))

    def add(self, batch: pa.RecordBatch) -> None:
        """Documents with the columns of `Pack.reads`. Raises UserError for tokens of another width or source."""
        if batch.num_rows == 0:
            return
        lists = batch.column("tokens")
        if lists.type.value_type != pa.from_numpy_dtype(self._vocabulary.dtype):
            raise UserError(f"tokens are {lists.type}, the tokenizer's are {self._vocabulary.dtype.name}; encode again")
        lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
        self._totals["documents"] += batch.num_rows
        self._totals["tokens"] += int(lengths.sum())
        self._totals["utf8_bytes"] += pc.sum(batch.column("utf8_bytes")).as_py()
        self._tokens = np.concatenate([self._tokens, lists.flatten().to_numpy()])
        self._pieces = self._pieces.then(Pieces(self._documents(batch), np.zeros(len(lengths), np.int64), lengths))
        self._write_rows(max(0, len(self._tokens) - 1) // self._row_length)

    def close(self) -> dict[str, Any]:
        """Pads the last row and writes the index and the lineage; returns what `Pack.pack` says of a part."""
        left = len(self._tokens)
        if left > 1 or (left == 1 and self._totals["rows"] == 0):
            missing = self._row_length + 1 - left
            padding = np.full(missing, self._vocabulary.padding, self._vocabulary.dtype)
            self._tokens = np.concatenate([self._tokens, padding])
            self._write_rows(1, padding=missing)
        self._rows_file.close()
        rows_file = {"bytes": self._totals["rows"] * self._row_bytes(), "blake2b": self._rows_hash.hexdigest()}
        self._write_lineage()
        self._lineage.close()
        offsets = np.cumsum(np.concatenate(self._counts)).astype(np.uint64)
        segments = Segments(offsets, np.concatenate([*self._lengths, *_no_ints(1)]).astype(np.uint32))
        item_bytes = self._vocabulary.dtype.itemsize
        index = index_bytes(segments, item_bytes=item_bytes, row_tokens=self._row_length + 1)
        name = self._part["name"]
        files = {
            f"{name}.bin": rows_file,
            f"{name}.idx": self._write_whole(f"{name}.idx", index),
            f"{name}.parquet": self._write_whole(f"{name}.parquet", self._lineage_bytes.getvalue().to_pybytes()),
        }
        return {**self._part, **self._totals, "files": files}

    def _write_rows(self, rows: int, padding: int = 0) -> None:
        """Write the first `rows` rows of what is there; the last `padding` tokens of them are padding."""
        if rows == 0:
            return
        step = self._row_length
        table = np.lib.stride_tricks.sliding_window_view(self._tokens, step + 1)[: rows * step : step]
        content = np.ascontiguousarray(table).data.cast("B")
        self._rows_file.write(content)
        self._rows_hash.update(content)
        cut = cut_rows(self._pieces.lengths, rows, step)
        self._unwritten.append(self._segments(cut))
        self._lengths.append(cut.lengths)
        self._counts.append(cut.counts)
        self._totals["rows"] += rows
        if padding:
            self._add_padding(padding)
        else:
            self._pieces = self._pieces.after(rows * step)
            self._tokens = self._tokens[rows * step :].copy()
        if sum(one.num_rows for one in self._unwritten) >= LINEAGE_GROUP:
            self._write_lineage()

    def _add_padding(self, length: int) -> None:
        """One segment of padding at the end of the last row."""
        self._counts[-1][-1] += 1
        self._lengths.append(np.array([length | PADDING_BIT]))
        row = {"row": self._totals["rows"] - 1, "position": self._row_length + 1 - length}
        values = {**row, "source": self._part["source"], "length": length, "padding": True}
        self._unwritten.append(pa.Table.from_pylist([values], LINEAGE))

    def _segments(self, cut: Cut) -> pa.Table:
        """LINEAGE[S], the rows counted from the part's first."""
        documents = self._pieces.documents.take(pa.array(cut.pieces))
        columns = {
            "row": cut.rows + self._totals["rows"],
            "position": cut.positions,
            "doc_offset": cut.offsets + self._pieces.offsets[cut.pieces],
            "length": cut.lengths,
            "padding": np.zeros(len(cut.rows), bool),
        }
        arrays = {name: pa.array(values, LINEAGE.field(name).type, safe=False) for name, values in columns.items()}
        return pa.table({name: arrays[name] if name in arrays else documents[name] for name in LINEAGE.names}, LINEAGE)

    def _documents(self, batch: pa.RecordBatch) -> pa.Table:
        source = self._part["source"]
        if not pc.all(pc.equal(batch.column("source"), source)).as_py():
            raise UserError(f"a shard of source {source!r} holds documents of another source")
        url = batch.column("url") if "url" in batch.schema.names else pa.nulls(batch.num_rows, pa.string())
        return pa.table({"doc_id": batch.column("doc_id"), "source": batch.column("source"), "url": url})

    def _write_lineage(self) -> None:
        if self._unwritten:
            self._lineage.write_table(pa.concat_tables(self._unwritten))
            self._unwritten = []

    def _write_whole(self, name: str, content: bytes) -> dict[str, Any]:
        storage.write_bytes(storage.join(self._folder, name), content)
        digest = _hash()
        digest.update(content)
        return {"bytes": len(content), "blake2b": digest.hexdigest()}

    def _row_bytes(self) -> int:
        return (self._row_length + 1) * self._vocabulary.dtype.itemsize


def _hash() -> "hashlib.blake2b":
    return hashlib.blake2b(digest_size=32)


def _no_ints(count: int) -> list[Ints]:
    return [np.empty(0, np.int64) for _ in range(count)]
