"""Sets and tests the bits of keys in a blocked Bloom filter: one 64-byte block per key, in the order of the keys.

A filter is cut into partitions by `bucket_of`, and a partition into blocks of 512 bits. Keys are not hashed again: `hi`
chooses the block, and `lo` holds seven places of nine random bits; more come from mixing `lo`. R keys, B blocks.
"""

import numpy as np
import numpy.typing as npt

from curation.core.protocols import Uint64s
from curation.text.kernels.compiler.instructions import ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.mix64 import GOLDEN, splitmix64

WORDS = 8  # uint64 per block
MAX_BLOCKS = 1 << 26  # so that 38 bits of a key choose among them evenly

_PLACE_BITS = np.uint64(38)
_REST = np.uint64(64 - 38)
_PLACES = 7  # of nine bits, in a uint64
_ONE, _SIX, _NINE, _LOW6, _LOW9 = (np.uint64(value) for value in (1, 6, 9, 63, 511))


@kernel
def block_of(hi: np.uint64, buckets: np.uint64, blocks: np.uint64) -> np.uint64:
    """The block, in [0, blocks), of a key whose bucket is `bucket_of(hi, buckets)`.

    hi * buckets modulo 2^64 is the key's position in its bucket.
    """
    return ((hi * buckets) >> _REST) * blocks >> _PLACE_BITS


@kernel
def _mixed(lo: np.uint64, times: Int) -> np.uint64:
    """Output number `times` of SplitMix64 from the seed `lo`."""
    return splitmix64(lo + np.uint64(times) * GOLDEN)


@kernel
def insert(hi: Uint64s, lo: Uint64s, partitions: np.uint64, bits: Int, words: Out[Uint64s]) -> None:
    """Set `bits` bits per key, not necessarily different ones, in the partition's uint64[8 B]."""
    blocks = np.uint64(words.size // WORDS)
    for key in range(hi.size):
        block = np.int64(block_of(hi[key], partitions, blocks)) * WORDS
        places = lo[key]
        left = _PLACES
        for bit in range(bits):
            if left == 0:
                places = _mixed(lo[key], bit)
                left = _PLACES
            words[block + np.int64((places & _LOW9) >> _SIX)] |= _ONE << (places & _LOW6)
            places >>= _NINE
            left -= 1


@kernel
def contains(
    hi: Uint64s, lo: Uint64s, partitions: np.uint64, bits: Int, words: Uint64s, present: Out[npt.NDArray[np.bool_]]
) -> None:
    """Fill bool[R]: whether all bits of each key are set."""
    blocks = np.uint64(words.size // WORDS)
    for key in range(hi.size):
        block = np.int64(block_of(hi[key], partitions, blocks)) * WORDS
        places = lo[key]
        left = _PLACES
        bit = 0
        while bit < bits:
            if left == 0:
                places = _mixed(lo[key], bit)
                left = _PLACES
            if words[block + np.int64((places & _LOW9) >> _SIX)] >> (places & _LOW6) & _ONE == 0:
                break
            places >>= _NINE
            left -= 1
            bit += 1
        present[key] = bit == bits


@kernel
def count_fills(words: Uint64s, blocks: Out[npt.NDArray[np.int64]]) -> None:
    """Add to int64[513] how many blocks have each number of bits set."""
    for block in range(words.size // WORDS):
        filled = 0
        for word in range(WORDS):
            filled += ones(words[block * WORDS + word])
        blocks[filled] += 1
