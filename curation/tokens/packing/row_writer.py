"""Writes the files of one part as its rows come: tokens, index and lineage, with their counts and checksums.

R = rows, S = segments. Memory, whatever the number of rows: INDEX_IN_MEMORY twice, as more of the index waits in
temporary files, and the lineage that does not yet fill a row group (below 20 MB).
"""

import shutil
from dataclasses import dataclass
from functools import cached_property
from tempfile import SpooledTemporaryFile

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.new_file import NewFile
from curation.core.token_shapes import FileEntry
from curation.tokens.packing.documents import Documents, Ints, gather
from curation.tokens.token_files import LINEAGE, PADDING_BIT, Tokens, Vocabulary, index_header

CHUNK_TOKENS = 1 << 20  # gathered into rows at a time
LINEAGE_GROUP = 100_000  # segments in a Parquet row group: a few MB
INDEX_IN_MEMORY = 1 << 20  # bytes of the offsets, and of the lengths, that are not spilled to the local disk
COUNTS = ("rows", "tokens", "documents", "utf8_bytes", "padding", "cut")


@dataclass(frozen=True)
class PlacedSegments:
    """The content of R consecutive rows. Per row: its number of segments [R]. Per segment: its document (a row of the
    table of names passed along), its first token in that document, and its length [S]. The rest of a row is padding."""

    counts: Ints
    documents: Ints
    offsets: Ints
    lengths: Ints


