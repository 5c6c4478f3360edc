"""All pairs of a group's vectors that point in nearly the same direction, in blocks of bounded memory.

n vectors of D dimensions cost n² D / 2 multiplications, 1.5 * 10^13 for 100,000 of 3000. Only the products of two
blocks of 1,024 are held at a time. Equal vectors are compared once, so that copies by the million cost nothing.
"""

import numpy as np

from curation.models.embeddings.directions import Ints, Vectors, different, dots, error

ROWS = 1024  # of a block


def close_pairs(vectors: Vectors, limit: float, most: int) -> tuple[Ints, Ints, int]:
    """Rows of unit vectors whose product is `limit` or more: left int64[M], right int64[M], each left < right.

    Vectors after the first `most` different ones are compared only with these; their number comes third. Equal vectors
    are paired only with the first of them. Ascending by right, then left.
    """
    first, same = different(vectors)
    distinct = vectors[first]
    copies = np.flatnonzero(same != np.arange(len(same)))
    pairs = [(same[copies], copies)]
    for begin in range(0, len(first), ROWS):
        right = distinct[begin : begin + ROWS]
        for start in range(0, min(begin + 1, most), ROWS):
            left = distinct[start : min(start + ROWS, most)]
            lefts, rights = _close(left, right, limit, start - begin)
            pairs.append((first[lefts + start], first[rights + begin]))
    lefts, rights = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    order = np.lexsort((lefts, rights))
    return lefts[order], rights[order], max(0, len(first) - most)


def _close(left: Vectors, right: Vectors, limit: float, ahead: int) -> tuple[Ints, Ints]:
    """Pairs of rows of two blocks, each pair once; the left block begins `ahead` rows after the right one."""
    products = left @ right.T
    slack = error(left.shape[1])
    rows, columns = np.nonzero(products >= limit - slack)
    once = rows + ahead < columns
    rows = rows[once]
    columns = columns[once]
    near = np.flatnonzero(products[rows, columns] < limit + slack)
    if not len(near):
        return rows, columns
    exact = dots(np.concatenate([left, right]), rows[near], columns[near] + len(left))
    kept = np.ones(len(rows), np.bool_)
    kept[near] = exact >= limit
    return rows[kept], columns[kept]
