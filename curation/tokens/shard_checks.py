"""Checks that token rows are what a trainer takes them for, row by row, before and after they are packed.

    - the segments of a row add up to it, and the lineage says the same of them as the index
    - ids are in the vocabulary; padding holds the padding id
    - a document begins and ends with the ids that the tokenizer asks for, and has no special id in between
    - the pieces of a document join without a gap; where one continues another, it repeats that one's last token
    - documents, tokens and padding are as many as the manifest says, so that labels counted are labels trained

Without lineage it is unknown which segments begin or end a document; then one that another follows in its row must end
a document, because only the end of a row cuts one. A file is read in pieces of CHUNK_TOKENS by a compiled loop, at
about the speed of a disk. R = rows, L = row_tokens, S = segments.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.core.token_shapes import RowShape, TokenPart
from curation.text.kernels.compiler.kernel import read_only
from curation.tokens.row_check_kernels import (
    BEGIN,
    END,
    FIRST,
    KNOWN,
    LAST,
    LENGTHS,
    PADDING,
    RULES,
    SPECIAL,
    VOCABULARY,
    Ints,
    Kinds,
    Rules,
    check_pieces,
    check_rows,
)
from curation.tokens.token_files import PADDING_BIT, Segments, Tokens, open_rows, open_segments

CHUNK_TOKENS = 1 << 20
NAMES = ("row", "position", "doc_offset", "length", "document", "padding")
_PADDING_BIT = np.uint32(PADDING_BIT)


@dataclass(frozen=True)
class BrokenRow:
    """The first row of a file that breaks a rule, -1 for the file as a whole, and what is wrong in how many places."""

    row: int
    what: str
    places: int = 1

    def __str__(self) -> str:
        more = f" (and in {self.places - 1:,} more places)" if self.places > 1 else ""
        return f"row {self.row:,}: {self.what}{more}" if self.row >= 0 else self.what


@dataclass(frozen=True, eq=False)
class Lineage:
    """A file's lineage, segment by segment [S]; -1 in `offsets` and `documents` is padding."""

    rows: Ints
    positions: Ints
    offsets: Ints
    lengths: Ints
    documents: Ints
    padding: npt.NDArray[np.bool_]


def rules_of(shape: RowShape, special: Iterable[int] = ()) -> Rules:
    """The rules of a manifest's shape; `special` are ids beside begin, end and padding."""
    ids = (shape["begin_of_text"], shape["end_of_text"], shape["padding"])
    return rules(shape["vocabulary"], *ids, special)


def rules(vocabulary: int, begin: int | None, end: int, padding: int, special: Iterable[int] = ()) -> Rules:
    """The rules of a vocabulary of that size; `begin` is None where documents begin with their text."""
    flags = np.zeros(vocabulary + 1, np.uint8)
    named = [end, padding, vocabulary, *([] if begin is None else [begin])]
    flags[[*named, *(number for number in special if number < vocabulary)]] = 1
    return Rules(flags, -1 if begin is None else begin, end, padding)


def broken_document(tokens: Tokens, starts: Ints, rules: Rules) -> tuple[int, str] | None:
    """The first of the documents tokens[starts[i] : starts[i + 1]] that breaks a rule, and what is wrong."""
    found = np.full(len(RULES), -1, np.int64)
    places = np.zeros(len(RULES), np.int64)
    known = read_only(rules)
    for first in range(0, len(tokens), CHUNK_TOKENS):
        ids = np.ascontiguousarray(tokens[first : first + CHUNK_TOKENS], np.uint32)
        inside = starts[np.searchsorted(starts, first) : np.searchsorted(starts, first + len(ids), side="right")]
        edges = np.union1d(inside, [first, first + len(ids)])
        whole = np.isin(edges, inside)
        kinds = (whole[:-1] * FIRST | whole[1:] * LAST).astype(np.uint8)
        check_pieces(ids, first, edges - first, kinds, known, found, places)
    if not places.any():
        return None
    code = min((rule for rule in RULES if places[rule]), key=lambda rule: int(found[rule]))
    document = int(np.searchsorted(starts, found[code], side="right")) - 1
    return document, _told(code, int(tokens[found[code]]), int(found[code] - starts[document]), rules)


