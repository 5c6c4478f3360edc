"""Finds personal data in texts: the spans that Presidio finds, many times as fast.

Source: presidio-analyzer (github.com/microsoft/presidio); `plain_presidio` in `recognizers` says which of it.

Spans have the kinds, places and scores of plain Presidio. Exceptions:
- A text that plain Presidio refuses because it has over a million characters is read here.
- Of a piece without whitespace, 1,000 characters on either side of an `@` are read, and 1,000 bytes before a value for
  words; elsewhere 65,536 bytes. The words before the first 20,000 values of a text are read.
- Of rows of digits longer than a telephone number that may hold one, 250 in a text are searched.
- After 65,535 searches of a text, region by region, that found no telephone number, no more are made. Presidio stops
  after as many wrong numbers in each region.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.models.pii.added import CARDS, IBANS, NUMBERS, PHONES, URLS, hidden_addresses
from curation.models.pii.context import LEAST, MOST, RAISE, ContextWords
from curation.models.pii.continued import continued
from curation.models.pii.kinds import all_kinds, check_kinds, presidio_kinds, usual_kinds
from curation.models.pii.overlaps import PiiSpan, SpanSet, without_contained
from curation.models.pii.patterns import Recognizer, Texts
from curation.models.pii.recognizer_list import EVERYWHERE
from curation.models.pii.recognizers import blank, chosen, make
from curation.models.pii.refused import is_called, needs_words, without_others, without_words
from curation.models.pii.regions import PRESIDIO_REGIONS, check_regions, regions_of
from curation.models.pii.surroundings import surroundings
from curation.text.edits.redaction import SPANS
from curation.text.kernels.buffers import text_buffers
from curation.text.patterns.readable import Readable, readable

Variant = Literal["winnow", "presidio"]


@dataclass(frozen=True, kw_only=True)
class PiiSearch:
    """What is looked for. The score of a telephone number without a word such as "phone" before it is 0.4."""

    variant: Variant = "winnow"  # presidio: its spans, and none but those
    kinds: tuple[str, ...] = ()  # none: those that the variant looks for unless told otherwise
    min_score: float = 0.4
    # Countries as whose numbers those without a country's code are read; none: those of the text's language and of its
    # page's domain; in variant presidio US, GB, DE, FR, IL, IN, CA, BR, which are Presidio's.
    regions: tuple[str, ...] = ()
    language: str = "en"  # of a text whose language is not known

    def check(self) -> None:
        """Raises RecipeError for a kind or a country that is not known."""
        check_kinds(self.kinds, all_kinds())
        check_regions(self.regions)

    def all(self) -> tuple[str, ...]:
        return self.kinds or (presidio_kinds() if self.plain else usual_kinds())

    @property
    def plain(self) -> bool:
        """Whether the spans are those of plain Presidio."""
        return self.variant == "presidio"

    def regions_of(self, language: str) -> tuple[str, ...]:
        return self.regions or (PRESIDIO_REGIONS if self.plain else regions_of(language))


def find_personal_data(
    texts: pa.Array, languages: pa.Array | None, sought: PiiSearch, countries: pa.DictionaryArray | None = None
) -> pa.ListArray:
    """SPANS[N] of N texts: bytes [start, end) of the text in UTF-8, by start; spans of different kinds may overlap.

    `languages`: string[N], codes such as "en"; None or null: `sought.language`. `countries`: as `countries_of` gives
    them; used unless `sought` names regions. A null text has no spans. A document's spans never depend on its
    neighbours.
    """
    found: list[list[PiiSpan]] = [[] for _ in range(len(texts))]
    if sought.regions or sought.plain:
        countries = None
    for language, rows in _by_language(languages, len(texts), sought.language):
        data, offsets = text_buffers(texts if rows is None else texts.take(rows))
        places = countries if rows is None or countries is None else countries.take(rows)
        own = Texts(data, offsets, places)
        by_document = _find(own, language, sought) if sought.plain else _find_readable(own, language, sought)
        numbers = range(len(texts)) if rows is None else rows.to_pylist()
        for document, spans in by_document.items():
            found[numbers[document]] = spans
    return as_spans(found)


def as_spans(found: list[list[PiiSpan]]) -> pa.ListArray:
    """SPANS[N] of the spans of N texts."""
    return pa.array([[span._asdict() for span in spans] for spans in found], SPANS)


def _by_language(languages: pa.Array | None, size: int, default: str) -> Iterator[tuple[str, pa.Array | None]]:
    """Each language and the rows of its texts; None: all."""
    if languages is None:
        if size:
            yield default, None
        return
    filled = pc.fill_null(languages.cast(pa.string()), default)
    names = sorted(filled.unique().to_pylist())
    for name in names:
        yield name, None if len(names) == 1 else pc.indices_nonzero(pc.equal(filled, name))


@lru_cache(maxsize=128)
def recognizers(language: str, kinds: tuple[str, ...], regions: tuple[str, ...]) -> tuple[Recognizer, ...]:
    """The recognizers of texts of a language."""
    return tuple(Recognizer(one, make(one, language, regions)) for one in chosen(kinds, language))


def _find_readable(texts: Texts, language: str, sought: PiiSearch) -> dict[int, list[PiiSpan]]:
    """Document -> its spans, by start, found in a copy of the texts that patterns can read."""
    copy = readable(texts.data, texts.offsets)
    found = _find(texts.like(copy), language, sought)
    if copy.origin is copy.data:
        return found
    return {document: _in_source(spans, copy, texts, document) for document, spans in found.items()}


def _in_source(spans: list[PiiSpan], copy: Readable, texts: Texts, document: int) -> list[PiiSpan]:
    """The spans of a document in its own bytes."""
    read = int(copy.offsets[document])
    begin = int(texts.offsets[document])
    places = [copy.source(read + span.start, read + span.end) for span in spans]
    return [
        span._replace(start=start - begin, end=stop - begin) for span, (start, stop) in zip(spans, places, strict=True)
    ]


def _find(texts: Texts, language: str, sought: PiiSearch) -> dict[int, list[PiiSpan]]:
    """Document -> its spans, by start."""
    contexts: dict[int, ContextWords] = {}
    found: dict[int, list[PiiSpan]] = {}
    with blank(language).memory_zone():
        for recognizer in recognizers(language, sought.all(), sought.regions_of(language)):
            for document, spans in _of(recognizer, texts, sought.min_score).items():
                for span in spans:
                    raised = _raised(span, recognizer, texts, document, language, contexts, plain=sought.plain)
                    if raised is not None and raised.score >= sought.min_score:
                        found.setdefault(document, []).append(raised)
    found = {document: without_contained(spans) for document, spans in found.items()}
    if sought.plain:
        return {document: sorted(spans, key=_place) for document, spans in found.items()}
    _add(found, texts, language, sought)
    return _plausible({document: sorted(found[document], key=_place) for document in sorted(found)}, texts, language)


def _plausible(found: dict[int, list[PiiSpan]], texts: Texts, language: str) -> dict[int, list[PiiSpan]]:
    """The spans that their form and what stands around them bear out, and those that go on from one."""
    kept: dict[int, list[PiiSpan]] = {}
    for document, spans in found.items():
        content = texts.content(document)
        own = without_others(spans, surroundings(spans, content), content, language)
        kept[document] = continued(without_words(own, content), content)
    return kept


def _place(span: PiiSpan) -> tuple[int, int, str]:
    return span.start, span.end, span.kind


def _add(found: dict[int, list[PiiSpan]], texts: Texts, language: str, sought: PiiSearch) -> None:
    """Adds what only our own rules find, where it touches no span of its kind."""
    kinds = sought.all()
    rules = (*PHONES, *CARDS, *IBANS, *NUMBERS, *URLS)
    finds = [rule.find for rule in rules if rule.kind in kinds and rule.language in (EVERYWHERE, language)]
    finds += [hidden_addresses] if "email" in kinds else []
    touched: dict[tuple[int, str], SpanSet] = {}
    for find in finds:
        for document, span in find(texts):
            if span.score < sought.min_score:
                continue
            begin = int(texts.offsets[document])
            span = span._replace(start=span.start - begin, end=span.end - begin)
            spans = found.setdefault(document, [])
            key = (document, span.kind)
            if key not in touched:
                touched[key] = SpanSet(one for one in spans if one.kind == span.kind)
            if not touched[key].has(span.start, span.end):
                touched[key].add(span.start, span.end)
                spans.append(span)


def _of(recognizer: Recognizer, texts: Texts, min_score: float) -> dict[int, list[PiiSpan]]:
    """Document -> what a recognizer finds in it, but for what no word could raise to `min_score`."""
    raises = RAISE if recognizer.words else 0.0
    least = LEAST if recognizer.words else 0.0
    found: dict[int, list[PiiSpan]] = {}
    for document, span in recognizer.find(texts):
        if max(span.score + raises, least) >= min_score:
            found.setdefault(document, []).append(span)
    return {document: without_contained(spans) for document, spans in found.items()}


def _raised(
    span: PiiSpan,
    recognizer: Recognizer,
    texts: Texts,
    document: int,
    language: str,
    contexts: dict[int, ContextWords],
    *,
    plain: bool,
) -> PiiSpan | None:
    """The span with the score that the words before it give it; its place in its own text. None if it needs such a word
    and none is there."""
    begin, end = texts.offsets[document : document + 2].tolist()
    span = span._replace(start=span.start - begin, end=span.end - begin)
    called = None if plain else is_called(span, texts.data[begin:end])
    needs = not plain and needs_words(span.kind)
    if called is not None:
        return _surer(span) if called else None
    if not recognizer.words or (span.score >= MOST and not needs):
        return span
    if document not in contexts:
        contexts[document] = ContextWords(texts.content(document), language)
    if not contexts[document].raises(span.start, recognizer.words):
        return None if needs else span
    return _surer(span)


def _surer(span: PiiSpan) -> PiiSpan:
    return span._replace(score=min(max(span.score + RAISE, LEAST), MOST))
