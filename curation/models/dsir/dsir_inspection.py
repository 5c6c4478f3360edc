"""What the counts of a `fit: {dsir: …}` say, and how they weigh documents.

A model knows buckets and not the n-grams that fell into them. With documents at hand, the n-grams of these that weigh
most can be named; where two share a bucket, both have its weight.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.models.dsir.features import Floats, summed
from curation.models.dsir.importance import FILE, Importance, NgramCounts, read
from curation.models.extremes import Extremes
from curation.models.quantiles import percentiles

WORD = re.compile(r"\w+|[^\w\s]+")
MOST_CHARACTERS = 4 << 20  # of the documents whose n-grams are named
NAMED = 10  # n-grams of either side


def is_dsir(uri: str) -> bool:
    """Whether the file begins as one."""
    return storage.read_start(uri, len(FILE.magic)) == FILE.magic


def inspect(uri: str, texts: Iterable[pa.Array]) -> dict[str, Any]:
    """Facts of the counts; where there are `texts` also `scores`: documents, quantiles of both weights, the share that
    is likelier in the target, and the documents and n-grams that weigh most and least. Raises InputError as `read`.

    `mean_log_ratio` is that of an n-gram of each side, in nats: how far the two lie apart.
    """
    counts = read(uri)
    ratios = counts.log_ratios()
    facts: dict[str, Any] = {"kind": "dsir", "file_bytes": storage.size(uri), "order": counts.order}
    facts |= {"buckets": len(ratios), "log_ratios": percentiles(ratios[(counts.target > 0) | (counts.raw > 0)])}
    for side, own in (("target", counts.target), ("raw", counts.raw)):
        facts[side] = {
            "ngrams": int(own.sum()),
            "buckets": int(np.count_nonzero(own)),
            "mean_log_ratio": float((own / own.sum() * ratios).sum()),
        }
    scores = _scores(counts, texts)
    return facts | ({"scores": scores} if scores else {})


def _scores(counts: NgramCounts, texts: Iterable[pa.Array]) -> dict[str, Any]:
    importance = Importance(counts)
    extremes = Extremes()
    ngrams = Counter[str]()
    weights = [np.empty(0)]
    per_word = [np.empty(0)]
    characters = 0
    for array in texts:
        own, words = importance.log_weights(array)
        each = np.where(words > 0, own / np.maximum(words, 1), np.nan)
        weights.append(own[words > 0])
        per_word.append(each)
        extremes.add(array, each)
        for text in array.to_pylist():
            if text and characters < MOST_CHARACTERS:
                characters += len(text)
                ngrams.update(_ngrams(text, counts.order))
    values = np.concatenate(per_word)
    measured = values[~np.isnan(values)]
    if not len(measured):
        return {}
    return {
        "documents": len(values),
        "unscored": len(values) - len(measured),
        "log_weight": percentiles(np.concatenate(weights)),
        "log_weight_per_word": percentiles(measured),
        "likelier_in_target": float(np.mean(measured > 0)),
        **extremes.facts(),
        "ngrams": _telling(ngrams, counts),
    }


def _ngrams(text: str, order: int) -> Iterable[str]:
    words = WORD.findall(text.lower())
    for length in range(1, order + 1):
        yield from (" ".join(words[first : first + length]) for first in range(len(words) - length + 1))


def _telling(ngrams: Counter[str], counts: NgramCounts) -> dict[str, list[dict[str, object]]]:
    """The n-grams whose occurrences add most to the weights of the documents, towards `target` and towards `raw`."""
    names = sorted(ngrams)
    occurrences = np.array([ngrams[name] for name in names], np.float64)
    weights = _weights(names, counts)
    order = np.argsort(-weights * occurrences, kind="stable")
    sides = {"target": order[:NAMED], "raw": order[::-1][:NAMED]}
    return {
        side: [
            {"ngram": names[k], "log_ratio": float(weights[k]), "occurrences": int(occurrences[k])}
            for k in chosen
            if (weights[k] > 0) == (side == "target")
        ]
        for side, chosen in sides.items()
    }


def _weights(names: list[str], counts: NgramCounts) -> Floats:
    """float64[N]: the log ratio of each n-gram's own bucket. A text's weight is the sum over all n-grams in it, so what
    the n-gram's beginning and end have is taken away."""
    ratios = counts.log_ratios()

    def whole(first: int, last: int) -> Floats:
        parts = [" ".join(name.split(" ")[first : last or None]) for name in names]
        return summed(pa.array(parts, pa.large_string()), ratios, order=counts.order)[0]

    return whole(0, 0) - whole(0, -1) - whole(1, 0) + whole(1, -1)
