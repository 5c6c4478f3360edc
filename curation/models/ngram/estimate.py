"""Estimates a model from adjusted counts: interpolated modified Kneser-Ney, as KenLM's lmplz does by default.

    p(w | c) = (a(c w) - D(a(c w))) / sum of a(c x) + gamma(c) * p(w | c without its first word)

a are adjusted counts, pruned n-grams of a context included in its sum, and gamma gives what was discounted or pruned to
the shorter context. Unigrams are interpolated with the uniform distribution over all words, `</s>` and `<unk>`; the
latter gets nothing else. `<s>` has probability 1, since it is only a context.

Source: Chen and Goodman 1998, "An Empirical Study of Smoothing Techniques for Language Modeling" (TR-10-98), equation
26 for the discounts; Heafield et al. 2013, "Scalable Modified Kneser-Ney Language Model Estimation" (ACL P13-2121).
lmplz puts the last n-gram of each order into its statistics with its plain instead of its adjusted count; this does
not, so a discount may differ in the digits that one n-gram more or less makes. A discount of 0 is refused here, not
there: it would leave nothing to words that a context has not seen.

`estimate` holds all kept n-grams at once, about 60 bytes each; pruned ones were left out by `adjusted.adjust`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.errors import InputError, RecipeError
from curation.models.ngram.adjusted import AdjustedCounts, KeptGrams, adjust, join
from curation.models.ngram.counts import BEGIN, MAX_ORDER, UNKNOWN, GramCounts, Rows, Totals, sorted_order
from curation.models.ngram.reading import SPECIAL
from curation.text.kernels.compiler.kernel import Int, Out, kernel

Floats: TypeAlias = npt.NDArray[np.float64]
Logarithms: TypeAlias = npt.NDArray[np.float32]
FALLBACK = (0.5, 1.0, 1.5)  # lmplz's own


@dataclass(frozen=True, eq=False)
class BackoffModel:
    """A back-off model of order N: per order n, R n-grams with log10 of their probabilities and back-off weights."""

    words: pa.Array  # large_binary[V], by id
    rows: tuple[Rows, ...]  # uint32[R, n] ids, the last word first
    probabilities: tuple[Logarithms, ...]  # float32[R]
    backoffs: tuple[Logarithms, ...]  # float32[R]; all 0 for the highest order

    @property
    def order(self) -> int:
        return len(self.rows)


def thresholds_of(order: int, prune: Sequence[int]) -> tuple[int, ...]:
    """Each order's threshold as lmplz reads them: the last one holds for all higher orders; none: nothing is pruned.

    Raises RecipeError for an order or thresholds that cannot be.
    """
    if not 1 <= order <= MAX_ORDER:
        raise RecipeError(f"order is {order}; it must lie between 1 and {MAX_ORDER}")
    values = tuple(prune) or (0,)
    if len(values) > order or values[0] != 0 or list(values) != sorted(values):
        raise RecipeError(
            f"prune is {list(values)}; give at most {order} counts, one per order, that begin with 0 and never fall"
        )
    return values + values[-1:] * (order - len(values))


def estimate(
    tables: Iterable[GramCounts], prune: Sequence[int] = (), *, fallback: Sequence[float] | None = None
) -> BackoffModel:
    """The model of all buckets' counts, of which one is held at a time. `fallback`: discounts where the text has none.

    Raises as `estimate_adjusted` and `thresholds_of`.
    """
    adjusted = [adjust(table, thresholds_of(table.order, prune)) for table in tables]
    return estimate_adjusted(join(adjusted), fallback=fallback)


def estimate_adjusted(adjusted: AdjustedCounts, *, fallback: Sequence[float] | None = None) -> BackoffModel:
    """The model of all buckets' adjusted counts. Raises InputError where there are too few n-grams to take discounts
    from and no `fallback` is given, or no text at all."""
    if not len(adjusted.words):
        raise InputError("there is no word in the text that the n-gram model should learn from")
    probabilities = []
    backoffs = []
    rows = []
    lower = np.full(1, 1 / (len(adjusted.words) + 2))
    lower_rows = np.empty((1, 0), np.uint32)
    for order, (grams, histogram) in enumerate(zip(adjusted.grams, adjusted.histograms, strict=True), 1):
        discounts = discounts_of(histogram, order, fallback)
        grams = _with_special(grams) if order == 1 else grams
        backoff, lower = _interpolated(grams, discounts, lower_rows, lower)
        if order == 1:
            lower[BEGIN] = 1.0
        else:
            backoffs.append(np.log10(backoff).astype(np.float32))
        probabilities.append(np.minimum(np.log10(lower), 0).astype(np.float32))
        rows.append(grams.rows)
        lower_rows = grams.rows
    backoffs.append(np.zeros(len(lower), np.float32))
    words = pa.concat_arrays([pa.array(SPECIAL, pa.large_string()).view(pa.large_binary()), adjusted.words])
    return BackoffModel(words, tuple(rows), tuple(probabilities), tuple(backoffs))


def discounts_of(histogram: Totals, order: int, fallback: Sequence[float] | None) -> Floats:
    """float64[4]: what is taken off a count of 0, 1, 2, and 3 or more. Raises InputError as `estimate_adjusted`."""
    n = histogram.astype(np.float64)
    missing = np.flatnonzero(n[1:4] == 0)
    if len(missing):
        problem = f"no {order}-gram has the adjusted count {missing[0] + 1}"
    else:
        y = n[1] / (n[1] + 2 * n[2])
        discounts = np.array([0.0, *(j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3))])
        if np.all((discounts[1:] > 0) & (discounts[1:] <= np.arange(1, 4))):
            return discounts
        problem = f"those of {order}-grams are out of range"
    if fallback is None:
        raise InputError(
            f"no Kneser-Ney discounts can be taken from the text: {problem}; it is small, repeats itself or is not "
            f"natural, so give more, deduplicate it, or set discounts of your own, {', '.join(map(str, FALLBACK))} as "
            "lmplz does"
        )
    return np.array([0.0, *fallback])


def _with_special(grams: KeptGrams) -> KeptGrams:
    """Unigrams with `<unk>` and `<s>`, which never occur as a last word."""
    ids = np.array([[UNKNOWN], [BEGIN]], np.uint32)
    return KeptGrams(
        np.concatenate([ids, grams.rows]),
        np.concatenate([np.zeros(2, np.int64), grams.counts]),
        grams.contexts,
        grams.lost,
    )


def _interpolated(grams: KeptGrams, discounts: Floats, lower_rows: Rows, lower: Floats) -> tuple[Floats, Floats]:
    """(float64[M] the weight gamma of each n-gram of the order below as a context, 1 for one without n-grams,
    float64[R] the probabilities of this order's n-grams); `lower` float64[M]: those of the order below."""
    counts = grams.counts
    contexts = np.empty(len(grams.rows), np.int64)
    by_context = sorted_order(np.ascontiguousarray(grams.rows[:, 1:]))
    contexts[by_context] = places(np.ascontiguousarray(grams.rows[by_context, 1:]), lower_rows)
    weights = np.zeros(len(lower))
    for level in (1, 2, 3):
        of_level = counts == level if level < 3 else counts >= 3
        weights += discounts[level] * np.bincount(contexts[of_level], minlength=len(lower))
    of_lost = places(grams.contexts, lower_rows)
    known = of_lost >= 0
    lost = np.bincount(of_lost[known], grams.lost[known], len(lower))
    sums = np.bincount(contexts, counts, len(lower)) + lost
    gamma = np.divide(weights + lost, sums, out=np.ones(len(lower)), where=sums > 0)
    shares = (counts - discounts[np.minimum(counts, 3)]) / sums[contexts]
    suffixes = places(np.ascontiguousarray(grams.rows[:, :-1]), lower_rows)
    return gamma, shares + gamma[contexts] * lower[suffixes]


def places(rows: Rows, table: Rows) -> Totals:
    """int64[R]: the place of each of rows[R, n] in table[M, n], -1 if it is not there; both ascend."""
    found = np.empty(len(rows), np.int64)
    _find(rows, table, found)
    return found


@kernel
def _order(table: Rows, at: Int, rows: Rows, row: Int) -> int:
    """-1, 0 or 1: how a row of the table compares."""
    for k in range(rows.shape[1]):
        if table[at, k] != rows[row, k]:
            return -1 if table[at, k] < rows[row, k] else 1
    return 0


@kernel
def _find(rows: Rows, table: Rows, found: Out[Totals]) -> None:
    at: Int = 0
    for row in range(rows.shape[0]):
        while at < table.shape[0] and _order(table, at, rows, row) < 0:
            at += 1
        found[row] = at if at < table.shape[0] and _order(table, at, rows, row) == 0 else -1
