"""Which of the spans found in one text stay: Presidio's rule, and the one of redaction."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple


class PiiSpan(NamedTuple):
    """A value in a text: bytes [start, end)."""

    kind: str
    start: int
    end: int
    score: float


def without_contained(spans: Iterable[PiiSpan]) -> list[PiiSpan]:
    """The spans that do not lie in another one of the same kind with the same score or a higher one; by start.

    As Presidio's `EntityRecognizer.remove_duplicates`.
    """
    kept: list[PiiSpan] = []
    ordered = sorted(set(spans), key=lambda span: (span.kind, span.start, -span.end, -span.score))
    for _, of_kind in groupby(ordered, key=lambda span: span.kind):
        active: list[PiiSpan] = []
        for span in of_kind:
            active = [other for other in active if other.end >= span.start]
            if not any(span.end <= other.end and span.score <= other.score for other in active):
                active.append(span)
                kept.append(span)
    return sorted(kept, key=lambda span: (span.start, span.end, span.kind, span.score))


def apart(spans: Iterable[PiiSpan]) -> list[PiiSpan]:
    """Spans of which none touches the bytes of another, by start: of those that overlap the one with the highest score
    stays, then the longest, then the first, then the first by kind."""
    kept: list[PiiSpan] = []
    for span in sorted(spans, key=lambda span: (-span.score, span.start - span.end, span.start, span.kind)):
        at = bisect_right(kept, span.start, key=_start)
        if (at == 0 or kept[at - 1].end <= span.start) and (at == len(kept) or span.end <= kept[at].start):
            kept.insert(at, span)
    return kept


class SpanSet:
    """Spans of which it can be asked whether one has a byte in common with a place."""

    def __init__(self, spans: Iterable[PiiSpan]) -> None:
        self._spans: list[tuple[int, int]] = []  # that overlap none of one another
        for span in sorted(spans, key=_start):
            self._join(span.start, span.end)

    def has(self, start: int, end: int) -> bool:
        at = bisect_right(self._spans, start, key=_first)
        return (at > 0 and start < self._spans[at - 1][1]) or (at < len(self._spans) and self._spans[at][0] < end)

    def add(self, start: int, end: int) -> None:
        """A place that has no byte in common with the spans."""
        self._spans.insert(bisect_right(self._spans, start, key=_first), (start, end))

    def _join(self, start: int, end: int) -> None:
        if self._spans and start < self._spans[-1][1]:
            self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
        else:
            self._spans.append((start, end))


def _start(span: PiiSpan) -> int:
    return span.start


def _first(place: tuple[int, int]) -> int:
    return place[0]
