"""Unigram divergence: drop documents whose words are distributed unlike those of a reference corpus.

Source: Kullback and Leibler 1951, "On Information and Sufficiency" (doi:10.1214/aoms/1177729694). Moore and Lewis 2010,
"Intelligent Selection of Language Model Training Data" (ACL P10-2041), measure with language models how unlike a corpus
a document is; this is the unigram case.
The divergence of the document's words from the corpus' is in nats: 0 for equal distributions, larger the more of its
words are rare in the corpus. All words that the reference does not list are one outcome, "another word", with their
joint number of occurrences plus one. `curation/text/folded_words.py` defines words. No language model is needed, so a
divergence costs little more than counting. A short text shows few words, and so has a larger divergence. A text without
a word is unmeasured.

There is no published limit, and a good one depends on the reference. With 19 MB of English books, encyclopedia and
questions as reference, pieces of other books have a median of 3.3 nats at 50 words, 2.8 at 100 and 1.6 at 1,000; 95 %
of English web pages lie below 4.8, 95 % of German and Chinese ones above the default of 5.0 (November 2026).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.by_language import EVERY, LANGUAGE, ByLanguage, rows_by_language
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.limits import COUNTS, SHARES, Limit
from curation.models.ngram.unigrams import load, locate


@dataclass(frozen=True, kw_only=True)
class UnigramDivergence(ByLanguage):
    """The reference, and limits on the divergence from it."""

    reference: Annotated[str | Mapping[str, str], "output of `fit: {unigrams: {}}`: its path, or language -> path"]
    max_divergence: Annotated[float, "nats"] = 5.0
    min_divergence: Annotated[float, "nats"] = -inf
    max_unlisted_words: Annotated[float, "fraction of words"] = inf

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("divergence", least="min_divergence", most="max_divergence", between=COUNTS),
        Limit("unlisted_words", most="max_unlisted_words", between=SHARES),
    )
    fitted_by: ClassVar[dict[str, str]] = {"reference": "unigrams"}
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.reference:
            raise RecipeError("reference names no file: give a path, @ and the name of a fit stage, or language: path")
        if not isinstance(self.reference, str):
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))

    def assets(self) -> Mapping[str, str | Mapping[str, str]]:
        """Where the references are. Raises InputError if one is missing."""
        if isinstance(self.reference, str):
            return {"reference": locate(self.reference)}
        return {"reference": {language: locate(path) for language, path in self.reference.items()}}

    def signal_types(self) -> Signals:
        """The divergence and the share of unlisted words."""
        return {"divergence": pa.float64(), "unlisted_words": pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> float64[N] divergence, at least 0, and float64[N] share of unlisted words.

        Both are null without a word and without a reference for the document's language.
        """
        values = np.full((2, len(batch)), np.nan)
        references = {EVERY: self.reference} if isinstance(self.reference, str) else self.reference
        for language, rows in rows_by_language(batch, references).items():
            values[:, rows] = load(references[language]).compare(batch.column("text").take(pa.array(rows)))
        missing = np.isnan(values[0])
        return {
            "divergence": pa.array(values[0], mask=missing),
            "unlisted_words": pa.array(values[1], mask=missing),
        }
