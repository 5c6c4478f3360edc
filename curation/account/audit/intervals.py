"""Compares two rates: an interval for their difference, an exact test, and corrections for clusters of documents that
are alike and for many comparisons.

Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22; Newcombe 1998,
"Interval estimation for the difference between independent proportions", Statistics in Medicine 17, method 10; Fisher
1935, "The logic of inductive inference", two-sided by the sum of all tables that are no more probable; Holm 1979, "A
simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6; Rao and Scott 1992, "A
simple method for the analysis of clustered binary data", Biometrics 48, whose design effect divides hits and totals.
Choice left open: an effect below 1 counts as 1. K comparisons, D clusters.
"""

from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np
import numpy.typing as npt

from curation.account.sealed.rows import Ints

Z = 1.959963984540054  # the normal distribution's 97.5 % quantile


def design_effect(hits: Ints, totals: Ints, alone_hits: int = 0, alone: int = 0) -> float:
    """How many times the variance of a rate exceeds that of independent documents, at least 1.

    `hits` of `totals` int64[D] are by cluster; of `alone` documents each is a cluster of its own. 1 also where nothing
    can be told: with fewer than two clusters, and where all or none hit.
    """
    hit = int(hits.sum()) + alone_hits
    total = int(totals.sum()) + alone
    clusters = int(np.count_nonzero(totals)) + alone
    if clusters < 2 or clusters == total or hit in (0, total):
        return 1.0
    rate = hit / total
    squares = float(np.square(hits - totals * rate).sum())
    squares += alone_hits * (1 - rate) ** 2 + (alone - alone_hits) * rate**2
    return max(1.0, clusters / (clusters - 1) * squares / (total * rate * (1 - rate)))


def wilson(hits: float, total: float) -> tuple[float, float]:
    """The interval of the rate hits / total; (0, 1) where the total is 0."""
    if not total:
        return 0.0, 1.0
    rate = hits / total
    square = Z * Z
    middle = rate + square / (2 * total)
    half = Z * sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    scale = 1 + square / total
    low = 0.0 if hits == 0 else (middle - half) / scale
    high = 1.0 if hits == total else (middle + half) / scale
    return low, high


def newcombe(hits: float, total: float, other_hits: float, other_total: float) -> tuple[float, float]:
    """The interval of hits / total - other_hits / other_total; (-1, 1) where both totals are 0."""
    low, high = wilson(hits, total)
    other_low, other_high = wilson(other_hits, other_total)
    rate = hits / total if total else 0.5
    other = other_hits / other_total if other_total else 0.5
    below = hypot(rate - low, other_high - other)
    above = hypot(high - rate, other - other_low)
    return max(-1.0, rate - other - below), min(1.0, rate - other + above)


def fisher(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """The two-sided probability of a table at most as probable as this one, if both rates are equal; 1 where one of the
    totals is 0."""
    from scipy.stats import fisher_exact  # takes most of a second to import

    table = [[hits, total - hits], [other_hits, other_total - other_hits]]
    return float(fisher_exact(table).pvalue)


def holm(probabilities: Sequence[float]) -> npt.NDArray[np.float64]:
    """float64[K]: each probability, corrected so that with a limit on them the chance of any false finding is at most
    that limit, however the comparisons depend on each other."""
    given = np.asarray(probabilities, np.float64)
    order = np.argsort(given, kind="stable")
    scaled = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return corrected
