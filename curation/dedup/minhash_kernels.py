"""MinHash over Arrow buffers: signatures of texts, keys of their bands, and how far two signatures agree.

A hash of the family maps the upper half x of a shingle's 64 well-mixed bits to a·x + b modulo 2^32, with a (odd) and b
drawn from the seed: a permutation that a processor computes for eight values at a time. A signature holds the least
value of each hash over a document's shingles. The share of values in which two documents agree estimates their Jaccard
likeness. With 2^32 values, two documents of n shingles each, none in common, agree in n / 2^33 of them: one in a
thousand for ten million words.

Source: Broder 1997, "On the resemblance and containment of documents"; the family: Broder et al. 2000, "Min-wise
independent permutations", linear ones. N documents, M pairs, H hashes.
"""

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Grid, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, murmur3
from curation.text.kernels.unicode import Cases
from curation.text.matches import Bools
from curation.text.shingles import ROUND, begin_shingles, more_shingles, next_shingles, shingle_scan, words_seen

Values = npt.NDArray[np.uint32]

_MOST = np.uint32(0xFFFFFFFF)
_UPPER = np.uint64(32)


@kernel
def draw_family(seed: int, factors: Out[Values], addends: Out[Values]) -> None:
    """Fill both, uint32[H], from the seed: consecutive numbers, each mixed."""
    state = murmur3(np.uint64(seed) + GOLDEN)
    for k in range(factors.size):
        drawn = murmur3(state + np.uint64(k + 1) * GOLDEN)
        factors[k] = np.uint32(drawn) | np.uint32(1)
        addends[k] = np.uint32(drawn >> _UPPER)


@kernel
def _hash(x: np.uint32, factor: np.uint32, addend: np.uint32) -> np.uint32:
    return np.uint32(x * factor + addend)


@kernel
def _lower(shingles: Hashes, count: int, factors: Values, addends: Values, least: Out[Values]) -> None:
    """Lower `least`, uint32[H], to the least values over the first `count` shingles; four at a time share its loads."""
    at = 0
    while at < count:
        # The last shingle may be taken repeatedly.
        a = np.uint32(shingles[at] >> _UPPER)
        b = np.uint32(shingles[min(at + 1, count - 1)] >> _UPPER)
        c = np.uint32(shingles[min(at + 2, count - 1)] >> _UPPER)
        d = np.uint32(shingles[min(at + 3, count - 1)] >> _UPPER)
        for k in range(least.size):
            least_ab = min(_hash(a, factors[k], addends[k]), _hash(b, factors[k], addends[k]))
            least_cd = min(_hash(c, factors[k], addends[k]), _hash(d, factors[k], addends[k]))
            least[k] = min(least[k], min(least_ab, least_cd))
        at += 4


@kernel
def sign_texts(
    data: Bytes,
    offsets: Indices,
    size: int,
    lower: Cases,
    factors: Values,
    addends: Values,
    signatures: Out[Grid[Values]],
    signed: Out[Bools],
) -> None:
    """Fill `signatures`, uint32[N, H], and `signed`, bool[N], which is false for documents without a word."""
    scan = shingle_scan(size)
    shingles = np.empty(ROUND, np.uint64)
    least = np.empty(factors.size, np.uint32)
    for d in range(offsets.size - 1):
        begin_shingles(scan, offsets[d], offsets[d + 1])
        least[:] = _MOST
        while more_shingles(scan):
            count = next_shingles(data, scan, lower, shingles)
            _lower(shingles, count, factors, addends, least)
        signed[d] = words_seen(scan) > 0
        for k in range(least.size):
            signatures[d, k] = least[k]


@kernel
def hash_bands(signatures: Grid[Values], row: Indices, bands: int, rows: int, hashes: Out[Hashes]) -> None:
    """Fill `hashes`, uint64[bands * len(row)], with the bands of each signature in `row`, `rows` values each."""
    at = 0
    for signature in row:
        for band in range(bands):
            value = murmur3(np.uint64(band + 1) * GOLDEN)
            for k in range(band * rows, band * rows + rows):
                value = murmur3(value ^ np.uint64(signatures[signature, k]))
            hashes[at] = value
            at += 1


@kernel
def agree_in_values(left: Grid[Values], right: Grid[Values], threshold: float, agree: Out[Bools]) -> None:
    """Clear `agree`, bool[M], for pairs of signatures whose share of equal values is below the threshold."""
    for pair in range(agree.size):
        equal = 0
        for k in range(left.shape[1]):
            equal += left[pair, k] == right[pair, k]
        agree[pair] &= equal / left.shape[1] >= threshold


@kernel
def agree_in_sets(
    left: Hashes, left_first: Indices, right: Hashes, right_first: Indices, threshold: float, agree: Out[Bools]
) -> None:
    """Clear `agree`, bool[M], for pairs of ascending sets whose Jaccard likeness is below the threshold, or undefined
    because both are empty."""
    for pair in range(agree.size):
        a = left_first[pair]
        a_end = left_first[pair + 1]
        b = right_first[pair]
        b_end = right_first[pair + 1]
        every = a_end - a + b_end - b
        common = 0
        while a < a_end and b < b_end:
            x = left[a]
            y = right[b]
            common += x == y
            a += x <= y
            b += y <= x
        agree[pair] &= every > 0 and common / max(every - common, 1) >= threshold
