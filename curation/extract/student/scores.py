"""How well a text agrees with another, as bags of words; a Chinese or Japanese character is a word."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from curation.extract.student.labels import words_of


class WordScores(NamedTuple):
    """In [0, 1]."""

    f1: float
    precision: float
    recall: float


def score(text: str, truth: str) -> WordScores:
    """Two texts without words agree."""
    words, true_words = (Counter(words_of(side)) for side in (text, truth))
    both = (words & true_words).total()
    if not words and not true_words:
        return WordScores(1.0, 1.0, 1.0)
    total = words.total() + true_words.total()
    return WordScores(2 * both / total, both / max(1, words.total()), both / max(1, true_words.total()))


def mean(scores: Sequence[WordScores]) -> WordScores:
    """Over pages, at least one."""
    return WordScores(*(fmean(values) for values in zip(*scores, strict=True)))
