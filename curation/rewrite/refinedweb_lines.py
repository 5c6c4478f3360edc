"""RefinedWeb's line rules: cut lines that belong to the page's frame, and its phrases out of short lines.

Source: Penedo et al. 2023, "The RefinedWeb Dataset for Falcon LLM" (arXiv:2306.01116), section 3.1 and appendix G.2;
the limit of half capitals, on which it is silent, is the one of Li et al. 2024, "DataComp-LM" (arXiv:2406.11794).
Choices the paper leaves open: a line ends at a line feed and is judged without the whitespace around it; a word is a
whitespace token; phrases are cut first, and a line is judged as it is then; runs of blank lines become one. Whether a
page lost too much is for the filter `refinedweb_quality` to say.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from curation.core.by_language import EditsByLanguage
from curation.text.edits.boilerplate import Boilerplate, without
from curation.text.kernels.unicode import NUMBER
from curation.text.lines import Lines, all_lines, count_capitals, count_words, joined
from curation.text.matches import Bools, consists_of_class
from curation.text.phrases.line_phrases import are_counters

COUNTED = tuple(
    word + ending
    for word in ("like", "comment", "share", "view", "vote", "follower", "subscriber", "download", "retweet", "repost")
    for ending in ("", "s")
)


@dataclass(frozen=True, kw_only=True)
class RefinedwebLines(EditsByLanguage):
    """Which lines stay, and what goes from short ones; phrases and words are given in lower case and match in any."""

    max_uppercase: float = 0.5  # fraction of characters
    min_words: int = 2
    counted: tuple[str, ...] = COUNTED  # of "3 likes"
    max_edited_words: int = 10  # of a line that phrases are cut from
    anywhere: tuple[str, ...] = ("items in cart",)
    at_start: tuple[str, ...] = ("sign-in",)
    at_end: tuple[str, ...] = ("read more...", "read more…")

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1
    idempotent: ClassVar[bool] = True

    def edit(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (the lines that stay, large_string[N]; {count: int64[N]})."""
        lines = all_lines(batch.column("text"))
        before = count_words(lines.trimmed())
        phrases = Boilerplate(anywhere=self.anywhere, at_start=self.at_start, at_end=self.at_end)
        edited, changed = without(lines, before <= self.max_edited_words, phrases)
        judged = edited.trimmed()
        after = count_words(judged)
        left = ~edited.blank()
        counts = {"lines": judged.total(~lines.blank()), "edited_lines": judged.total(changed)}
        for name, broken in self._judge(edited, after).items():
            counts[name] = judged.total(left & broken)
            left &= ~broken
        counts["words"] = judged.total(before)
        counts["words_removed"] = judged.total(before) - judged.total(after * left)
        kept = joined(edited.whole(), left, blank=lines.blank())
        return kept, {name: pa.array(counted) for name, counted in counts.items()}

    def _judge(self, lines: Lines, words: np.typing.NDArray[np.int64]) -> dict[str, Bools]:
        """Count -> bool[S] lines that break the rule, in the order of the rules."""
        spans = lines.trimmed()
        return {
            "uppercase_lines": count_capitals(spans) > self.max_uppercase * spans.characters,
            "numeric_lines": consists_of_class(spans, NUMBER),
            "counter_lines": are_counters(spans, self.counted),
            "short_lines": words < self.min_words,
        }
