"""Which of very many keys occur twice or more, in two bytes each: keys that occur once need not be written.

A sketch counts in cells of two bits: 0, 1, or 2 for "two or more". A key has two cells of one 64-byte block, and has
occurred twice only where both say so. No key that was added twice is ever missed; a key that was added once passes as
repeated where other keys were counted in both of its cells.

The block is found by the upper bits of `hi`, the cells in it by `lo`: of sorted keys all have their block in the cache.
So keys must be uniform hashes in both halves, as those of `curation.text.kernels.hashing.hash128` are. A sketch of one
bucket's keys states how many buckets there are, because those keys share what `bucket_of` reads of `hi`.

The file is, all little-endian:

    bytes 0-7     "two-bits"
    bytes 8-15    uint64  format version, 1
    bytes 16-23   uint64  buckets
    bytes 24-31   uint64  B, blocks
    bytes 32-63   zero
    then          B blocks of 64 bytes, four cells per byte, the first in the lowest bits

Source: Fan, Cao, Almeida and Broder 2000, "Summary Cache" (IEEE/ACM Transactions on Networking 8, 3): counters in place
of a Bloom filter's bits; with blocks as in Putze, Sanders and Singler 2007 (see `curation/models/bloom/sizing.py`).
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from curation.core.protocols import Uint64s
from curation.models.bloom.kernels import MAX_BLOCKS, WORDS, block_of
from curation.text.kernels.compiled import Out, kernel

FORMAT = 1
MAGIC = b"two-bits"
HEADER = 64  # bytes
CELLS = 256  # per block

_ONE, _TWO, _THREE, _EIGHT = (np.uint64(value) for value in (1, 2, 3, 8))
_LAST_CELL = np.uint64(CELLS - 1)
_LOW_BITS = np.uint64(0x5555555555555555)  # the lower one of each cell


@dataclass(frozen=True, eq=False)
class TwoBitSketch:
    """uint64[8 * B] of cells, and the number of buckets of which the keys fill one."""

    words: Uint64s
    buckets: int = 1

    @classmethod
    def sized(cls, expected_items: int, cells_per_item: float = 8, *, buckets: int = 1) -> Self:
        """Empty, for that many different keys, which lie in one of `buckets` by their prefix; four cells are a byte.

        Raises ValueError where it would take more than 4 GiB.
        """
        if expected_items < 0 or cells_per_item <= 0 or buckets < 1:
            raise ValueError("a sketch needs expected_items of at least 0, cells_per_item above 0 and a bucket")
        blocks = max(1, math.ceil(expected_items * cells_per_item / CELLS))
        if blocks > MAX_BLOCKS:
            raise ValueError(
                f"a sketch of {expected_items:,} keys with {cells_per_item:g} cells each takes {blocks * 64:,} bytes, "
                f"the most is {MAX_BLOCKS * 64:,}; give at least {math.ceil(buckets * blocks / MAX_BLOCKS)} buckets"
            )
        return cls(np.zeros(blocks * WORDS, np.uint64), buckets)

    def add(self, hi: Uint64s, lo: Uint64s) -> None:
        """Count uint64[R] keys, in any order; by ascending `hi` is several times as fast. A document gives each of its
        different keys once."""
        _add(hi, lo, np.uint64(self.buckets), self.words)

    def repeated(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: true for every key that was added twice or more, and for some that were not."""
        found = np.empty(len(hi), np.bool_)
        _repeated(hi, lo, np.uint64(self.buckets), self.words, found)
        return found

    def merge(self, other: "TwoBitSketch") -> None:
        """Add the counts of another one of the same size: in whatever order and grouping, the bytes are the same."""
        if (len(self.words), self.buckets) != (len(other.words), other.buckets):
            raise ValueError("only sketches of one size and number of buckets can be merged")
        _merge(other.words, self.words)

    def to_bytes(self) -> bytes:
        """The file's content."""
        numbers = np.array([FORMAT, self.buckets, len(self.words) // WORDS, *[0] * 4], "<u8")
        return b"".join([MAGIC, numbers.tobytes(), self.words.astype("<u8", copy=False).tobytes()])

    @classmethod
    def from_bytes(cls, content: bytes | memoryview) -> Self:
        """A sketch over a file's content or a memory map of it, nothing copied: it grows only where that is writable.

        Raises ValueError where the bytes are no such file, or a broken one.
        """
        view = memoryview(content)
        if view.nbytes < HEADER or view[:8] != MAGIC:
            raise ValueError("it does not begin as a two-bit sketch")
        version, buckets, blocks = (int(value) for value in np.frombuffer(view, "<u8", 3, 8))
        if version != FORMAT:
            raise ValueError(f"it has format {version}, this winnow reads {FORMAT}")
        if view.nbytes != HEADER + 64 * blocks or not blocks or not buckets:
            raise ValueError(f"it has {view.nbytes:,} bytes, its {blocks:,} blocks take {HEADER + 64 * blocks:,}")
        return cls(np.frombuffer(view, "<u8", blocks * WORDS, HEADER).astype(np.uint64, copy=False), buckets)


@kernel
def _cells(lo: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A key's two different cells of its block."""
    first = lo & _LAST_CELL
    step = ((lo >> _EIGHT) & np.uint64(0xFFFFFFFF)) * _LAST_CELL >> np.uint64(32)
    return first, (first + _ONE + step) & _LAST_CELL


@kernel
def _add(hi: Uint64s, lo: Uint64s, buckets: np.uint64, words: Out[Uint64s]) -> None:
    blocks = np.uint64(words.size // WORDS)
    for key in range(hi.size):
        block = np.int64(block_of(hi[key], buckets, blocks)) * WORDS
        for cell in _cells(lo[key]):
            place, shift = block + np.int64(cell >> np.uint64(5)), (cell & np.uint64(31)) * _TWO
            below_two = _ONE - (words[place] >> (shift + _ONE) & _ONE)
            words[place] += below_two << shift


@kernel
def _repeated(hi: Uint64s, lo: Uint64s, buckets: np.uint64, words: Uint64s, found: Out[npt.NDArray[np.bool_]]) -> None:
    blocks = np.uint64(words.size // WORDS)
    for key in range(hi.size):
        block = np.int64(block_of(hi[key], buckets, blocks)) * WORDS
        both = _ONE
        for cell in _cells(lo[key]):
            both &= words[block + np.int64(cell >> np.uint64(5))] >> ((cell & np.uint64(31)) * _TWO + _ONE)
        found[key] = both != 0


@kernel
def _merge(other: Uint64s, into: Out[Uint64s]) -> None:
    """Thirty-two cells at a time: the upper bit says two or more, the lower one exactly one."""
    for word in range(into.size):
        one, two = into[word], other[word]
        upper = ((one | two) >> _ONE | (one & two)) & _LOW_BITS
        into[word] = upper << _ONE | ((one ^ two) & _LOW_BITS & ~upper)
