"""Writes the files of one part as its rows come: tokens, index and lineage, with their counts and checksums.

R = rows, S = segments. Memory: the index (4 bytes a segment, 8 a row, twice that at the end), and the lineage that does
not yet fill a row group (below 20 MB).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.new_file import NewFile
from curation.tokens.manifests import FileFacts
from curation.tokens.packing.documents import Documents, Ints, gather
from curation.tokens.token_files import LINEAGE, PADDING_BIT, Segments, Tokens, Vocabulary, index_bytes

CHUNK_TOKENS = 1 << 20  # gathered into rows at a time
LINEAGE_GROUP = 100_000  # segments in a Parquet row group: a few MB
COUNTS = ("rows", "tokens", "documents", "utf8_bytes", "padding", "cut")


@dataclass(frozen=True)
class Placed:
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
        self.row_tokens, self.vocabulary = row_tokens, vocabulary
        self._path, self._source = path, source
        self._totals = dict.fromkeys(COUNTS, 0)
        self._rows_file = NewFile(path + ".bin")
        self._unwritten: list[pa.Table] = []
        self._counts: list[Ints] = [np.zeros(1, np.int64)]
        self._lengths: list[npt.NDArray[np.uint32]] = [np.empty(0, np.uint32)]

    @property
    def documents(self) -> int:
        """Documents counted so far, which is the number of the next one."""
        return self._totals["documents"]

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._totals["rows"]

    def count(self, documents: Documents, utf8_bytes: int, cut: int) -> None:
        """Adds documents that the rows hold or will hold; `cut` of them take more than one row."""
        self._totals["documents"] += len(documents)
        self._totals["tokens"] += int(documents.lengths.sum())
        self._totals["utf8_bytes"] += utf8_bytes
        self._totals["cut"] += cut

    def write(self, rows: Tokens, placed: Placed, names: pa.Table) -> None:
        """Rows [R, row_tokens] and their content, whose documents are rows of `names`, a table of NAMES."""
        if len(rows) == 0:
            return
        self._rows_file.write(np.ascontiguousarray(rows).data.cast("B"))
        padded = _with_padding(placed, self.row_tokens)
        padding = padded.documents < 0
        self._unwritten.append(self._segments(padded, padding, names))
        self._lengths.append(padded.lengths.astype(np.uint32) | np.where(padding, np.uint32(PADDING_BIT), np.uint32(0)))
        self._counts.append(padded.counts)
        self._totals["rows"] += len(rows)
        self._totals["padding"] += int(padded.lengths[padding].sum())
        self._write_lineage()

    def write_segments(self, tokens: Tokens, starts: Ints, placed: Placed, names: pa.Table) -> None:
        """The same with the rows gathered from `tokens`, in which segment s begins at starts[s]."""
        step = max(1, CHUNK_TOKENS // self.row_tokens)
        last = np.cumsum(placed.counts)
        for first in range(0, len(last), step):
            counts = placed.counts[first : first + step]
            chunk = slice(last[first] - counts[0], last[first + len(counts) - 1])
            lengths = placed.lengths[chunk]
            shape = {"row_tokens": self.row_tokens, "padding": self.vocabulary.padding}
            rows = gather(tokens, starts[chunk], lengths, counts, **shape)
            self.write(rows, Placed(counts, placed.documents[chunk], placed.offsets[chunk], lengths), names)

    def close(self) -> tuple[dict[str, int], dict[str, FileFacts]]:
        """Writes the index and the lineage; returns the COUNTS, and size and checksum of each file by suffix."""
        self._write_lineage(last=True)
        self._lineage.close()
        offsets = np.cumsum(np.concatenate(self._counts)).astype(np.uint64)
        segments = Segments(offsets, np.concatenate(self._lengths))
        index_file = NewFile(self._path + ".idx")
        index_file.write(index_bytes(segments, item_bytes=self.vocabulary.dtype.itemsize, row_tokens=self.row_tokens))
        files = {".bin": self._rows_file, ".idx": index_file, ".parquet": self._lineage_file}
        return self._totals, {suffix: _facts(file) for suffix, file in files.items()}

    @cached_property
    def _lineage_file(self) -> NewFile:
        return NewFile(self._path + ".parquet")

    @cached_property
    def _lineage(self) -> pq.ParquetWriter:
        """Opened by the first write, because a source may have more sub-sources than a process may have open files."""
        return pq.ParquetWriter(pa.PythonFile(self._lineage_file, "w"), LINEAGE, compression="zstd")

    def _segments(self, padded: Placed, padding: npt.NDArray[np.bool_], names: pa.Table) -> pa.Table:
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

    def _write_lineage(self, *, last: bool = False) -> None:
        """Only whole row groups before the end, so that equal rows give equal files however they are batched."""
        waiting = sum(table.num_rows for table in self._unwritten)
        whole = waiting if last else waiting // LINEAGE_GROUP * LINEAGE_GROUP
        if whole == 0:
            return
        table = pa.concat_tables(self._unwritten).combine_chunks()
        self._lineage.write_table(table.slice(0, whole), row_group_size=LINEAGE_GROUP)
        self._unwritten = [table.slice(whole)]


def _facts(file: NewFile) -> FileFacts:
    published = file.publish()
    return FileFacts(bytes=published.bytes, blake2b=published.blake2b)


def _with_padding(placed: Placed, row_tokens: int) -> Placed:
    """Adds a segment of document -1 at the end of each row that is not full."""
    ends = np.cumsum(placed.counts)
    filled = np.add.reduceat(placed.lengths, ends - placed.counts)
    short = np.flatnonzero(filled < row_tokens)
    if len(short) == 0:
        return placed
    at, counts = ends[short], placed.counts.copy()
    counts[short] += 1
    return Placed(
        counts,
        np.insert(placed.documents, at, -1),
        np.insert(placed.offsets, at, 0),
        np.insert(placed.lengths, at, row_tokens - filled[short]),
    )
