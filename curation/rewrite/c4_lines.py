"""C4's line rules: cut the lines that are not prose, and remove citation markers from the others.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
(arXiv:1910.10683), section 2.2; Penedo et al. 2024, "The FineWeb Datasets" (arXiv:2406.17557), which leaves out the
rule on terminal punctuation.
Choices the paper leaves open: a line ends at any Unicode line break and loses the whitespace around it; a word is a
whitespace token; closing quotation marks are " ' ” and ’; three dots are no end; "javascript" and the policy phrases
match anywhere, in any case; lines are judged without their markers. The variants differ:

    variant      paper               datatrove           dolma               dclm
    ends         . ? ! and quotes    . ? ! " '           . ? ! " and ...     . ? ! "
    words        3                   3, markers too      3                   5
    longest      1000 characters     the same            -                   1000 characters
    javascript   cuts the line       the same            counts, whole word  cuts the line
    policy       cuts the line       the same            -                   cuts the line
    markers      cut, nested too     cut, space stays    -                   cut
    blank lines  cut                 cut                 cut                 one stays of several

The counts per document are the lines that each rule cut, where a line counts for the first rule it breaks, in the order
of the options. For the rules on whole pages, lines with "lorem ipsum" and with "{" are counted if no earlier rule cut
them (dolma: all).
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import EditsByLanguage
from curation.core.component import Signals
from curation.core.limits import When
from curation.text.edits.citations import without_citations
from curation.text.lines import Lines, all_lines, count_words, joined, longest_words
from curation.text.matches import Bools, ends_with
from curation.text.phrases.line_phrases import phrases_in
from curation.text.spans import TextSpans

Variant = Literal["paper", "datatrove", "dolma", "dclm"]

END_MARKS: dict[Variant, tuple[str, ...]] = {
    "paper": (".", "?", "!", '"', "'", "”", "’"),
    "datatrove": (".", "?", "!", '"', "'"),
    "dolma": (".", "?", "!", '"'),
    "dclm": (".", "?", "!", '"'),
}
MIN_WORDS: dict[Variant, int] = {"paper": 3, "datatrove": 3, "dolma": 3, "dclm": 5}
ELLIPSIS = "..."
LOREM_IPSUM = "lorem ipsum"
CURLY_BRACKET = "{"
JAVASCRIPT = "javascript"
POLICY = ("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies")


@dataclass(frozen=True, kw_only=True)
class C4Lines(EditsByLanguage):
    """Which lines stay; the defaults are the paper's."""

    variant: Annotated[Variant, "whose rules: the paper's or a public implementation's"] = "paper"
    max_word_length: Annotated[int, "characters of a line's longest word; no effect in variant dolma"] = 1000
    terminal_punctuation: Annotated[bool, "cut lines that do not end in one of `end_marks`"] = True
    end_marks: Annotated[tuple[str, ...], "empty: the variant's"] = ()
    min_words: Annotated[int | None, "None: the variant's"] = None
    javascript: Annotated[bool, "cut lines with the word javascript"] = True
    policy: Annotated[bool, "no effect in variant dolma"] = True

    for_all: ClassVar[tuple[str, ...]] = ("variant",)
    counts_with: ClassVar[dict[str, When]] = {
        "max_word_length": {"variant": ("paper", "datatrove", "dclm")},
        "policy": {"variant": ("paper", "datatrove", "dclm")},
        "end_marks": {"terminal_punctuation": ()},
    }
    version: ClassVar[int] = 2
    idempotent: ClassVar[bool] = True  # in variant "paper"

    def signal_types(self) -> Signals:
        """A count each: lines, citation markers, and lines by the rule that they break, in the order of the rules."""
        words = ("long_word_lines", "unpunctuated_lines", "short_lines")
        pages = ("lorem_ipsum_lines", "javascript_lines", "curly_bracket_lines")
        rules = (*pages, *words) if self.variant == "dolma" else (*words, *pages)
        return dict.fromkeys(("lines", "citations", *rules, "policy_lines"), pa.int64())

    def edit(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (the lines that stay, large_string[N]; {count: int64[N]})."""
        lines = all_lines(batch.column("text"), any_break=self.variant in ("paper", "datatrove"))
        plain = lines
        markers = np.zeros(len(lines.starts), np.int64)
        if self.variant != "dolma":
            plain, markers = without_citations(lines, nested=self.variant == "paper")
        judged = plain.trimmed()
        left = ~(lines if self.variant == "datatrove" else plain).blank()
        counts = {"lines": judged.total(~lines.blank()), "citations": judged.total(markers)}
        for name, broken, cuts in self._judge(lines, plain, judged):
            counts[name] = judged.total(left & broken)
            if cuts:
                left &= ~broken
        if self.variant == "datatrove":  # keeps the space beside a marker, except around the whole page
            kept = pc.utf8_trim_whitespace(joined(plain.whole(), left))
        else:
            kept = joined(judged, left & ~plain.blank(), blank=lines.blank() if self.variant == "dclm" else None)
        return kept, {name: pa.array(counted) for name, counted in counts.items()}

    def _judge(self, lines: Lines, plain: Lines, judged: TextSpans) -> list[tuple[str, Bools, bool]]:
        """(count, bool[S] lines that break the rule, whether it cuts them) in the order of the rules."""
        none = np.zeros(len(judged.starts), np.bool_)
        dolma = self.variant == "dolma"
        worded = lines.trimmed() if self.variant == "datatrove" else judged
        least = self.min_words if self.min_words is not None else MIN_WORDS[self.variant]
        held = phrases_in(judged, (LOREM_IPSUM, CURLY_BRACKET, JAVASCRIPT, *POLICY))
        script = phrases_in(judged, (JAVASCRIPT,), whole_words=True) > 0 if dolma else held & np.uint64(4) > 0
        lorem_ipsum = ("lorem_ipsum_lines", held & np.uint64(1) > 0, False)
        curly_brackets = ("curly_bracket_lines", held & np.uint64(2) > 0, False)
        javascript = ("javascript_lines", script if self.javascript else none, not dolma)
        pages = [lorem_ipsum, javascript, curly_brackets]
        longest = longest_words(worded, above=self.max_word_length)
        return [
            *(pages if dolma else ()),
            ("long_word_lines", none if dolma else longest > self.max_word_length, True),
            ("unpunctuated_lines", self._unpunctuated(plain, judged), True),
            ("short_lines", count_words(worded) < least, True),
            *(() if dolma else pages),
            ("policy_lines", held >= 8 if self.policy and not dolma else none, True),
        ]

    def _unpunctuated(self, plain: Lines, judged: TextSpans) -> Bools:
        if not self.terminal_punctuation:
            return np.zeros(len(judged.starts), np.bool_)
        # datatrove leaves the space before a cut marker, and then takes that space for the line's last character.
        ends = plain.whole() if self.variant == "datatrove" else judged
        unended = ~ends_with(ends, self.end_marks or END_MARKS[self.variant])
        return unended if self.variant == "dolma" else unended | ends_with(ends, (ELLIPSIS,))
