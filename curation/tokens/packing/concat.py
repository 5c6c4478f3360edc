"""Concat packing: documents follow each other and are cut every `sequence_length` tokens.

A row begins with the last token of the row before, so every token but the file's first is predicted once. Only the last
row has padding. Tokens that do not fill a row are carried to the next batch with their pieces; the first of them is the
token that the previous row ended on. P = pieces (documents or the rest of one), R = rows; T = row_tokens - 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.tokens.packing.documents import NAMES, Documents, Ints, lay
from curation.tokens.packing.row_writer import PlacedSegments, RowWriter
from curation.tokens.token_files import Tokens

CHUNK_TOKENS = 1 << 20  # laid end to end at a time


@dataclass(frozen=True)
class TokenRuns:
    """Runs of tokens: the names of their documents [P], their offsets in those and their lengths, int64[P]."""

    names: pa.Table
    offsets: Ints
    lengths: Ints

    def then(self, other: "TokenRuns") -> "TokenRuns":
        """Both. If the other begins inside a document, it continues the last piece."""
        goes_on = int(other.offsets[0] > 0)
        lengths = np.concatenate([self.lengths, other.lengths[goes_on:]])
        if goes_on:
            lengths[len(self.lengths) - 1] += other.lengths[0]
        names = pa.concat_tables([self.names, other.names.slice(goes_on)])
        return TokenRuns(names, np.concatenate([self.offsets, other.offsets[goes_on:]]), lengths)

    def after(self, tokens: int) -> "TokenRuns":
        """The pieces without their first `tokens` tokens; there must be more than that."""
        ends = np.cumsum(self.lengths)
        first = int(np.searchsorted(ends, tokens, side="right"))
        rest = TokenRuns(self.names.slice(first), self.offsets[first:].copy(), self.lengths[first:].copy())
        used = tokens - int(ends[first] - self.lengths[first])
        rest.offsets[0] += used
        rest.lengths[0] -= used
        return rest


def cut_rows(pieces: TokenRuns, rows: int, row_length: int) -> PlacedSegments:
    """Row i holds tokens i * T … i * T + T of the pieces laid end to end; the last row may be shorter."""
    ends = np.cumsum(pieces.lengths)
    starts = ends - pieces.lengths
    row_starts = np.arange(rows) * row_length
    row_ends = np.minimum(row_starts + row_length + 1, ends[-1])
    first = np.searchsorted(ends, row_starts, side="right")
    counts = np.searchsorted(ends, row_ends - 1, side="right") - first + 1
    row = np.repeat(np.arange(rows), counts)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + first[row]
    start = np.maximum(starts[piece], row_starts[row])
    length = np.minimum(ends[piece], row_ends[row]) - start
    return PlacedSegments(counts, piece, start - starts[piece] + pieces.offsets[piece], length)


def stretches(documents: Documents, tokens: int) -> Iterator[tuple[Documents, Ints]]:
    """The documents laid end to end, in stretches of at most `tokens` tokens. With each stretch come the offsets of its
    documents, int64[N]: 0, except for a first document that began in an earlier stretch."""
    ends = np.cumsum(documents.lengths)
    starts = ends - documents.lengths
    for begin in range(0, int(ends[-1]), tokens):
        end = min(begin + tokens, int(ends[-1]))
        first = int(np.searchsorted(ends, begin, side="right"))
        last = int(np.searchsorted(ends, end, side="left"))
        some = slice(first, last + 1)
        offsets = np.maximum(begin - starts[some], 0)
        lengths = np.minimum(ends[some], end) - starts[some] - offsets
        names = documents.names.slice(first, last + 1 - first)
        yield Documents(names, documents.tokens, documents.starts[some] + offsets, lengths), offsets


class Concat:
    """`add` documents in order, then `close` once."""

    def __init__(self, writer: RowWriter) -> None:
        self.writer = writer
        self._row_length = writer.row_tokens - 1
        self._tokens: Tokens = np.empty(0, writer.vocabulary.dtype)
        self._pieces = TokenRuns(NAMES.empty_table(), np.empty(0, np.int64), np.empty(0, np.int64))
        self._position = 0  # of the next token, laid end to end from the file's first

    def add(self, documents: Documents, utf8_bytes: int) -> None:
        """Writes the rows that are now full."""
        self.writer.count(documents, utf8_bytes, self._cut(documents.lengths))
        for some, offsets in stretches(documents, max(CHUNK_TOKENS, self._row_length)):
            self._append(some, offsets)

    def _append(self, documents: Documents, offsets: Ints) -> None:
        carried = len(self._tokens)
        total = int(documents.lengths.sum())
        tokens = np.empty(carried + total, self._tokens.dtype)
        tokens[:carried] = self._tokens
        lay(documents.tokens, documents.starts, documents.lengths, tokens[carried:])
        self._tokens = tokens
        self._pieces = self._pieces.then(TokenRuns(documents.names, offsets, documents.lengths))
        rows = max(0, len(tokens) - 1) // self._row_length
        if rows:
            self._write(rows)
            self._pieces = self._pieces.after(rows * self._row_length)
            self._tokens = tokens[rows * self._row_length :].copy()

    def close(self) -> None:
        """Pads the last row."""
        left = len(self._tokens)
        if left > 1 or (left == 1 and self.writer.rows == 0):
            missing = np.full(self._row_length + 1 - left, self.writer.vocabulary.padding, self._tokens.dtype)
            self._tokens = np.concatenate([self._tokens, missing])
            self._write(1)

    def _write(self, rows: int) -> None:
        step = self._row_length
        table = np.lib.stride_tricks.sliding_window_view(self._tokens, step + 1)[: rows * step : step]
        self.writer.write(table, cut_rows(self._pieces, rows, step), self._pieces.names)

    def _cut(self, lengths: Ints) -> int:
        """How many of the documents are cut between rows."""
        ends = self._position + np.cumsum(lengths)
        starts = ends - lengths
        self._position = int(ends[-1])
        whole_until = (starts // self._row_length + 1) * self._row_length  # last token of the row that holds its first
        return int(np.count_nonzero(ends - 1 > whole_until))