def broken_rows(
    stem: str, part: TokenPart, shape: RowShape, rules: Rules, *, lineage: bool = True
) -> Iterator[BrokenRow]:
    """The rules that a token shard's files break, each once. `stem` is their path without suffix; without `lineage`
    only rows and index are read. Raises InputError for files that cannot be read or have other sizes than they should.
    """
    row_tokens = shape["row_tokens"]
    dtype = np.dtype(shape["dtype"]).newbyteorder("<")
    rows = open_rows(f"{stem}.bin", rows=part["rows"], row_tokens=row_tokens, dtype=dtype)
    index = open_segments(f"{stem}.idx", rows=part["rows"], row_tokens=row_tokens, item_bytes=dtype.itemsize)
    kinds = np.zeros(len(index.lengths), np.uint8)
    if lineage:
        stated = read_lineage(f"{stem}.parquet")
        broken = list(_broken_lineage(stated, index, rows, part))
        yield from broken
        if not any(one.row >= 0 for one in broken):
            kinds = _kinds(stated)
    yield from _broken_content(rows, index, kinds, rules)
    padding = int((index.lengths & ~_PADDING_BIT)[index.lengths & _PADDING_BIT != 0].sum(dtype=np.int64))
    if padding != part["padding"]:
        yield BrokenRow(-1, f"has {padding:,} slots of padding, its manifest says {part['padding']:,}")


def _broken_content(rows: Tokens, index: Segments, kinds: Kinds, rules: Rules) -> Iterator[BrokenRow]:
    """The rules that the ids of a file's rows [R, L] break."""
    count, row_tokens = rows.shape
    found = np.full(len(RULES), -1, np.int64)
    places = np.zeros(len(RULES), np.int64)
    rules = read_only(rules)
    step = max(1, CHUNK_TOKENS // row_tokens)
    for first in range(0, count, step):
        ids = np.ascontiguousarray(rows[first : first + step], np.uint32).reshape(-1)
        offsets = index.offsets[first : first + step + 1]
        check_rows(ids, row_tokens, first, offsets, index.lengths, kinds, rules, found, places)
    for code in np.flatnonzero(found >= 0).tolist():
        row, position = divmod(int(found[code]), row_tokens)
        yield BrokenRow(row, _told(code, int(rows[row, position]), position, rules), int(places[code]))


def broken_batch(tokens: Tokens, segment_ids: npt.NDArray[np.int32], rules: Rules) -> Iterator[BrokenRow]:
    """The rows of a batch [B, L] that break a rule which shows without lineage; `segment_ids` as a reader of rows gives
    them, 0 in padding."""
    begins = np.diff(segment_ids, axis=1, prepend=-1) != 0
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=begins.size).astype(np.uint32)
    lengths[segment_ids.reshape(-1)[starts] == 0] |= _PADDING_BIT
    offsets = np.concatenate([[0], np.cumsum(begins.sum(axis=1))]).astype(np.uint64)
    return _broken_content(tokens, Segments(offsets, lengths), np.zeros(len(lengths), np.uint8), rules)


def _told(code: int, number: int, position: int, rules: Rules) -> str:
    """A line on what is wrong with a token, by its id and its position in the row or document."""
    at = f"token {position:,} is id {number:,}"
    return {
        LENGTHS: "its segments do not add up to the row",
        VOCABULARY: f"{at}, but the vocabulary ends before {len(rules.special) - 1:,}",
        SPECIAL: f"{at}, a special token inside the text of a document",
        BEGIN: f"{at}, where a document begins, which the tokenizer begins with id {rules.begin:,}",
        END: f"{at}, where a document ends, which the tokenizer ends with id {rules.end:,}",
        PADDING: f"{at} in padding, whose id is {rules.padding:,}",
    }[code]


