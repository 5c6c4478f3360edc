"""Brings rows with equal keys together by sorting key columns, without a Python object per row.

Rows are in the *order of survival* when sorted by (rank, doc): the first of a group survives.
"""

from dataclasses import dataclass

import numpy as np

from curation.core.dedup_methods import Pairs
from curation.core.protocols import Ints, Uint64s
from curation.dedup.clusters.edges import Ranks
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.radix import order_by, perhaps_repeated


@dataclass(frozen=True)
class KeyGroups:
    """Rows grouped by key: of keys that several documents share, or (`of_all`) of all keys.

    `order` int64[M]: row indices, sorted by key and within a key in the order of survival, each document of a key once.
    `start` int64[G + 1]: where each group begins in `order`, then M.
    """

    order: Ints
    start: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.start)

    @property
    def best(self) -> Ints:
        """int64[M]: for each row of `order`, the index of its group's first row."""
        return np.repeat(self.order[self.start[:-1]], self.sizes)


def of_all(hi: Uint64s, lo: Uint64s, rank: Ranks, doc: Ints) -> KeyGroups:
    """Groups of every key, including those of a single document."""
    return _groups(np.arange(len(hi)), hi, lo, rank, doc)


def repeated(hi: Uint64s, lo: Uint64s, rank: Ranks, doc: Ints) -> KeyGroups:
    """Groups of the keys that two or more documents have."""
    return only_repeated(_groups(perhaps_repeated(hi), hi, lo, rank, doc))


def sorted_repeated(hi: Uint64s, lo: Uint64s, rank: Ranks, doc: Ints) -> Ints:
    """int64[M]: indices of rows whose `hi` occurs again, sorted by (hi, lo, rank, doc)."""
    rows = perhaps_repeated(hi)
    rows = rows[order_by(hi[rows], lo[rows], rank[rows], doc[rows])]
    same = hi[rows[1:]] == hi[rows[:-1]]
    return rows[np.append(same, False) | np.append(False, same)] if len(rows) else rows


def equal_pairs(hi: Uint64s, lo: Uint64s) -> Pairs:
    """Each of R keys, sorted by (hi, lo), with the first key equal to it."""
    first = np.arange(len(hi))
    first[1:][(hi[1:] == hi[:-1]) & (lo[1:] == lo[:-1])] = 0
    first = np.maximum.accumulate(first)
    other = np.flatnonzero(first != np.arange(len(hi)))
    return Pairs(first[other], other)


def only_repeated(groups: KeyGroups) -> KeyGroups:
    """The groups of two or more documents."""
    many = groups.sizes > 1
    order = groups.order[np.repeat(many, groups.sizes)]
    return KeyGroups(order, np.concatenate([[0], np.cumsum(groups.sizes[many])]).astype(np.int64))


def _groups(rows: Ints, hi: Uint64s, lo: Uint64s, rank: Ranks, doc: Ints) -> KeyGroups:
    order = rows[order_by(hi[rows], lo[rows], rank[rows], doc[rows])]
    hi = hi[order]
    lo = lo[order]
    doc = doc[order]
    new_key = np.ones(len(order), bool)
    new_key[1:] = (hi[1:] != hi[:-1]) | (lo[1:] != lo[:-1])
    distinct = new_key.copy()
    distinct[1:] |= doc[1:] != doc[:-1]
    start = np.flatnonzero(new_key[distinct])
    return KeyGroups(order[distinct], np.append(start, int(distinct.sum())).astype(np.int64))


def find(hi: Uint64s, lo: Uint64s, among_hi: Uint64s, among_lo: Uint64s) -> Ints:
    """int64[R]: the place of each key among distinct keys sorted by (hi, lo); -1 if it is not there."""
    at = np.empty(len(hi), np.int64)
    _find(hi, lo, among_hi, among_lo, at)
    return at


@kernel
def _find(hi: Uint64s, lo: Uint64s, among_hi: Uint64s, among_lo: Uint64s, at: Out[Ints]) -> None:
    for key in range(hi.size):
        low = 0
        high = among_hi.size
        while low < high:
            middle = (low + high) // 2
            if among_hi[middle] < hi[key] or (among_hi[middle] == hi[key] and among_lo[middle] < lo[key]):
                low = middle + 1
            else:
                high = middle
        equal = low < among_hi.size and among_hi[low] == hi[key] and among_lo[low] == lo[key]
        at[key] = low if equal else -1
