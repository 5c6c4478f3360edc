"""Presidio's recognizers of patterns, run over the windows of many texts at once or over one value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import regex

from curation.models.pii.kinds import EMAIL, PHONE
from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.phones import SHAPE, Phones
from curation.models.pii.recognizer_list import PresidioRecognizer, known
from curation.models.pii.recognizers import make
from curation.models.pii.regions import regions_of
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.patterns.anchors import anchor_runs
from curation.text.patterns.readable import Readable, readable
from curation.text.patterns.shape import Shape, shape_of
from curation.text.patterns.windows import JoinedWindows, whole_texts, windows_of

CAPITALS = (ord("A"), ord("Z"))
_CAPITALS = {"IbanRecognizer": 2}  # right before the first digit


class Texts:
    """Texts of one language, and where their anchors are: found once for all recognizers."""

    def __init__(
        self,
        data: Bytes,
        offsets: Indices,
        countries: pa.DictionaryArray | None = None,
        written: tuple["Texts", Readable] | None = None,
    ) -> None:
        self.data = data
        self.offsets = offsets
        self.written = written  # the texts as they are written, if these are another copy of them, and the copy
        self._countries = countries
        self._runs: dict[str, npt.NDArray[np.int64]] = {}

    def windows(self, shape: Shape | None, count: int = 0, letters: tuple[int, int] = CAPITALS) -> JoinedWindows:
        """Where a pattern of this shape may match; the whole texts if it has none. `count` of these letters stand right
        before the first digit."""
        if shape is None:
            return whole_texts(self.data, self.offsets)
        if shape.anchor not in self._runs:
            self._runs[shape.anchor] = anchor_runs(self.data, self.offsets, shape.anchor)
        return windows_of(self.data, self.offsets, self._after(self._runs[shape.anchor], count, letters), shape)

    def like(self, copy: Readable) -> "Texts":
        """The copy of these texts."""
        return Texts(copy.data, copy.offsets, self._countries, None if copy.data is self.data else (self, copy))

    def content(self, document: int) -> bytes:
        """The text of a document in UTF-8."""
        return self.data[self.offsets[document] : self.offsets[document + 1]].tobytes()

    def country(self, document: int) -> str | None:
        """The country of a document's page, if that is known."""
        return None if self._countries is None else self._countries[document].as_py()

    def _after(self, runs: npt.NDArray[np.int64], count: int, letters: tuple[int, int]) -> npt.NDArray[np.int64]:
        """The runs with so many of these letters before them."""
        for distance in range(1, count + 1):
            runs = runs[runs[:, 0] - distance >= self.offsets[runs[:, 3]]]
            found = self.data[runs[:, 0] - distance]
            runs = runs[(found >= letters[0]) & (found <= letters[1])]
        return runs


@dataclass(frozen=True)
class _Pattern:
    compiled: regex.Pattern[str]
    score: float
    shape: Shape | None


