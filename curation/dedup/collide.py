"""Equal keys meet: groups of one bucket's rows become verdicts. Pure; a bucket's rows hold all of each key.

The survivor of a group is its earliest document: lowest shard, then lowest row, and so the first source in the recipe.
"""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def collide(
    key_hi: npt.NDArray[np.uint64], key_lo: npt.NDArray[np.uint64], doc: Ints, method: npt.NDArray[np.uint8]
) -> tuple[Ints, Ints, Ints, npt.NDArray[np.uint8]]:
    """Rows of keys, in any order -> one row per document in a group of two or more documents.

    Returns (doc int64[M], survivor int64[M], copies int64[M], method uint8[M]); `copies` counts the group's documents,
    the survivor included, and the survivor has a row of its own. A document that gives a key twice counts once. With
    several keys per method a document may have several rows.
    """
    order = np.lexsort((doc, key_lo, key_hi, method))
    key_hi, key_lo, doc, method = key_hi[order], key_lo[order], doc[order], method[order]
    fresh = np.ones(len(doc), bool)
    fresh[1:] = (key_hi[1:] != key_hi[:-1]) | (key_lo[1:] != key_lo[:-1]) | (method[1:] != method[:-1])
    distinct = fresh.copy()
    distinct[1:] |= doc[1:] != doc[:-1]
    fresh, doc, method = fresh[distinct], doc[distinct], method[distinct]
    starts = np.flatnonzero(fresh)
    copies = np.diff(np.append(starts, len(doc)))
    group = np.cumsum(fresh) - 1
    shared = copies[group] > 1
    return doc[shared], doc[starts][group][shared], copies[group][shared], method[shared]
