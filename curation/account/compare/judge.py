"""Judges of a run's text: models that learn from it and say how many bits held-out documents cost.

`NgramJudge` learns an interpolated modified Kneser-Ney model of tokens (`curation/models/ngram/estimate.py`), nothing
pruned. A document is one sentence, whose end is priced too. Unigrams are interpolated with the uniform distribution
over the whole vocabulary of the tokenizer, so a token that the text never has costs bits without being impossible.
D held-out documents, T tokens.
"""

from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.compare.tokens import Ids
from curation.models.ngram.adjusted import AdjustedCounts, KeptGrams, adjust
from curation.models.ngram.counts import GramCounts, count, merge
from curation.models.ngram.estimate import FALLBACK, BackoffModel, Floats, estimate_adjusted
from curation.models.ngram.reading import SPECIAL
from curation.models.ngram.scoring import NgramScorer
from curation.tokens.token_files import Vocabulary

ORDER = 5  # tokens of the longest n-gram
LINE_END = "\n"
_BITS = float(np.log2(10))


class Judge(Protocol):
    """Learns from text and prices the held-out documents that it was made with. A protocol, because a judge of the
    training half, which does not import this one, is one too."""

    def bits(self, text: Ids, seed: int) -> Floats:
        """float64[D]: bits of each document, its end included, by a model that has learned from text[T]; `seed` is for
        what else is drawn."""


class NgramJudge:
    """Prices documents large_list<uint16|uint32>[D], each with end-of-text."""

    def __init__(self, documents: pa.LargeListArray, vocabulary: Vocabulary, order: int = ORDER) -> None:
        self._names = np.array([str(number) for number in range(vocabulary.size)], object)
        self._names[vocabulary.end_of_text] = LINE_END
        self._order = order
        self._vocabulary = vocabulary
        self._lines = _lines(np.asarray(documents.flatten()), self._names)

    def bits(self, text: Ids, seed: int) -> Floats:
        del seed
        scores = NgramScorer(self.learned(text)).score(self._lines)
        return np.asarray(-scores.logarithms * _BITS)

    def learned(self, text: Ids) -> BackoffModel:
        counted = count(_lines(text, self._names), self._order)
        special = {self._vocabulary.end_of_text, self._vocabulary.padding}
        names = sorted(str(number).encode() for number in range(self._vocabulary.size) if number not in special)
        nothing = GramCounts(pa.array(names, pa.large_binary()), counted.rows[:0], counted.counts[:0])
        adjusted = adjust(merge([counted, nothing]), (0,) * self._order)
        return estimate_adjusted(_with_unseen(adjusted), fallback=FALLBACK)


def _lines(ids: Ids, names: npt.NDArray[np.object_]) -> pa.Array:
    """large_string[1]: the names of ids[T] with spaces between, a document a line."""
    words = pa.array(names, pa.large_string()).take(pa.array(ids))
    whole = pa.LargeListArray.from_arrays(pa.array([0, len(ids)], pa.int64()), words)
    return pc.binary_join(whole, pa.scalar(" ", pa.large_string()))


def _with_unseen(adjusted: AdjustedCounts) -> AdjustedCounts:
    """With a unigram of count 0 for each word that does not occur."""
    first = adjusted.grams[0]
    every = np.arange(len(SPECIAL) - 1, len(SPECIAL) + len(adjusted.words), dtype=np.uint32)  # from `</s>` on
    counts = np.zeros(len(every), np.int64)
    counts[first.rows[:, 0] - every[0]] = first.counts
    unigrams: KeptGrams = replace(first, rows=every[:, None], counts=counts)
    return replace(adjusted, grams=(unigrams, *adjusted.grams[1:]))
