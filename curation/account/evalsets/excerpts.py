"""Excerpts of texts with what was found in them marked: the one place where this room makes text to be printed.

A text is redacted before anything is looked for in it, so marks lie in what is shown, and a value that a mark or the
end of an excerpt would cut in two is redacted whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from curation.account.redacted import Redactor
from curation.models.evalsets.index import Lookup
from curation.models.evalsets.matched_spans import matched_spans
from curation.models.evalsets.scan import GramHits, find_grams
from curation.text.kernels.buffers import Indices

AROUND = 100  # bytes of text beside a mark
LONGEST = 600  # bytes of a mark; of a longer one its beginning and end
MARKS = 4  # in an excerpt
GAP = " … "
CUT = " …"


@dataclass(frozen=True)
class ExcerptPiece:
    """A part of an excerpt; pieces in order make its text."""

    text: str
    marked: bool


@dataclass(frozen=True)
class TextSpan:
    """Bytes of a document's text, from `start` to before `stop`."""

    start: int
    stop: int


Finder = Callable[[pa.Array], Sequence[TextSpan]]  # of a text, large_string[1], the spans to mark


def excerpt(text: str, find: Finder, redactor: Redactor, values: Mapping[str, Any]) -> tuple[ExcerptPiece, ...]:
    """The first marks with some text around; `values` are columns of the document. Without a mark, because it was
    redacted, the text's beginning."""
    shown = redactor.text(text, values)
    data = shown.encode()
    pieces = list[ExcerptPiece]()
    at = 0
    spans = find(pa.array([shown], pa.large_string()))[:MARKS]
    ends = [*(span.start for span in spans[1:]), len(data)]
    for span, end in zip(spans, ends, strict=False):  # without a mark, an end is left
        begin = max(at, span.start - AROUND)
        pieces += [ExcerptPiece(GAP if begin > at else "", False), ExcerptPiece(_words(data, begin, span.start), False)]
        pieces += _marked(data, span)
        at = min(end, span.stop + AROUND)
        pieces.append(ExcerptPiece(_words(data, span.stop, at), False))
    if not pieces:
        at = min(len(data), 2 * AROUND)
        pieces.append(ExcerptPiece(_words(data, 0, at), False))
    pieces.append(ExcerptPiece(CUT if at < len(data) else "", False))
    return tuple(piece for piece in pieces if piece.text)


def spans_of(hits: GramHits, text: pa.Array, chosen: Indices) -> tuple[TextSpan, ...]:
    """The bytes of text[1] that some of its hits cover."""
    own = hits.at(chosen)
    merged = matched_spans(text, own.row, own.start, own.stop)[0].as_py() if len(chosen) else []
    return tuple(TextSpan(span["start"], span["stop"]) for span in merged)


def spans_by(lookup: Lookup) -> Finder:
    """Marks all n-grams of a lookup."""

    def find(text: pa.Array) -> tuple[TextSpan, ...]:
        hits = find_grams(text, lookup)
        return spans_of(hits, text, np.arange(len(hits.row)))

    return find


def _marked(data: bytes, span: TextSpan) -> list[ExcerptPiece]:
    if span.stop - span.start <= LONGEST:
        return [ExcerptPiece(_words(data, span.start, span.stop), True)]
    half = LONGEST // 2
    ends = _words(data, span.start, span.start + half), _words(data, span.stop - half, span.stop)
    return [ExcerptPiece(ends[0], True), ExcerptPiece(GAP, False), ExcerptPiece(ends[1], True)]


def _words(data: bytes, start: int, stop: int) -> str:
    """The text, without halves of characters at its ends."""
    return data[start:stop].decode(errors="ignore")
