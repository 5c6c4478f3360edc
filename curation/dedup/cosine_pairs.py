"""All pairs of a group's vectors that point in nearly the same direction, in blocks of bounded memory.

n vectors of D dimensions cost n² D / 2 multiplications, 1.5 * 10^13 for 100,000 of 3000; the products held at a time
are those of two blocks of 1,024. Equal vectors are compared as one, so that copies by the million cost nothing.
"""

import numpy as np

from curation.models.embeddings.directions import Ints, Vectors, different, dots, error

ROWS = 1024  # of a block


def close_pairs(vectors: Vectors, limit: float, most: int) -> tuple[Ints, Ints, int]:
    """(left int64[M], right int64[M]): rows of unit vectors whose product is `limit` or more, each left < right.

    Vectors behind the first `most` different ones are compared with these only, and how many they are comes third.
    Equal ones are paired with the first of them only. Ascending by right and left.
    """
    first, same = different(vectors)
    distinct = vectors[first]
    pairs = [(same[copies], copies) for copies in [np.flatnonzero(same != np.arange(len(same)))]]
    for begin in range(0, len(first), ROWS):
        right = distinct[begin : begin + ROWS]
        for start in range(0, min(begin + 1, most), ROWS):
            left = distinct[start : min(start + ROWS, most)]
            one, other = _close(left, right, limit, start - begin)
            pairs.append((first[one + start], first[other + begin]))
    lefts, rights = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    order = np.lexsort((lefts, rights))
    return lefts[order], rights[order], max(0, len(first) - most)


def _close(left: Vectors, right: Vectors, limit: float, ahead: int) -> tuple[Ints, Ints]:
    """Pairs of rows of two blocks of which the first begins `ahead` rows from the second, each pair once."""
    products, slack = left @ right.T, error(left.shape[1])
    one, other = np.nonzero(products >= limit - slack)
    once = one + ahead < other
    one, other = one[once], other[once]
    near = np.flatnonzero(products[one, other] < limit + slack)
    if not len(near):
        return one, other
    exact = dots(np.concatenate([left, right]), one[near], other[near] + len(left))
    kept = np.ones(len(one), np.bool_)
    kept[near] = exact >= limit
    return one[kept], other[kept]
