"""N-gram counting and back-off scoring again, in plain Python: what the compiled code is compared with."""

import math
import string
from collections import Counter

import pyarrow as pa
from hypothesis import strategies as st

from curation.models.ngram.counts import GramCounts, count
from curation.models.ngram.estimate import FALLBACK, BackoffModel, estimate

Gram = tuple[str, ...]
Table = dict[Gram, tuple[float, float]]  # n-gram -> log10 of its probability and its weight

WORDS = ("a", "b", "c", "dd", "é", "中文")
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
corpora = st.lists(st.lists(lines, max_size=4).map("\n".join), min_size=1, max_size=6).filter(any)
orders = st.integers(1, 5)


def table_of(texts: list[str], order: int) -> GramCounts:
    return count(pa.array(texts, pa.large_string()), order)


def model_of(texts: list[str], order: int, *prune: int) -> BackoffModel:
    """A model of a few words, with lmplz's fall-back discounts where they give none."""
    return estimate([table_of(texts, order)], prune, fallback=FALLBACK)


def slow_counts(texts: list[str], order: int) -> Counter[Gram]:
    grams: Counter[Gram] = Counter()
    for text in texts:
        for line in text.split("\n"):
            words = [word for word in line.split() if word not in ("<s>", "</s>", "<unk>")]
            padded = ["<s>"] * (order - 1) + words + ["</s>"]
            if words:
                grams.update(tuple(padded[k : k + order]) for k in range(len(words) + 1))
    return grams


def grams_of(table: GramCounts) -> dict[Gram, int]:
    names = ["<unk>", "<s>", "</s>", *(word.decode() for word in table.words.to_pylist())]
    rows = zip(table.rows.tolist(), table.counts.tolist(), strict=True)
    return {tuple(names[word] for word in reversed(row)): times for row, times in rows}


def values_of(model: BackoffModel) -> Table:
    names = [word.decode() for word in model.words.to_pylist()]
    table: Table = {}
    for arrays in zip(model.rows, model.probabilities, model.backoffs, strict=True):
        for row, probability, backoff in zip(*(array.tolist() for array in arrays), strict=True):
            table[tuple(names[word] for word in reversed(row))] = (probability, backoff)
    return table


def slow_logarithm(table: Table, context: Gram, word: str) -> float:
    """log10 p(word | context), backing off word by word."""
    gram = (*context, word)
    if gram in table:
        return table[gram][0]
    if not context:
        return table[("<unk>",)][0]
    return table.get(context, (0.0, 0.0))[1] + slow_logarithm(table, context[1:], word)


def slow_score(table: Table, order: int, line: str) -> float:
    words: list[str] = ["<s>"]
    total = 0.0
    for word in [*line.split(), "</s>"]:
        context = tuple(words[max(0, len(words) - order + 1) :]) if order > 1 else ()
        total += slow_logarithm(table, context, word)
        words.append(word if (word,) in table else "<unk>")
    return total


def mass(table: Table, context: Gram) -> float:
    """The sum of the probabilities of all words after a context."""
    words = [gram[0] for gram in table if len(gram) == 1 and gram != ("<s>",)]
    return math.fsum(10 ** slow_logarithm(table, context, word) for word in words)


def prose(sentences: int) -> str:
    """Lines of made-up words whose frequencies fall as in a language, the same at each call."""
    state = 1
    made = []
    for _ in range(sentences):
        words = []
        for _ in range(12):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            rank = int(1 / (1e-3 + (state >> 33) / 2**31))
            words.append(string.ascii_lowercase[rank % 26] + string.ascii_lowercase[rank // 26 % 26])
        made.append(" ".join(words))
    return "\n".join(made)
