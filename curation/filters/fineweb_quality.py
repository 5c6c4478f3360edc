"""FineWeb's own rules: drop lists, menus and boilerplate pages that Gopher's and C4's rules let through.

Source: Penedo et al. 2024, "The FineWeb Datasets" (arXiv:2406.17557), section 3.6.
Lines end at "\\n"; blank ones do not count. A line is punctuated when its last character ends sentences in some script.
The limit on newlines is not in the paper but in the code that made the data.

    variant             paper                        datatrove, with which the data were made
    a line              without whitespace around    as it is
    short               less than 30 characters      up to 30
    characters again    of those in lines, <= 0.1    of all but newlines, <= 0.01

A repeated line counts from its second copy on. A value at a limit is kept, as in that code; the paper drops it. Beyond
the paper, `words: segments` also cuts words where a script has no blanks between them.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.by_language import ByLanguage
from curation.core.component import Signals
from curation.core.limits import COUNTS, SHARES, Limit
from curation.text.counts import count_words
from curation.text.kernels.unicode import TERMINAL
from curation.text.languages.segments import Words, library_of, worded
from curation.text.matches import ends_with_class
from curation.text.repeats import count_repeats
from curation.text.sizes import count_characters, count_newlines
from curation.text.spans import line_spans, pieces, ratio

Variant = Literal["paper", "datatrove"]

SHORTER_THAN: dict[Variant, int] = {"paper": 30, "datatrove": 31}
MAX_REPEATED: dict[Variant, float] = {"paper": 0.1, "datatrove": 0.01}


@dataclass(frozen=True, kw_only=True)
class FinewebQuality(ByLanguage):
    """Limits on shares of lines and characters; the defaults are the paper's."""

    variant: Annotated[Variant, "whose counts: the paper's or datatrove's"] = "paper"
    words: Annotated[Words, "between blanks, or also cut by a dictionary in scripts without them"] = "blanks"
    min_punctuated_lines: Annotated[float, "fraction of lines"] = 0.12
    max_short_lines: Annotated[float, "fraction of lines shorter than 30 characters; datatrove: 31"] = 0.67
    max_duplicate_line_characters: Annotated[float | None, "fraction of characters; None: the variant's"] = None
    max_newlines_per_word: Annotated[float, "line feeds over words"] = 0.3

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("punctuated_lines", least="min_punctuated_lines", between=SHARES),
        Limit("short_lines", most="max_short_lines", between=SHARES),
        *(
            Limit(
                "duplicate_line_characters",
                most="max_duplicate_line_characters",
                between=SHARES,
                unset=most,
                when={"variant": (variant,)},
            )
            for variant, most in MAX_REPEATED.items()
        ),
        Limit("newlines_per_word", most="max_newlines_per_word", between=COUNTS),
    )
    added: ClassVar[tuple[str, ...]] = ("words",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "libraries", library_of(self.words))

    def signal_types(self) -> Signals:
        """A share or mean each."""
        names = ("punctuated_lines", "short_lines", "duplicate_line_characters", "newlines_per_word")
        return dict.fromkeys(names, pa.float64())

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one float64[N] per statistic; an empty text measures 0 throughout."""
        text = batch.column("text")
        newlines = count_newlines(text)
        # The same count as `gopher_quality` takes in this variant, so that a stage with both counts words once.
        words = count_words(worded(text, self.words), any_case=self.variant == "paper").words
        if self.variant == "paper":
            lines = line_spans(text)
            characters = lines.total(lines.characters)
        else:
            lines = pieces(text, least=1, most=1, stripped=False, blank=False)
            characters = count_characters(text) - newlines
        signals = {
            "punctuated_lines": lines.mean(ends_with_class(lines, TERMINAL)),
            "short_lines": lines.mean(lines.characters < SHORTER_THAN[self.variant]),
            "duplicate_line_characters": ratio(count_repeats(lines).later_characters, characters),
            "newlines_per_word": ratio(newlines, words),
        }
        return {name: pa.array(values) for name, values in signals.items()}
