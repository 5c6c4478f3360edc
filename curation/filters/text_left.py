"""Text left: drop documents with too little left after repeated lines or paragraphs were cut.

    - dedup: {paragraph: {}}
    - rewrite: {cut_spans: {of: [paragraph]}}
    - filter: {text_left: {min_share: 0.3}}

Source: Penedo et al. 2024, datatrove, `sentence_dedup.py`, for the defaults: at least 50 words and 3 sentences if
something was cut, no limit otherwise. The rewriter `cut_spans` of an earlier stage counts what it cut; words and
sentences are counted in the text as it is now.
Choices of ours: a word is a whitespace token, so languages without spaces need `min_words: 0`; sentences are those of
`curation/text/sentences.py`. A document that lost nothing has the `state` "whole" instead of "cut", and no limit
applies to it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.filter import Filter
from curation.core.limits import COUNTS, SHARES, Limit
from curation.text.sentences import sentence_spans
from curation.text.spans import word_spans

CUT = "cut"
WHOLE = "whole"


@dataclass(frozen=True, kw_only=True)
class TextLeft(Filter):
    """Limits on what is left of a document from which something was cut."""

    min_words: Annotated[int, "words of what is left"] = 50
    min_sentences: Annotated[int, "sentences of what is left"] = 3
    min_share: Annotated[float | None, "fraction of the text's bytes; None: no limit"] = None

    reads: ClassVar[tuple[str, ...]] = ("text", "cut_spans")
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("words", least="min_words", between=COUNTS, but=(WHOLE,), by="text_left.state"),
        Limit("sentences", least="min_sentences", between=COUNTS, but=(WHOLE,), by="text_left.state"),
        Limit("share", least="min_share", between=SHARES, but=(WHOLE,), by="text_left.state"),
    )
    version: ClassVar[int] = 2

    def signal_types(self) -> Signals:
        """Whether something was cut, and what is left."""
        return {"state": pa.string(), "share": pa.float64(), "words": pa.int64(), "sentences": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `state` string[N]; `share` float64[N], the fraction of bytes left after the cut, 1
        for an empty text; `words` and `sentences` int64[N]. All are null where the rewriter's counts are null."""
        text = batch.column("text")
        cut = batch.column("cut_spans")
        spans, before, removed = (pc.struct_field(cut, name) for name in ("spans", "bytes", "bytes_removed"))
        unknown = np.asarray(pc.is_null(spans))
        lost = pc.divide(removed.cast(pa.float64()), pc.max_element_wise(before, 1, skip_nulls=False))
        return {
            "state": pc.if_else(pc.equal(spans, 0), WHOLE, CUT),
            "share": pc.subtract(1.0, lost),
            "words": pa.array(word_spans(text).count(), mask=unknown),
            "sentences": pa.array(sentence_spans(text).count(), mask=unknown),
        }
