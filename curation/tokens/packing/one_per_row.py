"""One document per row: each begins a row of its own; the rest of a row is padding.

A document longer than a row continues in further rows, each of which begins with the last token of the row before, so
that every token except the document's first is predicted once.
"""

from dataclasses import dataclass

import numpy as np

from curation.tokens.packing.documents import Documents, Ints
from curation.tokens.packing.row_writer import PlacedSegments, RowWriter


@dataclass(frozen=True)
class CutDocuments:
    """Documents cut to fit rows. For each of P pieces: its document, its first token in that, its length; int64[P]."""

    documents: Ints
    offsets: Ints
    lengths: Ints

    def __getitem__(self, some: "slice | np.ndarray[tuple[int], np.dtype[np.bool_]]") -> "CutDocuments":
        return CutDocuments(self.documents[some], self.offsets[some], self.lengths[some])

    def __len__(self) -> int:
        return len(self.documents)


def cut_documents(lengths: Ints, row_tokens: int) -> CutDocuments:
    """Documents of one token or more, in order; those longer than a row are cut into full rows and the remainder."""
    step = row_tokens - 1
    counts = np.maximum(1, -(-(lengths - 1) // step))
    document = np.repeat(np.arange(len(lengths)), counts)
    number = np.arange(len(document)) - np.repeat(np.cumsum(counts) - counts, counts)
    return CutDocuments(document, number * step, np.minimum(row_tokens, lengths[document] - number * step))


def write_alone(writer: RowWriter, documents: Documents, pieces: CutDocuments) -> None:
    """Writes a row for each piece."""
    placed = PlacedSegments(np.ones(len(pieces), np.int64), pieces.documents, pieces.offsets, pieces.lengths)
    starts = documents.starts[pieces.documents] + pieces.offsets
    writer.write_segments(documents.tokens, starts, placed, documents.names)


class OnePerRow:
    """`add` documents in order, then `close` once."""

    def __init__(self, writer: RowWriter) -> None:
        self.writer = writer

    def add(self, documents: Documents, utf8_bytes: int) -> None:
        """Writes the documents' rows."""
        cut = int(np.count_nonzero(documents.lengths > self.writer.row_tokens))
        self.writer.count(documents, utf8_bytes, cut)
        write_alone(self.writer, documents, cut_documents(documents.lengths, self.writer.row_tokens))

    def close(self) -> None:
        """Does nothing: `add` leaves no rows unwritten."""
