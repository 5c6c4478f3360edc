"""Gopher quality rules: drop documents whose surface statistics do not look like prose.

Source: Rae et al. 2021, "Scaling Language Models" (arXiv:2112.11446), table A1, quality filters.
The paper does not define words, lines and symbols; `variant` chooses a reading. Words are whitespace tokens in all of
them. "paper" fills the gaps with our choices; the others are what three public pipelines compute:

    variant          paper                datatrove             dolma                    dclm
    counted words    all                  not only punctuation  all                      begin with letter or number
    word length      mean, all words      mean, counted words   median, all words        mean, all words
    symbols per word # and ellipses apart the same              words with # or …        # and ellipses summed
    ellipses         ... …                ... …                 …                        ... . . . …
    bullets          - * •                - •                   - *                      - * • ●
    lines            not blank, stripped  all breaks of         all, as they are         not blank, stripped
                                          Unicode, stripped
    stop words       different, any case  different, as written all, as written          all, any case

Shares of words are of all words. An alphabetic word contains a letter of any script; a stop word is a whole word.
Beyond the paper, a language may have its own stop words, and `words: segments` also cuts words where a script has no
blanks between them (`curation/text/languages/segments.py`). A token of invisible characters alone is no word, and a
line of them is blank, in all variants.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE, ByLanguage
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.limits import COUNTS, SHARES, Limit, When
from curation.text.counts import WordCounts, count_words
from curation.text.kernels.buffers import Indices
from curation.text.kernels.unicode import LETTER, NUMBER
from curation.text.languages.segments import Words, library_of, worded
from curation.text.languages.stop_words import count_stop_words
from curation.text.lines import all_lines
from curation.text.matches import contains, ends_with, starts_with, starts_with_class
from curation.text.phrases.occurrences import count_phrases
from curation.text.spans import TextSpans, line_spans, pieces, ratio, word_spans

Variant = Literal["paper", "datatrove", "dolma", "dclm"]
Values = dict[str, npt.NDArray[Any]]

ELLIPSES: dict[Variant, tuple[str, ...]] = {
    "paper": ("...", "…"),
    "datatrove": ("...", "…"),
    "dolma": ("…",),
    "dclm": ("...", ". . .", "…"),
}
BULLETS: dict[Variant, tuple[str, ...]] = {
    "paper": ("-", "*", "•"),
    "datatrove": ("-", "•"),
    "dolma": ("-", "*"),
    "dclm": ("-", "*", "•", "●"),
}
DIFFERENT: tuple[Variant, ...] = ("paper", "datatrove")  # variants that count a stop word once
NOT_DOLMA: When = {"variant": ("paper", "datatrove", "dclm")}
DOLMA: When = {"variant": ("dolma",)}
APART: When = {"variant": ("paper", "datatrove")}  # "#" and ellipses
TOGETHER: When = {"variant": ("dolma", "dclm")}
SHORTEST = "min_mean_word_length"
LONGEST = "max_mean_word_length"
LINES: dict[Variant, Callable[[pa.Array], TextSpans]] = {
    "paper": line_spans,
    "datatrove": lambda text: all_lines(text, any_break=True).trimmed(),
    "dolma": lambda text: pieces(text, least=1, most=1, stripped=False, blank=True),
    "dclm": line_spans,
}


@dataclass(frozen=True, kw_only=True)
class GopherQuality(ByLanguage):
    """Limits on word, line and symbol statistics; the defaults are the paper's."""

    variant: Annotated[Variant, "whose counts: the paper's or a public implementation's"] = "paper"
    words: Annotated[Words, "between blanks, or also cut by a dictionary in scripts without them"] = "blanks"
    stop_words: Annotated[tuple[str, ...], "empty: the, be, to, of, and, that, have, with"] = ()
    min_words: Annotated[int, "words of a document"] = 50
    max_words: Annotated[int, "words of a document"] = 100_000
    min_mean_word_length: Annotated[float, "characters; limits the median in variant dolma"] = 3.0
    max_mean_word_length: Annotated[float, "characters"] = 10.0
    max_hashes_per_word: Annotated[float, '"#" over words'] = 0.1
    max_ellipses_per_word: Annotated[float, '"…" and "..." over words'] = 0.1
    max_symbols_per_word: Annotated[float, "replaces the two limits above in variants dolma and dclm"] = 0.1
    max_bullet_lines: Annotated[float, "fraction of lines"] = 0.9
    max_ellipsis_lines: Annotated[float, "fraction of lines that end in an ellipsis"] = 0.3
    min_alphabetic_words: Annotated[float, "fraction of words"] = 0.8
    min_stop_words: Annotated[int, "different ones"] = 2

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("words", least="min_words", most="max_words", between=COUNTS),
        Limit("mean_word_length", least=SHORTEST, most=LONGEST, between=COUNTS, when=NOT_DOLMA),
        Limit("median_word_length", least=SHORTEST, most=LONGEST, between=COUNTS, when=DOLMA),
        Limit("hashes_per_word", most="max_hashes_per_word", between=COUNTS, when=APART),
        Limit("ellipses_per_word", most="max_ellipses_per_word", between=COUNTS, when=APART),
        Limit("symbols_per_word", most="max_symbols_per_word", between=COUNTS, when=TOGETHER),
        Limit("bullet_lines", most="max_bullet_lines", between=SHARES),
        Limit("ellipsis_lines", most="max_ellipsis_lines", between=SHARES),
        Limit("alphabetic_words", least="min_alphabetic_words", between=SHARES),
        Limit("stop_words", least="min_stop_words", between=COUNTS),
    )
    beside: ClassVar[tuple[str, ...]] = ("stop_words",)
    added: ClassVar[tuple[str, ...]] = ("words", "stop_words")
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "libraries", library_of(self.words))
        for word in self.stop_words:
            if word.split() != [word]:
                raise RecipeError(f"stop_words: {word!r} is not one word")
        known = len({*self.stop_words})
        if 0 < known < self.min_stop_words and self.variant in DIFFERENT:
            raise RecipeError(f"min_stop_words {self.min_stop_words} is above the number of stop_words, {known}")

    def signal_types(self) -> Signals:
        """Words and stop words are counts, the others means and shares; which there are depends on the variant."""
        length = "median_word_length" if self.variant == "dolma" else "mean_word_length"
        apart = self.variant in ("paper", "datatrove")
        symbols = ("hashes_per_word", "ellipses_per_word") if apart else ("symbols_per_word",)
        shares = (length, *symbols, "bullet_lines", "ellipsis_lines", "alphabetic_words")
        return {"words": pa.int64(), **dict.fromkeys(shares, pa.float64()), "stop_words": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one numeric array [N] per statistic; an empty text measures 0 throughout."""
        text = batch.column("text")
        words = worded(text, self.words)
        counts = count_words(words, any_case=self.variant in ("paper", "dclm"))
        lines = LINES[self.variant](text)
        signals = {
            **_words(words, counts, self.variant),
            **_symbols(words, counts, self.variant),
            "bullet_lines": lines.mean(starts_with(lines, BULLETS[self.variant])),
            "ellipsis_lines": lines.mean(ends_with(lines, ELLIPSES[self.variant])),
            "alphabetic_words": ratio(counts.alphabetic, counts.words),
            "stop_words": self._stop_words(batch, words, counts),
        }
        return {name: pa.array(values) for name, values in signals.items()}

    def _stop_words(self, batch: pa.RecordBatch, words: pa.Array, counts: WordCounts) -> Indices:
        """int64[N]: stop words of each document's language in `words`; different ones or all, by variant."""
        different = self.variant in DIFFERENT
        usual = counts.distinct if different else counts.stop_words
        options = self.by_language.items()
        own = {language: limits["stop_words"] for language, limits in options if "stop_words" in limits}
        if not (own or self.stop_words):
            return usual
        groups = np.full(len(batch), len(own))
        if own:
            label = pc.struct_field(batch.column(LANGUAGE), "label")
            number = pc.index_in(label, pa.array(list(own), label.type))
            groups = np.array(pc.fill_null(number, len(own)), np.int64)
        sets = (*own.values(), self.stop_words)
        groups[~np.array([bool(one) for one in sets])[groups]] = -1
        total, distinct = count_stop_words(words, groups, sets, any_case=self.variant in ("paper", "dclm"))
        return np.where(groups < 0, usual, distinct if different else total)


def _words(text: pa.Array, counts: WordCounts, variant: Variant) -> Values:
    if variant == "paper":
        return {"words": counts.words, "mean_word_length": ratio(counts.characters, counts.words)}
    if variant == "datatrove":
        return {"words": counts.plain, "mean_word_length": ratio(counts.plain_characters, counts.plain)}
    words = word_spans(text)
    if variant == "dolma":
        return {"words": counts.words, "median_word_length": words.median(words.characters)}
    counted = words.total(starts_with_class(words, LETTER | NUMBER))
    return {"words": counted, "mean_word_length": ratio(counts.characters, counts.words)}


def _symbols(text: pa.Array, counts: WordCounts, variant: Variant) -> Values:
    if variant == "dolma":
        words = word_spans(text)
        return {"symbols_per_word": words.mean(contains(words, ("#", *ELLIPSES[variant])))}
    hashes = count_phrases(text, ("#",))
    ellipses = np.sum([count_phrases(text, (mark,)) for mark in ELLIPSES[variant]], axis=0)
    if variant == "dclm":
        return {"symbols_per_word": ratio(hashes + ellipses, counts.words)}
    return {"hashes_per_word": ratio(hashes, counts.words), "ellipses_per_word": ratio(ellipses, counts.words)}
