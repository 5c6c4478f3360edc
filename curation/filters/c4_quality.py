"""C4's rules on whole pages: drop those with few sentences, with placeholder text, or with code.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
(arXiv:1910.10683), section 2.2.
The paper cuts lines first. Put `c4_lines` before this rule set, so that sentences are counted in the lines that stayed,
and set `from_lines`, so that a line counts against its page even if another rule cut it.
Choices the paper leaves open: sentences are those of `curation/text/sentences.py`; phrases match anywhere, in any case.
The first version of the paper asked for 5 sentences, the printed one and its code for 3.
The paper also drops pages that contain a word of a public list. No list is built in: name a file, one term per line, as
`bad_words`. `curation/text/phrases/terms.py` says how terms match.

    variant         paper     datatrove  dolma                dclm
    sentences       3         5          no limit             3
    "javascript"    no limit  no limit   no word of the page  no limit
    characters      no limit  no limit   no limit             190,000
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Files, Signals
from curation.core.limits import COUNTS, Limit
from curation.models.lists.terms import read_terms
from curation.text.kernels.buffers import Indices
from curation.text.phrases.occurrences import count_phrases, count_word
from curation.text.phrases.term_places import count_terms
from curation.text.phrases.terms import Terms, term_tree
from curation.text.sentences import sentence_spans
from curation.text.sizes import count_characters
from curation.text.spans import word_spans

Variant = Literal["paper", "datatrove", "dolma", "dclm"]

LINES = "c4_lines"  # the rewriter's column of counts
MIN_SENTENCES: dict[Variant, int] = {"paper": 3, "datatrove": 5, "dclm": 3}


@dataclass(frozen=True, kw_only=True)
class C4Quality(ByLanguage):
    """Limits on counts per page; the defaults are the paper's."""

    variant: Annotated[Variant, "whose counts: the paper's or a public implementation's"] = "paper"
    min_sentences: Annotated[int | None, "None: the variant's"] = None
    max_lorem_ipsum: Annotated[int, "occurrences"] = 0
    max_curly_brackets: Annotated[int | None, 'occurrences of "{"; None: no limit'] = 0
    bad_words: Annotated[str, "path or URI of a list; empty: no limit"] = ""
    max_bad_words: Annotated[int, "occurrences"] = 0
    max_javascript: Annotated[int, "occurrences of the word; only in variant dolma"] = 0
    max_characters: Annotated[int, "only in variant dclm"] = 190_000
    from_lines: Annotated[bool, 'take the counts of "lorem ipsum", "{" and "javascript" from `c4_lines`'] = False

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("lorem_ipsum", most="max_lorem_ipsum", between=COUNTS),
        Limit("curly_brackets", most="max_curly_brackets", between=COUNTS),
        Limit("bad_words", most="max_bad_words", between=COUNTS, when={"bad_words": ()}),
        Limit("javascript", most="max_javascript", between=COUNTS, when={"variant": ("dolma",)}),
        *(
            Limit("sentences", least="min_sentences", between=COUNTS, unset=least, when={"variant": (variant,)})
            for variant, least in MIN_SENTENCES.items()
        ),
        Limit("characters", most="max_characters", between=COUNTS, when={"variant": ("dclm",)}),
    )
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.from_lines:
            object.__setattr__(self, "reads", (*type(self).reads, LINES))

    def assets(self) -> dict[str, Files]:
        """The word list, if one is named. Raises InputError if it is missing or empty."""
        if not self.bad_words:
            return {}
        read_terms(self.bad_words)
        return {"bad_words": self.bad_words}

    def signal_types(self) -> Signals:
        """A count each: those of every variant, of the word list if one is named, then the variant's own."""
        names = ["lorem_ipsum", "curly_brackets"]
        if self.variant == "dolma":
            names.append("javascript")
        if self.bad_words:
            names.append("bad_words")
        if self.variant != "dolma":
            names.append("sentences")
        if self.variant == "dclm":
            names.append("characters")
        return dict.fromkeys(names, pa.int64())

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one int64[N] per count; an empty text measures 0 throughout."""
        text = batch.column("text")
        signals = self._line_counts(batch) if self.from_lines else self._text_counts(text)
        if self.bad_words:
            signals["bad_words"] = count_terms(text, _terms(self.bad_words), np.zeros(len(text), np.int64)).terms
        if self.variant != "dolma":
            signals["sentences"] = sentence_spans(text).count()
        if self.variant == "dclm":
            signals["characters"] = count_characters(text)
        return {name: values if isinstance(values, pa.Array) else pa.array(values) for name, values in signals.items()}

    def _text_counts(self, text: pa.Array) -> dict[str, pa.Array | Indices]:
        signals: dict[str, pa.Array | Indices] = {
            "lorem_ipsum": count_phrases(text, ("lorem ipsum",), any_case=True),
            "curly_brackets": count_phrases(text, ("{",)),
        }
        if self.variant == "dolma":
            signals["javascript"] = count_word(word_spans(text), "javascript")
        return signals

    def _line_counts(self, batch: pa.RecordBatch) -> dict[str, pa.Array | Indices]:
        names = {"lorem_ipsum": "lorem_ipsum_lines", "curly_brackets": "curly_bracket_lines"}
        if self.variant == "dolma":
            names["javascript"] = "javascript_lines"
        return {name: pc.struct_field(batch.column(LINES), line) for name, line in names.items()}


@lru_cache(maxsize=4)
def _terms(file: str) -> Terms:
    return term_tree([read_terms(file)])
