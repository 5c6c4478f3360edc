"""How well a text agrees with another, as bags of words; a Chinese or Japanese character is a word."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from curation.models.extractor.labels import words_of


class Scores(NamedTuple):
    """In [0, 1]."""

    f1: float
    precision: float
    recall: float


def score(text: str, truth: str) -> Scores:
    """Two texts without words agree."""
    words, true_words = (Counter(words_of(side)) for side in (text, truth))
    both = (words & true_words).total()
    if not words and not true_words:
        return Scores(1.0, 1.0, 1.0)
    total = words.total() + true_words.total()
    return Scores(2 * both / total, both / max(1, words.total()), both / max(1, true_words.total()))


def mean(scores: Sequence[Scores]) -> Scores:
    """Over pages, at least one."""
    return Scores(*(fmean(values) for values in zip(*scores, strict=True)))