def read_lineage(uri: str) -> Lineage:
    """Raises InputError if it is missing."""
    from curation.core.parquet_file import open_parquet  # slow to import, and a trainer's workers do not need it

    if not storage.exists(uri):
        raise InputError(f"no file at {uri}: it names the documents in the rows; copy the whole pack folder")
    with open_parquet(uri) as file:
        table = file.read(columns=list(NAMES))
    numbers = [pc.fill_null(table[name], -1).to_numpy().astype(np.int64) for name in NAMES[:-1]]
    rows, positions, offsets, lengths, documents = numbers
    return Lineage(rows, positions, offsets, lengths, documents, table["padding"].to_numpy())


def _kinds(stated: Lineage) -> Kinds:
    """uint8[S]: which segments begin and end a document."""
    ends = stated.offsets + stated.lengths
    last = np.zeros(int(stated.documents.max(initial=-1)) + 1, np.int64)
    text = ~stated.padding
    np.maximum.at(last, stated.documents[text], ends[text])
    kinds = np.full(len(ends), KNOWN, np.uint8)
    kinds[text & (stated.offsets == 0)] |= FIRST
    kinds[text] |= np.where(ends[text] == last[stated.documents[text]], LAST, 0).astype(np.uint8)
    return kinds


def _broken_lineage(stated: Lineage, index: Segments, rows: Tokens, part: TokenPart) -> Iterator[BrokenRow]:
    """Differences of the lineage from the index, the rows and the manifest."""
    counts = np.diff(index.offsets).astype(np.int64)
    if len(stated.lengths) != len(index.lengths) or (counts < 0).any() or counts.sum() != len(index.lengths):
        yield BrokenRow(
            -1, f"has {len(index.lengths):,} segments in its index and {len(stated.lengths):,} in its lineage"
        )
        return
    row = np.repeat(np.arange(len(counts)), counts)
    lengths = (index.lengths & ~_PADDING_BIT).astype(np.int64)
    ends = np.cumsum(lengths)
    same = (stated.rows == row) & (stated.lengths == lengths)
    same &= stated.padding == (index.lengths & _PADDING_BIT != 0)
    same &= stated.positions == ends - lengths - row * rows.shape[1]
    if not same.all():
        wrong = np.flatnonzero(~same)
        yield BrokenRow(int(row[wrong[0]]), "a segment is another in the index than in the lineage", len(wrong))
        return
    yield from _broken_documents(stated, rows, part)


def _broken_documents(stated: Lineage, rows: Tokens, part: TokenPart) -> Iterator[BrokenRow]:
    """Documents whose pieces do not join, and counts that differ from the manifest's."""
    text = np.flatnonzero(~stated.padding)
    order = text[np.lexsort((stated.rows[text], stated.offsets[text], stated.documents[text]))]
    document = stated.documents[order]
    offset = stated.offsets[order]
    ends = offset + stated.lengths[order]
    follows = np.concatenate([[False], document[1:] == document[:-1]])[: len(order)]
    before = np.where(follows, np.concatenate([[0], ends[:-1]])[: len(order)], 0)  # where the piece before ends
    gap = offset != np.maximum(before - 1, 0)
    flat = rows.reshape(-1)
    at = stated.rows[order] * rows.shape[1] + stated.positions[order]
    joins = np.flatnonzero(follows & ~gap)
    last_before = at[joins - 1] + stated.lengths[order][joins - 1] - 1
    gap[joins[flat[at[joins]] != flat[last_before]]] = True
    if gap.any():
        wrong = order[np.flatnonzero(gap)]
        told = "a piece of a document does not continue where the piece before it ends"
        yield BrokenRow(int(stated.rows[wrong].min()), told, len(wrong))
    repeated = int(follows.sum())
    counted = {"documents": len(order) - repeated, "tokens": int(stated.lengths[order].sum()) - repeated}
    for name, number in counted.items():
        if number != part[name]:  # type: ignore[literal-required]
            yield BrokenRow(-1, f"has {number:,} {name}, its manifest says {part[name]:,}")  # type: ignore[literal-required]
