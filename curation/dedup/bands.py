"""Bands: how a signature is cut into keys, and which rows that share a key are compared.

Of signatures cut into b bands of r values, two that agree in a share s of values share a band with probability 1 - (1 -
s^r)^b. Source: Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", chapter 3.
"""

from functools import lru_cache

import numpy as np

from curation.core.dedup_methods import Pairs
from curation.core.protocols import Ints, Uint64s
from curation.text.kernels.compiler.kernel import Out, kernel

EACH_WITH_EACH = 64  # up to this many rows of a key, all pairs are compared: 2,016
NEIGHBOURS = 3  # in a larger group, rows that each row is compared with, besides the first

# Weights of a needless comparison and of a missed copy. Candidates are verified, so a wrong one only costs time; a
# missed one is lost. With 0.5 for both, half of all copies at the threshold would be missed.
_WEIGHTS = (0.2, 0.8)


@lru_cache
def best_banding(threshold: float, hashes: int) -> tuple[int, int]:
    """(bands, rows) for a Jaccard threshold, by datasketch's optimizer: the least weighted area of the curve on the
    wrong side of the threshold. Raises ValueError if the optimum is a single band, which would find only equal
    signatures."""
    from datasketch import MinHashLSH  # takes a second to import

    try:
        lsh = MinHashLSH(threshold=threshold, num_perm=hashes, weights=_WEIGHTS)
    except ValueError as error:
        raise ValueError(
            f"cannot derive bands for threshold {threshold} and {hashes} hashes; give bands and rows"
        ) from error
    return int(lsh.b), int(lsh.r)


def band_pairs(hi: Uint64s, lo: Uint64s) -> Pairs:
    """Candidates among R sorted keys. Up to EACH_WITH_EACH rows of a key are paired each with each. In a larger group
    each row is paired with the first and with the NEIGHBOURS after it, and all its rows count as skipped."""
    count, skipped = _pair(hi, lo, np.empty(0, np.int64), np.empty(0, np.int64))
    left = np.empty(count, np.int64)
    right = np.empty(count, np.int64)
    _pair(hi, lo, left, right)
    return Pairs(left, right, int(skipped))


@kernel
def _pair(hi: Uint64s, lo: Uint64s, left: Out[Ints], right: Out[Ints]) -> tuple[int, int]:
    """Write as many pairs as there is room for; returns the number of pairs there are, and of rows skipped."""
    pairs = 0
    skipped = 0
    start = 0
    while start < hi.size:
        stop = start + 1
        while stop < hi.size and hi[stop] == hi[start] and lo[stop] == lo[start]:
            stop += 1
        large = stop - start > EACH_WITH_EACH
        skipped += stop - start if large else 0
        for row in range(start, stop):
            if large and row > start:
                if pairs < left.size:
                    left[pairs] = start
                    right[pairs] = row
                pairs += 1
            after = row + 1 if not large or row > start else stop
            for other in range(after, min(stop, after + NEIGHBOURS) if large else stop):
                if pairs < left.size:
                    left[pairs] = row
                    right[pairs] = other
                pairs += 1
        start = stop
    return pairs, skipped
