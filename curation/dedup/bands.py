"""Bands: how a signature is cut into keys, and which rows that share a key are compared.

Of signatures cut into b bands of r values, two that agree in a share s of values share a band with probability 1 - (1 -
s^r)^b. Source: Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", chapter 3.
"""

from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss

from curation.core.dedup_methods import Pairs
from curation.core.protocols import Ints, Uint64s
from curation.text.kernels.compiler.kernel import Out, kernel

EACH_WITH_EACH = 64  # up to this many rows of a key, all pairs are compared: 2,016
NEIGHBOURS = 3  # in a larger group, rows that each row is compared with, besides the first

# Weights of a needless comparison and of a missed copy. Candidates are verified, so a wrong one only costs time; a
# missed one is lost. With 0.5 for both, half of all copies at the threshold would be missed.
_NEEDLESS = 0.2
_MISSED = 0.8
_NODES = 256  # of Gauss and Legendre's rule, which is exact for polynomials up to degree 511: of so many hashes

Floats = npt.NDArray[np.float64]


@lru_cache
def best_banding(threshold: float, hashes: int) -> tuple[int, int]:
    """(bands, rows) for a Jaccard threshold: of all that so many hashes allow, those whose curve has the least weighted
    area on the wrong side of the threshold, as datasketch chooses them. Raises ValueError if the optimum is a single
    band, which would find only equal signatures."""
    best = (inf, 1, hashes)
    rule = leggauss(_NODES)
    if 0 <= threshold <= 1:
        for rows in range(1, hashes + 1):
            areas = _wrong_areas(threshold, np.arange(1, hashes // rows + 1), rows, *rule)
            bands = int(areas.argmin())
            best = min(best, (float(areas[bands]), bands + 1, rows))
    if best[1] == 1:
        raise ValueError(f"cannot derive bands for threshold {threshold} and {hashes} hashes; give bands and rows")
    return best[1:]


def _wrong_areas(threshold: float, bands: Ints, rows: int, nodes: Floats, weights: Floats) -> Floats:
    """float64[B]: for each number of bands, the weighted area under the curve below the threshold, and above the curve
    from there on, by an integration rule on [-1, 1]."""
    below = threshold * (nodes + 1) / 2
    above = threshold + (1 - threshold) * (nodes + 1) / 2
    missed_below = (1 - below[:, None] ** rows) ** bands
    missed_above = (1 - above[:, None] ** rows) ** bands
    needless: Floats = weights @ (1 - missed_below) * threshold / 2
    missed: Floats = weights @ missed_above * (1 - threshold) / 2
    return _NEEDLESS * needless + _MISSED * missed


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