class Recognizer:
    """A recognizer for texts of one language."""

    def __init__(self, listed: PresidioRecognizer, presidio: Any) -> None:
        self.kind = listed.kind
        self._name = listed.name
        self._presidio = presidio
        self.words = tuple(word.lower() for word in presidio.context or ())
        self._patterns: list[_Pattern] = []
        self._phones = Phones(presidio) if listed.kind == PHONE else None
        if self._phones is None:
            flags = presidio.global_regex_flags
            for one in presidio.patterns:
                shape = shape_of(one.regex, ignore_case=bool(flags & regex.IGNORECASE))
                self._patterns.append(_Pattern(regex.compile(one.regex, flags), one.score, shape))

    def find(self, texts: Texts) -> Iterator[tuple[int, PiiSpan]]:
        """The document and the place of each match that the recognizer's own checks let pass."""
        if self._phones is not None:
            yield from self._phones.spans(texts.windows(SHAPE), self.kind, partial(self._regions, texts))
        elif self._name in _CAPITALS:
            yield from self._own(texts)
        else:
            for pattern in self._patterns:
                yield from self._matches(pattern, texts.windows(pattern.shape))
            if self.kind == EMAIL and texts.written:
                yield from self._as_written(*texts.written)

    def _as_written(self, texts: Texts, copy: Readable) -> Iterator[tuple[int, PiiSpan]]:
        """Finds values in marked texts as they are written, in bytes of the copy: addresses in other scripts, which may
        have letters and digits side by side."""
        marked = np.flatnonzero(copy.marks)
        data, offsets = text_buffers(text_array(texts.data, texts.offsets).take(pa.array(marked)))
        for number, span in self.find(Texts(data, offsets)):
            document = int(marked[number])
            shift = int(texts.offsets[document] - offsets[number])
            start, stop = copy.place(span.start + shift, span.end + shift)
            yield document, span._replace(start=start, end=stop)

    def _regions(self, texts: Texts, document: int) -> tuple[str, ...]:
        """Those of all texts, and the country of a document's page."""
        assert self._phones is not None
        own = self._phones.regions
        country = texts.country(document)
        return own if country is None or country in own else (*own, country)

    def is_one(self, value: str) -> bool:
        """Whether all of a text is a value that the recognizer's own checks let pass."""
        if self._phones is not None:
            return self._phones.is_one(value)
        return any(one.compiled.fullmatch(value) and self._score(one.score, value) > 0.0 for one in self._patterns)

    def _matches(self, pattern: _Pattern, windows: JoinedWindows) -> Iterator[tuple[int, PiiSpan]]:
        text = windows.text
        for match in pattern.compiled.finditer(text):
            start, stop = match.span()
            score = self._score(pattern.score, text[start:stop]) if start < stop else 0.0
            if score > 0.0:
                document, first, last = windows.place(start, stop)
                yield document, PiiSpan(self.kind, first, last, score)

    def _score(self, score: float, value: str) -> float:
        """As Presidio's PatternRecognizer: 1 or 0 where a check of the value says so."""
        valid = self._presidio.validate_result(value)
        if valid is not None:
            score = 1.0 if valid else 0.0
        return 0.0 if self._presidio.invalidate_result(value) else score

    def _own(self, texts: Texts) -> Iterator[tuple[int, PiiSpan]]:
        """Matches of a recognizer that goes through them in a way of its own."""
        windows = texts.windows(self._patterns[0].shape, _CAPITALS[self._name])
        for found in self._presidio.analyze(windows.text, []):
            document, first, last = windows.place(found.start, found.end)
            yield document, PiiSpan(self.kind, first, last, found.score)


def validity(value: str, kind: str) -> Callable[[str], bool] | None:
    """What tells whether a text is of the kind, so that a surrogate (`alike`) can be drawn until it is one; None where
    the value itself is not, as of kinds that have no form."""
    is_valid = partial(is_of_kind, kind=kind)
    return is_valid if is_valid(value) else None


def is_of_kind(text: str, kind: str) -> bool:
    """Whether the whole text is a value of the kind to one of its recognizers."""
    read = _as_read(text)
    return any(one.is_one(read) for one in _recognizers(kind))


def _as_read(text: str) -> str:
    """A value with the blanks, hyphens and digits that patterns know."""
    if text.isascii():
        return text
    content = text.encode("utf-8", "surrogateescape")
    copy = readable(np.frombuffer(content, np.uint8), np.array([0, len(content)], np.int64))
    return copy.data[: copy.offsets[-1]].tobytes().decode("utf-8", "surrogateescape")


@lru_cache
def _recognizers(kind: str) -> tuple[Recognizer, ...]:
    """One of each name: languages have the same patterns."""
    by_name = {one.name: one for one in known() if one.kind == kind}
    regions = regions_of("en") if kind == PHONE else ()
    return tuple(Recognizer(one, make(one, one.language or "en", regions)) for one in by_name.values())
