"""Gopher repetition rules: drop documents that say the same thing again and again.

Source: Rae et al. 2021, "Scaling Language Models" (arXiv:2112.11446), table A1, repetition removal.
Choices the paper leaves open: a duplicate is a copy after the first, in lines, paragraphs and n-grams alike, so a share
says how much could go without losing anything; a line is a non-blank one without the whitespace around it, a paragraph
a run of lines between blank ones; a word is a whitespace token, compared as written. Characters of lines and paragraphs
are shares of those in all lines and paragraphs, characters of n-grams shares of those in all words, without the
whitespace between them. The top n-gram is the one that occurs most often; of several the one that covers most; what
occurs once is none. Characters in overlapping n-grams count once, as the paper asks for duplicate ones, in both.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.core.by_language import ByLanguage
from curation.core.rules import Rule
from curation.text.ngrams import SMALLEST, ngram_shares, repeat_shares
from curation.text.spans import line_spans, paragraph_spans, word_spans


@dataclass(frozen=True, kw_only=True)
class GopherRepetition(ByLanguage):
    """Limits on fractions of the text that repeat; the defaults are the paper's."""

    max_duplicate_lines: float = 0.30  # fraction of lines
    max_duplicate_paragraphs: float = 0.30  # fraction of paragraphs
    max_duplicate_line_characters: float = 0.20  # here and below: fraction of characters
    max_duplicate_paragraph_characters: float = 0.20
    max_top_2gram_characters: float = 0.20
    max_top_3gram_characters: float = 0.18
    max_top_4gram_characters: float = 0.16
    max_duplicate_5gram_characters: float = 0.15
    max_duplicate_6gram_characters: float = 0.14
    max_duplicate_7gram_characters: float = 0.13
    max_duplicate_8gram_characters: float = 0.12
    max_duplicate_9gram_characters: float = 0.11
    max_duplicate_10gram_characters: float = 0.10

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one float64[N] in [0, 1] per statistic; an empty text measures 0 throughout."""
        text = batch.column("text")
        lines, line_characters = repeat_shares(line_spans(text))
        paragraphs, paragraph_characters = repeat_shares(paragraph_spans(text))
        top, repeated = ngram_shares(word_spans(text))
        signals = {
            "duplicate_lines": lines,
            "duplicate_paragraphs": paragraphs,
            "duplicate_line_characters": line_characters,
            "duplicate_paragraph_characters": paragraph_characters,
            **{f"top_{n}gram_characters": top[:, n - SMALLEST] for n in (2, 3, 4)},
            **{f"duplicate_{n}gram_characters": repeated[:, n - SMALLEST] for n in (5, 6, 7, 8, 9, 10)},
        }
        return {name: pa.array(values) for name, values in signals.items()}

    def limits(self) -> tuple[Rule, ...]:
        return (
            Rule("duplicate_lines", at_most=self.max_duplicate_lines),
            Rule("duplicate_paragraphs", at_most=self.max_duplicate_paragraphs),
            Rule("duplicate_line_characters", at_most=self.max_duplicate_line_characters),
            Rule("duplicate_paragraph_characters", at_most=self.max_duplicate_paragraph_characters),
            Rule("top_2gram_characters", at_most=self.max_top_2gram_characters),
            Rule("top_3gram_characters", at_most=self.max_top_3gram_characters),
            Rule("top_4gram_characters", at_most=self.max_top_4gram_characters),
            Rule("duplicate_5gram_characters", at_most=self.max_duplicate_5gram_characters),
            Rule("duplicate_6gram_characters", at_most=self.max_duplicate_6gram_characters),
            Rule("duplicate_7gram_characters", at_most=self.max_duplicate_7gram_characters),
            Rule("duplicate_8gram_characters", at_most=self.max_duplicate_8gram_characters),
            Rule("duplicate_9gram_characters", at_most=self.max_duplicate_9gram_characters),
            Rule("duplicate_10gram_characters", at_most=self.max_duplicate_10gram_characters),
        )
