"""RefinedWeb's line rules: cut lines that belong to the page's frame, and boilerplate phrases out of short lines.

Source: Penedo et al. 2023, "The RefinedWeb Dataset for Falcon LLM" (arXiv:2306.01116), section 3.1 and appendix G.2. It
gives no limit on capitals; half is from Li et al. 2024, "DataComp-LM" (arXiv:2406.11794).
Choices the paper leaves open: a line ends at a line feed and is judged without the whitespace around it; a word is a
whitespace token; phrases are cut before lines are judged; runs of blank lines become one. The filter
`refinedweb_quality` decides whether a page lost too much.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa

from curation.core.by_language import EditsByLanguage
from curation.core.component import Signals
from curation.text.edits.boilerplate import Boilerplate, without
from curation.text.kernels.buffers import Indices
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
    """Which lines stay, and what is cut from short ones. Give phrases and words in lower case; they match in any."""

    max_uppercase: Annotated[float, "fraction of characters"] = 0.5
    min_words: Annotated[int, "words of a line"] = 2
    counted: Annotated[tuple[str, ...], 'nouns in lines such as "3 likes"'] = COUNTED
    max_edited_words: Annotated[int, "phrases are cut only from lines with at most this many words"] = 10
    anywhere: Annotated[tuple[str, ...], "phrases that are cut wherever they stand"] = ("items in cart",)
    at_start: Annotated[tuple[str, ...], "phrases that are cut where a line begins"] = ("sign-in",)
    at_end: Annotated[tuple[str, ...], "phrases that are cut where a line ends"] = ("read more...", "read more…")

    version: ClassVar[int] = 2
    idempotent: ClassVar[bool] = True

    def signal_types(self) -> Signals:
        """A count each: lines, lines by the rule that they break, and words."""
        rules = ("uppercase_lines", "numeric_lines", "counter_lines", "short_lines")
        return dict.fromkeys(("lines", "edited_lines", *rules, "words", "words_removed"), pa.int64())

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

    def _judge(self, lines: Lines, words: Indices) -> dict[str, Bools]:
        """Count -> bool[S], the lines that break its rule, in the order of the rules."""
        spans = lines.trimmed()
        return {
            "uppercase_lines": count_capitals(spans) > self.max_uppercase * spans.characters,
            "numeric_lines": consists_of_class(spans, NUMBER),
            "counter_lines": are_counters(spans, self.counted),
            "short_lines": words < self.min_words,
        }