class RowWriter:
    """`write` rows in order, `count` their documents, then `close` once. The part's files are named `path` plus a
    suffix; `source` goes into the lineage."""

    def __init__(self, path: str, *, source: str, row_tokens: int, vocabulary: Vocabulary) -> None:
        self.row_tokens = row_tokens
        self.vocabulary = vocabulary
        self._path = path
        self._source = source
        self._totals = dict.fromkeys(COUNTS, 0)
        self._rows_file = NewFile(path + ".bin")
        self._unwritten: list[pa.Table] = []
        self._segments = 0
        self._text_segments = 0
        self._offsets = _spooled()
        self._lengths = _spooled()
        self._offsets.write(bytes(8))

    @property
    def documents(self) -> int:
        """Documents counted so far, which is the number of the next one."""
        return self._totals["documents"]

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._totals["rows"]

    @property
    def waiting(self) -> int:
        """Segments whose lineage is not written yet."""
        return sum(table.num_rows for table in self._unwritten)

    def count(self, documents: Documents, utf8_bytes: int, cut: int) -> None:
        """Adds documents that the rows hold or will hold; `cut` of them take more than one row."""
        self._totals["documents"] += len(documents)
        self._totals["tokens"] += int(documents.lengths.sum())
        self._totals["utf8_bytes"] += utf8_bytes
        self._totals["cut"] += cut

    def write(self, rows: Tokens, placed: PlacedSegments, names: pa.Table) -> None:
        """Rows [R, row_tokens] and their content, whose documents are rows of `names`, a table of NAMES."""
        if len(rows) == 0:
            return
        self._rows_file.write(np.ascontiguousarray(rows).data.cast("B"))
        padded = _with_padding(placed, self.row_tokens)
        padding = padded.documents < 0
        self._unwritten.append(self._lineage_of(padded, padding, names))
        lengths = padded.lengths.astype("<u4") | np.where(padding, np.uint32(PADDING_BIT), np.uint32(0))
        self._lengths.write(lengths.tobytes())
        self._offsets.write((np.cumsum(padded.counts) + self._segments).astype("<u8").tobytes())
        self._segments += len(lengths)
        self._text_segments += len(placed.lengths)
        self._totals["rows"] += len(rows)
        self._totals["padding"] += int(padded.lengths[padding].sum())
        if self.waiting >= LINEAGE_GROUP:  # whole row groups, so that equal rows give equal files however batched
            self._write_lineage(self.waiting // LINEAGE_GROUP * LINEAGE_GROUP)

    def write_segments(self, tokens: Tokens, starts: Ints, placed: PlacedSegments, names: pa.Table) -> None:
        """The same with the rows gathered from `tokens`, in which segment s begins at starts[s]."""
        step = max(1, CHUNK_TOKENS // self.row_tokens)
        last = np.cumsum(placed.counts)
        for first in range(0, len(last), step):
            counts = placed.counts[first : first + step]
            chunk = slice(last[first] - counts[0], last[first + len(counts) - 1])
            lengths = placed.lengths[chunk]
            shape = {"row_tokens": self.row_tokens, "padding": self.vocabulary.padding}
            rows = gather(tokens, starts[chunk], lengths, counts, **shape)
            self.write(rows, PlacedSegments(counts, placed.documents[chunk], placed.offsets[chunk], lengths), names)

    def write_waiting(self) -> None:
        """Writes the lineage so far, as a row group of its own."""
        self._write_lineage(self.waiting)

    def check_counts(self) -> None:
        """Asserts that the rows hold what was counted: a document that continues in another segment repeats one token
        there, and every other slot is padding."""
        repeated = self._text_segments - self._totals["documents"]
        held = self._totals["tokens"] + repeated + self._totals["padding"]
        assert held == self.rows * self.row_tokens, f"{self._path}: {held} tokens are counted"

    def close(self) -> tuple[dict[str, int], dict[str, FileEntry]]:
        """Writes the index and the lineage; returns the COUNTS, and size and checksum of each file by suffix."""
        self.write_waiting()
        self._lineage.close()
        index_file = NewFile(self._path + ".idx")
        shape = {"item_bytes": self.vocabulary.dtype.itemsize, "row_tokens": self.row_tokens}
        index_file.write(index_header(self.rows, self._segments, **shape))
        for numbers in (self._offsets, self._lengths):
            numbers.seek(0)
            shutil.copyfileobj(numbers, index_file, INDEX_IN_MEMORY)
        files = {".bin": self._rows_file, ".idx": index_file, ".parquet": self._lineage_file}
        return self._totals, {suffix: _facts(file) for suffix, file in files.items()}

    def __del__(self) -> None:
        for numbers in (self._offsets, self._lengths):
            numbers.close()

    @cached_property
    def _lineage_file(self) -> NewFile:
        return NewFile(self._path + ".parquet")

    @cached_property
    def _lineage(self) -> pq.ParquetWriter:
        """Opened by the first write, because a source may have more sub-sources than a process may have open files."""
        return pq.ParquetWriter(pa.PythonFile(self._lineage_file, "w"), LINEAGE, compression="zstd")

    def _lineage_of(self, padded: PlacedSegments, padding: npt.NDArray[np.bool_], names: pa.Table) -> pa.Table:
        """LINEAGE[S]; row numbers count from the part's first."""
        row = np.repeat(np.arange(len(padded.counts)), padded.counts)
        ends = np.cumsum(padded.lengths)
        documents = names.take(pa.array(padded.documents, mask=padding))
        columns = {
            "row": row + self._totals["rows"],
            "position": ends - padded.lengths - row * self.row_tokens,
            "length": padded.lengths,
            "padding": padding,
        }
        arrays = {name: pa.array(values, LINEAGE.field(name).type, safe=False) for name, values in columns.items()}
        arrays["doc_offset"] = pa.array(padded.offsets, mask=padding)
        arrays["source"] = pa.repeat(pa.scalar(self._source, pa.string()), len(row))
        return pa.table({name: arrays[name] if name in arrays else documents[name] for name in LINEAGE.names}, LINEAGE)

    def _write_lineage(self, segments: int) -> None:
        """The first of the waiting segments."""
        if segments:
            table = pa.concat_tables(self._unwritten).combine_chunks()
            self._lineage.write_table(table.slice(0, segments), row_group_size=LINEAGE_GROUP)
            self._unwritten = [table.slice(segments)]


def _spooled() -> "SpooledTemporaryFile[bytes]":
    return SpooledTemporaryFile(INDEX_IN_MEMORY)


def _facts(file: NewFile) -> FileEntry:
    published = file.publish()
    return FileEntry(bytes=published.bytes, blake2b=published.blake2b)


def _with_padding(placed: PlacedSegments, row_tokens: int) -> PlacedSegments:
    """Adds a segment of document -1 at the end of each row that is not full."""
    ends = np.cumsum(placed.counts)
    filled = np.add.reduceat(placed.lengths, ends - placed.counts)
    short = np.flatnonzero(filled < row_tokens)
    if len(short) == 0:
        return placed
    at = ends[short]
    counts = placed.counts.copy()
    counts[short] += 1
    return PlacedSegments(
        counts,
        np.insert(placed.documents, at, -1),
        np.insert(placed.offsets, at, 0),
        np.insert(placed.lengths, at, row_tokens - filled[short]),
    )
