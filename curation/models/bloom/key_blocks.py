"""Finds the 64-byte block of a key, for tables that are cut into blocks of one cache line.

The block is where `hi` lies within its bucket: keys in order of `hi` visit the blocks in order, so a table of any size
is read and written once, front to back, and the keys of one block follow one another. `lo` is left for what is inside
of the block.
"""

import numpy as np

from curation.text.kernels.compiled import kernel

WORDS = 8  # uint64 per block
MAX_BLOCKS = 1 << 26  # so that 38 bits of a key choose among them evenly

_PLACE_BITS = np.uint64(38)
_REST = np.uint64(64 - 38)


@kernel()
def block_of(hi: np.uint64, buckets: np.uint64, blocks: np.uint64) -> np.uint64:
    """In [0, blocks), of a key whose bucket is `bucket_of(hi, buckets)`.

    hi * buckets, with what does not fit into 64 bits lost, is where in its bucket the key lies.
    """
    return ((hi * buckets) >> _REST) * blocks >> _PLACE_BITS
