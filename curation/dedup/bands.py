"""Bands: how a signature is cut into keys, and which of the rows that share a key are compared.

Of signatures cut into b bands of r values, two that agree in a share s of values share a band with a chance of
1 - (1 - s^r)^b. Source: Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", chapter 3.
"""

from functools import lru_cache

import numpy as np

from curation.core.protocols import Ints, Pairs, Uint64s
from curation.text.kernels.compiled import Out, kernel

EACH_WITH_EACH = 64  # rows of a key up to which all are compared; 2,016 pairs
NEIGHBOURS = 3  # with which a row of a larger key is compared, beside its first row

# What a missed copy weighs against a needless comparison: candidates are verified, so a wrong one only costs time, and
# a missed one is lost. With 0.5 for both half of all copies at the threshold would be missed.
_WEIGHTS = (0.2, 0.8)


@lru_cache
def best_banding(threshold: float, hashes: int) -> tuple[int, int]:
    """(bands, rows) for a Jaccard threshold by datasketch's optimizer: the least weighted area of the curve on the
    wrong side of the threshold. Raises ValueError where that is a single band, which would find equal signatures only.
    """
    from datasketch import MinHashLSH  # a second to import, for what is done once

    try:
        lsh = MinHashLSH(threshold=threshold, num_perm=hashes, weights=_WEIGHTS)
    except ValueError as error:
        raise ValueError(
            f"no bands can be derived for threshold {threshold} and {hashes} hashes; give bands and rows"
        ) from error
    return int(lsh.b), int(lsh.r)


def band_pairs(hi: Uint64s, lo: Uint64s) -> Pairs:
    """Candidates among R keys, sorted: rows of one key each with each, or of a key with more than EACH_WITH_EACH rows
    each with the first one and with the NEIGHBOURS that follow it; such rows count as skipped."""
    count, skipped = _pair(hi, lo, np.empty(0, np.int64), np.empty(0, np.int64))
    left, right = np.empty(count, np.int64), np.empty(count, np.int64)
    _pair(hi, lo, left, right)
    return Pairs(left, right, int(skipped))


@kernel
def _pair(hi: Uint64s, lo: Uint64s, left: Out[Ints], right: Out[Ints]) -> tuple[int, int]:
    """Fill `left` and `right` with the pairs as far as they go; how many pairs there are, and rows skipped."""
    found, skipped, start = 0, 0, 0
    while start < hi.size:
        stop = start + 1
        while stop < hi.size and hi[stop] == hi[start] and lo[stop] == lo[start]:
            stop += 1
        large = stop - start > EACH_WITH_EACH
        skipped += stop - start if large else 0
        for one in range(start, stop):
            if large and one > start:
                if found < left.size:
                    left[found], right[found] = start, one
                found += 1
            after = one + 1 if not large or one > start else stop
            for other in range(after, min(stop, after + NEIGHBOURS) if large else stop):
                if found < left.size:
                    left[found], right[found] = one, other
                found += 1
        start = stop
    return found, skipped
