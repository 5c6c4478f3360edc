"""Adjusted counts of one bucket's n-grams of every order, and which of them are pruned.

The adjusted count of an n-gram of the highest order, or of one that begins with `<s>`, is how often it occurs; that of
any other is the number of distinct words before it (`<s>` is one). An n-gram is pruned if it occurs at most as often as
its order's threshold, whatever its adjusted count; its mass stays with its context.

All that `adjust` reads of an n-gram ends in the same two words, so it is local to a bucket of `counts.partition`. A
unigram's count is the sum over all buckets.
Source: Chen and Goodman 1998, "An Empirical Study of Smoothing Techniques for Language Modeling" (TR-10-98), section
3.1; Heafield et al. 2013 (ACL P13-2121), section 3.2, whose lmplz prunes in this way.

R rows, n an order up to N. Rows have their last word first and ascend.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.ngram.counts import (
    BEGIN,
    Flags,
    GramCounts,
    Rows,
    Totals,
    changes,
    joined_words,
    sorted_order,
    summed,
)

COUNTED = 5  # Kneser-Ney's discounts need the numbers of n-grams with counts 1 to 4


@dataclass(frozen=True, eq=False)
class KeptGrams:
    """The n-grams of one order that are kept."""

    rows: Rows  # uint32[R, n]
    counts: Totals  # int64[R] adjusted
    contexts: Rows  # uint32[C, n - 1]: distinct contexts, without the last word, of n-grams that were pruned …
    lost: Totals  # int64[C]: … and the sum of their adjusted counts


@dataclass(frozen=True, eq=False)
class AdjustedCounts:
    """What one bucket, or all, give to a model of order N."""

    words: pa.Array  # large_binary[V], ascending, as in `GramCounts`
    grams: tuple[KeptGrams, ...]  # [N]
    histograms: npt.NDArray[np.int64]  # int64[N, COUNTED]: n-grams with each adjusted count, pruned ones too


def adjust(table: GramCounts, thresholds: Sequence[int]) -> AdjustedCounts:
    """The adjusted counts of a bucket. `thresholds`: per order, 0 to prune nothing; the first is 0."""
    grams = []
    histograms = np.zeros((table.order, COUNTED), np.int64)
    for order, threshold in enumerate(thresholds, 1):
        rows, counts, occurrences = _adjusted(table, order)
        kept = occurrences > threshold
        contexts, lost = summed(np.ascontiguousarray(rows[~kept, 1:]), counts[~kept])
        grams.append(KeptGrams(np.ascontiguousarray(rows[kept]), counts[kept], contexts, lost))
        histograms[order - 1] = histogram(counts)
    return AdjustedCounts(table.words, tuple(grams), histograms)


def join(parts: Sequence[AdjustedCounts]) -> AdjustedCounts:
    """All buckets put together."""
    words, ids = joined_words([part.words for part in parts])
    grams = []
    for order in range(len(parts[0].grams)):
        of_order = [(part.grams[order], own) for part, own in zip(parts, ids, strict=True)]
        rows = np.concatenate([own[grams.rows] for grams, own in of_order])
        counts = np.concatenate([grams.counts for grams, _ in of_order])
        contexts = np.concatenate([own[grams.contexts] for grams, own in of_order])
        lost = np.concatenate([grams.lost for grams, _ in of_order])
        if order == 0:
            rows, counts = summed(rows, counts)
        else:
            ascending = sorted_order(rows)
            rows = np.ascontiguousarray(rows[ascending])
            counts = counts[ascending]
        grams.append(KeptGrams(rows, counts, *summed(contexts, lost)))
    histograms = np.sum([part.histograms for part in parts], axis=0)
    histograms[0] = histogram(grams[0].counts)
    return AdjustedCounts(words, tuple(grams), histograms)


def histogram(counts: Totals) -> Totals:
    """int64[COUNTED]: how many of counts[R] are 0, 1, 2, 3 and 4."""
    return np.bincount(counts[counts < COUNTED], minlength=COUNTED)


def _adjusted(table: GramCounts, order: int) -> tuple[Rows, Totals, Totals]:
    """(uint32[R, order] distinct n-grams, int64[R] their adjusted counts, int64[R] how often they occur)."""
    inside = _begins_at_most_once(table.rows, order)
    changed = changes(table.rows, order) & inside
    firsts = np.flatnonzero(changed)
    if not len(firsts):
        return table.rows[:0, :order], table.counts[:0], table.counts[:0]
    groups = np.cumsum(changed) - 1
    occurrences = np.bincount(groups[inside], table.counts[inside], len(firsts)).astype(np.int64)
    rows = table.rows[firsts, :order]
    if order == table.order:
        return rows, occurrences, occurrences
    extended = changes(table.rows, order + 1) & inside
    distinct = np.bincount(groups[extended], minlength=len(firsts))
    return rows, np.where(rows[:, -1] == BEGIN, occurrences, distinct), occurrences


def _begins_at_most_once(rows: Rows, order: int) -> Flags:
    """bool[R]: whether `<s>` can only be the first of the last `order` words."""
    return np.ones(len(rows), np.bool_) if order < 2 else rows[:, order - 2] != BEGIN
