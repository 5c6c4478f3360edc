"""Tables of 64-bit keys, each with eight bytes of values beside it, so that a look-up reads one place in memory.

A table is uint64[2 S], S a power of two: a key, 0 in an empty place, then its values. A key whose home is taken lies in
the next empty place. Large tables are asked in two steps, `fetch_home` for many keys and then `find_place`, so that the
places are on their way before they are read.
"""

import numpy as np

from curation.text.kernels.compiler.instructions import address_of, fetch
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hashing import Hashes

_SHIFT = np.uint64(20)


@kernel
def find_place(table: Hashes, key: np.uint64) -> Int:
    """Where a key is in the table, or the empty place for it; its values are at the next index."""
    mask = table.size - 2
    place = np.int64(key >> _SHIFT) << 1 & mask
    while table[place] != key and table[place] != 0:
        place = place + 2 & mask
    return place


@kernel
def fetch_home(table: Hashes, key: np.uint64) -> None:
    """Ask for the place at which the search for a key begins."""
    place = np.int64(key >> _SHIFT) << 1 & table.size - 2
    fetch(address_of(table) + np.uint64(place << 3))
