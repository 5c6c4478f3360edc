"""Gopher repetition rules: drop documents that say the same thing again and again.

Source: Rae et al. 2021, "Scaling Language Models" (arXiv:2112.11446), table A1, repetition removal.
The paper does not say which copies are duplicates, nor what the shares are of; `variant` chooses a reading. Words are
whitespace tokens, compared as written. In "paper", where the gaps are filled with our choices, a duplicate is a copy
after the first, so that a share says how much could go without losing anything. The top n-gram is the most frequent
one, of several the one that covers most; it must occur twice. The others are what three pipelines compute:

    variant         paper                datatrove              dolma                   dclm
    duplicates      copies after the     the same               all copies              all copies
                    first
    lines           not blank, stripped  between runs of \\n     all, as they are        not blank, stripped
    paragraphs      runs of lines        between two or more    none                    between \\n\\n, stripped
                    between blank ones   \\n, as they are
    top n-gram      what it covers       first of the most      first of the most       longest of the most
                                         frequent, even once;   frequent, even once;    frequent; length times
                                         length with spaces     length times frequency  frequency
                                         times frequency
    duplicate       what they cover      passed over from left  sum over all            what they cover
    n-grams                              to right, joined
    shares of       lines, paragraphs    the whole text         words; n-grams of       lines, paragraphs
    characters in   or words                                    5 to 10: all n-grams    or words

Beyond the paper, `words: segments` also cuts words where a script has no blanks between them; those put between words
are no characters of the text.

In all variants, against what the pipelines compute, a line of invisible characters alone (zero-width spaces, marks of
direction, …) is an empty line and no word: pages put them between paragraphs, and they are not what a page repeats.
Lines of whitespace count as in the table.

Code, tables and lists repeat words and lines by their nature. `lines: prose`, a choice of ours, measures only the lines
of prose that `curation/text/prose_lines.py` finds; a text without any measures 0.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Signals
from curation.core.limits import SHARES, Limit, When
from curation.text.counts import count_words
from curation.text.kernels.buffers import Indices
from curation.text.languages.segments import Words, library_of, worded
from curation.text.ngrams import REPEATED, TOP, Repeated, Top, count_ngrams
from curation.text.prose_lines import prose_lines
from curation.text.repeats import count_repeats
from curation.text.sizes import count_characters
from curation.text.spans import MANY, TextSpans, line_spans, paragraph_spans, pieces, ratio

Variant = Literal["paper", "datatrove", "dolma", "dclm"]
Values = dict[str, npt.NDArray[np.float64]]

TOPS: dict[Variant, Top] = {"paper": "covering", "datatrove": "first", "dolma": "first", "dclm": "longest"}
REPEATS: dict[Variant, Repeated] = {
    "paper": "later",
    "datatrove": "joined",
    "dolma": "copies",
    "dclm": "everywhere",
}
ALWAYS: When = {}
PAPER: When = {"variant": ("paper",)}
DOLMA: When = {"variant": ("dolma",)}
NOT_DOLMA: When = {"variant": ("paper", "datatrove", "dclm")}
TIMES: When = {"variant": ("datatrove", "dolma", "dclm")}  # an n-gram's length is multiplied by its frequency


def _at_most(
    signal: str, *, between: tuple[float, float] = SHARES, unset: float | None = None, when: When = ALWAYS
) -> Limit:
    return Limit(signal, most=f"max_{signal}", between=between, unset=unset, when=when)


@dataclass(frozen=True, kw_only=True)
class GopherRepetition(ByLanguage):
    """Limits on fractions of the text that repeat; the defaults are the paper's."""

    variant: Annotated[Variant, "whose counts: the paper's or a public implementation's"] = "paper"
    lines: Annotated[Literal["all", "prose"], "which are measured; prose: neither code, nor tables, nor short ones"] = (
        "all"
    )
    words: Annotated[Words, "between blanks, or also cut by a dictionary in scripts without them"] = "blanks"
    max_duplicate_lines: Annotated[float, "fraction of lines"] = 0.30
    max_duplicate_paragraphs: Annotated[float, "fraction of paragraphs; of no effect in variant dolma"] = 0.30
    max_duplicate_line_characters: Annotated[
        float | None, "here and below: fraction of characters; None: the variant's"
    ] = None
    max_duplicate_paragraph_characters: Annotated[float, "of no effect in variant dolma"] = 0.20
    max_top_2gram_characters: Annotated[float, "fraction of characters in the most frequent 2 words in a row"] = 0.20
    max_top_3gram_characters: Annotated[float, "fraction of characters in the most frequent 3 words in a row"] = 0.18
    max_top_4gram_characters: Annotated[float, "fraction of characters in the most frequent 4 words in a row"] = 0.16
    max_duplicate_5gram_characters: Annotated[float, "fraction of characters in repeated runs of 5 words"] = 0.15
    max_duplicate_6gram_characters: Annotated[float, "fraction of characters in repeated runs of 6 words"] = 0.14
    max_duplicate_7gram_characters: Annotated[float, "fraction of characters in repeated runs of 7 words"] = 0.13
    max_duplicate_8gram_characters: Annotated[float, "fraction of characters in repeated runs of 8 words"] = 0.12
    max_duplicate_9gram_characters: Annotated[float, "fraction of characters in repeated runs of 9 words"] = 0.11
    max_duplicate_10gram_characters: Annotated[float, "fraction of characters in repeated runs of 10 words"] = 0.10

    limits: ClassVar[tuple[Limit, ...]] = (
        _at_most("duplicate_lines"),
        _at_most("duplicate_paragraphs", when=NOT_DOLMA),
        _at_most("duplicate_line_characters", unset=0.20, when=NOT_DOLMA),
        _at_most("duplicate_line_characters", unset=0.30, when=DOLMA),
        _at_most("duplicate_paragraph_characters", when=NOT_DOLMA),
        *(_at_most(f"top_{n}gram_characters", when=PAPER) for n in TOP),
        # Where a length is multiplied by a frequency, a character counts in up to n occurrences.
        *(_at_most(f"top_{n}gram_characters", between=(0, n), when=TIMES) for n in TOP),
        *(_at_most(f"duplicate_{n}gram_characters") for n in REPEATED),
    )
    added: ClassVar[tuple[str, ...]] = ("lines", "words")
    counts_with: ClassVar[dict[str, When]] = {"lines": PAPER}
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "libraries", library_of(self.words))

    def signal_types(self) -> Signals:
        """A share each; variant dolma has none of paragraphs."""
        pieces = ("line",) if self.variant == "dolma" else ("line", "paragraph")
        names = [name for piece in pieces for name in (f"duplicate_{piece}s", f"duplicate_{piece}_characters")]
        names += [f"top_{n}gram_characters" for n in TOP]
        names += [f"duplicate_{n}gram_characters" for n in REPEATED]
        return dict.fromkeys(names, pa.float64())

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one float64[N] per statistic; an empty text measures 0 throughout.

        Values lie in [0, 1], except top n-grams in the variants that multiply a length by a frequency: occurrences may
        overlap.
        """
        text = batch.column("text")
        if self.lines == "prose":
            text = prose_lines(text)
        signals = {**_spans(text, self.variant), **_ngrams(text, self.variant, self.words)}
        return {name: pa.array(values) for name, values in signals.items()}


def _spans(text: pa.Array, variant: Variant) -> Values:
    if variant == "dolma":
        lines = pieces(text, least=1, most=1, stripped=False, blank=True)
        return _shares("line", lines, variant, count_words(text).characters)
    if variant == "datatrove":
        lines = pieces(text, least=1, most=MANY, stripped=False, blank=True)
        whole = count_characters(text)
        paragraphs = pieces(text, least=2, most=MANY, stripped=False, blank=True, trimmed=True)
    else:
        lines = line_spans(text)
        whole = None
        by_break = variant == "dclm"
        paragraphs = pieces(text, least=2, most=2, stripped=True, blank=False) if by_break else paragraph_spans(text)
    return {**_shares("line", lines, variant, whole), **_shares("paragraph", paragraphs, variant, whole)}


def _shares(name: str, spans: TextSpans, variant: Variant, whole: Indices | None = None) -> Values:
    """Shares of the variant's duplicates, and of their characters in `whole` or, if None, in all the spans."""
    later, later_characters, copies, copy_characters = count_repeats(spans)
    spans_in, characters = (copies, copy_characters) if variant in ("dolma", "dclm") else (later, later_characters)
    return {
        f"duplicate_{name}s": ratio(spans_in, spans.count()),
        f"duplicate_{name}_characters": ratio(characters, spans.total(spans.characters) if whole is None else whole),
    }


def _ngrams(text: pa.Array, variant: Variant, words: Words) -> Values:
    between = worded(text, words)
    joint: int | Indices = int(variant == "datatrove")
    if words == "segments":
        same = pc.equal(*(pc.fill_null(pc.binary_length(one), 0) for one in (text, between)))
        joint *= np.asarray(same).astype(np.int64)
    ngrams = count_ngrams(between, top=TOPS[variant], repeated=REPEATS[variant], joint=joint)
    whole = of = ngrams.characters[:, np.newaxis]
    if variant == "datatrove":
        whole = of = count_characters(text)[:, np.newaxis]
    elif variant == "dolma":
        of = ngrams.every
    tops = ratio(ngrams.top, whole)
    shares = ratio(ngrams.repeated, of)
    return {
        **{f"top_{n}gram_characters": tops[:, k].copy() for k, n in enumerate(TOP)},
        **{f"duplicate_{n}gram_characters": shares[:, k].copy() for k, n in enumerate(REPEATED)},
    }
