"""Finds secrets in many texts: keywords first, then each rule's pattern in the windows in which it could match.

What is found is what searching each whole text with every rule finds (`found_plainly`): a window around a word that
every match holds (`anchors`) reaches further than any match. Two findings that overlap become one span: of
the kind that says whose secret it is, then of the longer one, then of the earlier rule.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from curation.models.secrets.anchors import Anchor, anchor_of, beginning_at
from curation.models.secrets.findings import Finding, RuleSearch, decoded, findings_in, lowered
from curation.models.secrets.parse_tree import RUN, ByteSet
from curation.models.secrets.rule import Pattern, RuleSet, SecretRule
from curation.text.edits.redaction import SPANS
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.phrases.keywords import KeywordHits, Keywords, Reach, find_keywords, keyword_table, windows

_MARGIN = 2  # characters: no match may touch the end of its window, where `\\b` and `\\Z` see the end of the text


@dataclass(frozen=True)
class _Search(RuleSearch):
    """With what tells where to look: numbers of keywords in the table, and what must match where a word stands."""

    keywords: tuple[int, ...]
    words: tuple[int, ...]
    reach: Reach | None
    beginning: Pattern | None


class Finder:
    """Finds the secrets of sets of rules, each with its own allowlists, in texts."""

    def __init__(self, sets: Sequence[RuleSet]) -> None:
        self._given = [(rule, own.allowlists) for own in sets for rule in own.rules]
        self.kinds = tuple(dict.fromkeys(rule.kind for rule, _ in self._given))

    def find(self, text: pa.Array, urls: pa.Array) -> pa.Array:
        """SPANS[N] of text[N]; the score is the entropy of the secret in bits per character."""
        return self._spans(self.found(text, urls), len(text))

    def found(self, text: pa.Array, urls: pa.Array) -> list[Finding]:
        """Every finding in text[N], by document, place and rule; `urls` string[N] are for rules on paths."""
        table, searches = self._prepared
        hits = find_keywords(text, table)
        order = np.argsort(hits.keyword, kind="stable")
        bounds = np.searchsorted(hits.keyword[order], np.arange(len(table.offsets)))
        rows = [order[first:last] for first, last in itertools.pairwise(bounds)]  # by keyword
        data, offsets = text_buffers(text)
        found: list[Finding] = []
        for search in searches:
            for document, start, stop in _places(search, text, table, hits, rows).tolist():
                piece = decoded(data, start, stop)
                whole = (data, int(offsets[document]), int(offsets[document + 1]))
                found += findings_in(search, document, piece, start, whole, urls)
        return sorted(found)

    def found_plainly(self, text: pa.Array, urls: pa.Array) -> list[Finding]:
        """As `found`, by each rule's pattern over each whole text."""
        data, offsets = text_buffers(text)
        found: list[Finding] = []
        for document in range(len(text)):
            start = int(offsets[document])
            stop = int(offsets[document + 1])
            whole = decoded(data, start, stop)
            lower = lowered(whole)
            for search in self._prepared[1]:
                if not search.rule.keywords or any(lowered(word) in lower for word in search.rule.keywords):
                    found += findings_in(search, document, whole, start, (data, start, stop), urls)
        return sorted(found)

    @cached_property
    def _prepared(self) -> tuple[Keywords, list[_Search]]:
        anchors = [anchor_of(rule.pattern) for rule, _ in self._given]
        words = {word: None for anchor in anchors if anchor for word in anchor.words}
        words |= {lowered(word): None for rule, _ in self._given for word in rule.keywords}
        numbers = {word: number for number, word in enumerate(words)}
        searches = [
            _Search(
                number,
                rule,
                (*allowlists, *rule.allowlists),
                tuple(numbers[lowered(word)] for word in rule.keywords),
                tuple(numbers[word] for word in anchor.words) if anchor else (),
                _reach(anchor) if anchor else None,
                beginning_at(anchor, rule.pattern) if anchor else None,
            )
            for number, ((rule, allowlists), anchor) in enumerate(zip(self._given, anchors, strict=True))
        ]
        return keyword_table(tuple(numbers)), searches

    def _spans(self, found: Iterable[Finding], documents: int) -> pa.Array:
        rows: list[list[dict[str, object]]] = [[] for _ in range(documents)]
        for start, end, best in merged(found, [rule for rule, _ in self._given]):
            span = {"kind": self._given[best.rule][0].kind, "start": start, "end": end, "score": best.entropy}
            rows[best.document].append(span)
        return pa.array(rows, SPANS)


def merged(found: Iterable[Finding], rules: Sequence[SecretRule]) -> Iterator[tuple[int, int, Finding]]:
    """(start, end, the finding whose kind counts) of findings by document and place, those that overlap together."""
    group: list[Finding] = []
    for finding in found:
        if group and (finding.document != group[0].document or finding.start >= max(one.end for one in group)):
            yield _together(group, rules)
            group = []
        group.append(finding)
    if group:
        yield _together(group, rules)


def _together(group: Sequence[Finding], rules: Sequence[SecretRule]) -> tuple[int, int, Finding]:
    best = min(group, key=lambda one: (rules[one.rule].generic, one.start - one.end, one.rule))
    return group[0].start, max(one.end for one in group), best


def _places(search: _Search, text: pa.Array, table: Keywords, hits: KeywordHits, rows: Sequence[Indices]) -> Indices:
    """int64[W, 3]: document, first byte and byte after the last of what the rule's pattern must be sought in. `rows`
    are those of each keyword among the hits."""
    data, offsets = text_buffers(text)
    allowed = np.ones(len(text), np.bool_)
    if search.rule.keywords:
        allowed = np.zeros(len(text), np.bool_)
        allowed[hits.document[np.concatenate([rows[keyword] for keyword in search.keywords])]] = True
    if search.reach is None:
        documents = np.flatnonzero(allowed)
        return np.stack([documents, offsets[documents], offsets[documents + 1]], axis=1)
    wanted = np.sort(np.concatenate([rows[word] for word in search.words]))
    wanted = wanted[allowed[hits.document[wanted]]]
    own = KeywordHits(*(values[wanted] for values in hits))
    places = windows(text, table, own, search.reach)
    if search.beginning is None:
        return places
    bounds = np.searchsorted(own.start, places[:, 1:])
    begins = [
        _begins(search.beginning, data, start, stop, own.start[first:last].tolist())
        for (_, start, stop), (first, last) in zip(places.tolist(), bounds.tolist(), strict=True)
    ]
    return places[np.array(begins, np.bool_)]


def _begins(beginning: Pattern, data: Bytes, start: int, stop: int, hits: Sequence[int]) -> bool:
    """Whether the pattern matches data[start:stop] from one of the bytes `hits` on."""
    piece = decoded(data, start, stop)
    places = (hit - start if piece.isascii() else len(decoded(data, start, hit)) for hit in hits)
    return any(beginning.match(piece, place) for place in places)


def _reach(anchor: Anchor) -> Reach:
    return Reach(
        anchor.before + _MARGIN,
        anchor.after + _MARGIN,
        _byte_set(anchor.free),
        RUN,
        _byte_set(anchor.followed_by),
        anchor.following,
    )


def _byte_set(held: ByteSet) -> Bytes:
    table = np.zeros(256, np.uint8)
    table[list(held)] = 1
    table.flags.writeable = False
    return table
