"""Open addressing: where a table of 64-bit keys has a key, and how large to make it.

A table is an array uint64[S] of keys, S a power of two, beside which its owner keeps one of values. A free slot is
known by the key 0, so that no key is 0. Keys that share a home slot stand in the next free ones; some slot must stay
free, or a search for a key that is not there has no end.
"""

import numpy as np

from curation.text.kernels.compiled import Int, kernel
from curation.text.kernels.hashing import Hashes

_SMALLEST = 64


@kernel
def table_size(keys: int) -> int:
    """A power of two, more than twice the number of keys."""
    size = _SMALLEST
    while size <= 2 * keys:
        size *= 2
    return size


@kernel
def find_slot(keys: Hashes, key: np.uint64, home: Int) -> int:
    """Where the table has the key, or the free slot where it would stand; the search begins at slot `home`."""
    slot, mask = np.int64(home), keys.size - 1
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return int(slot)
