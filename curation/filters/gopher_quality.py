"""Gopher quality rules: drop documents whose surface statistics do not look like prose.

Source: Rae et al. 2021, "Scaling Language Models" (arXiv:2112.11446), table A1, quality filters.
Choices the paper leaves open: a word is a whitespace token, punctuation and all; the mean word length is the arithmetic
one; hash signs and ellipses are counted in the text and bounded apart; a line is a non-blank one without the whitespace
around it; an alphabetic word holds a letter of any script; stop words are whole words in any case, each counted once.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.core.by_language import ByLanguage
from curation.core.rules import Rule
from curation.text.matches import contains_class, count_distinct, count_phrases, ends_with, starts_with
from curation.text.spans import line_spans, ratio, word_spans
from curation.text.unicode import LETTER

STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
BULLETS = ("-", "*", "•")
ELLIPSES = ("...", "…")


@dataclass(frozen=True, kw_only=True)
class GopherQuality(ByLanguage):
    """Limits on word, line and symbol statistics; the defaults are the paper's."""

    min_words: int = 50
    max_words: int = 100_000
    min_mean_word_length: float = 3.0  # characters
    max_mean_word_length: float = 10.0
    max_hashes_per_word: float = 0.1
    max_ellipses_per_word: float = 0.1
    max_bullet_lines: float = 0.9  # fraction of lines
    max_ellipsis_lines: float = 0.3
    min_alphabetic_words: float = 0.8  # fraction of words
    min_stop_words: int = 2  # distinct

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one numeric array [N] per statistic; an empty text measures 0 throughout."""
        text = batch.column("text")
        words, lines = word_spans(text), line_spans(text)
        signals = {
            "words": words.count(),
            "mean_word_length": words.mean(words.characters),
            "hashes_per_word": ratio(count_phrases(text, ("#",)), words.count()),
            "ellipses_per_word": ratio(count_phrases(text, ELLIPSES), words.count()),
            "bullet_lines": lines.mean(starts_with(lines, BULLETS)),
            "ellipsis_lines": lines.mean(ends_with(lines, ELLIPSES)),
            "alphabetic_words": words.mean(contains_class(words, LETTER)),
            "stop_words": count_distinct(words, STOP_WORDS),
        }
        return {name: pa.array(values) for name, values in signals.items()}

    def limits(self) -> tuple[Rule, ...]:
        return (
            Rule("words", self.min_words, self.max_words),
            Rule("mean_word_length", self.min_mean_word_length, self.max_mean_word_length),
            Rule("hashes_per_word", at_most=self.max_hashes_per_word),
            Rule("ellipses_per_word", at_most=self.max_ellipses_per_word),
            Rule("bullet_lines", at_most=self.max_bullet_lines),
            Rule("ellipsis_lines", at_most=self.max_ellipsis_lines),
            Rule("alphabetic_words", at_least=self.min_alphabetic_words),
            Rule("stop_words", at_least=self.min_stop_words),
        )
