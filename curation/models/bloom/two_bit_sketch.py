"""Which of very many keys occur at least twice, in two bytes per key: keys that occur once need not be written.

A sketch counts in cells of two bits: 0, 1, or 2 for "two or more". Each key has two cells in one 64-byte block and
counts as repeated if both are 2. No repeated key is missed; a key added once counts as repeated if other keys share
both of its cells.

The upper bits of `hi` choose the block and `lo` the cells, so sorted keys have their block in the cache. Keys must be
hashes that are uniform in both halves, as those of `hash128`. A sketch of one bucket's keys states the number of
buckets, because those keys share the bits of `hi` that `bucket_of` reads.

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
from curation.models.bloom.kernels import WORDS, block_of
from curation.text.kernels.compiler.kernel import Out, kernel

FORMAT = 1
MAGIC = b"two-bits"
HEADER = 64  # bytes
CELLS = 256  # per block

_ONE, _TWO, _EIGHT = (np.uint64(value) for value in (1, 2, 8))
_LAST_CELL = np.uint64(CELLS - 1)
_LOW_BITS = np.uint64(0x5555555555555555)  # the lower bit of each cell


@dataclass(frozen=True, eq=False)
class TwoBitSketch:
    """uint64[8 * B] of cells, and the number of buckets; the keys belong to one of them."""

    words: Uint64s
    buckets: int = 1

    @classmethod
    def sized(cls, expected_items: int, cells_per_item: float = 8, *, buckets: int = 1) -> Self:
        """An empty sketch for `expected_items` different keys of one of `buckets` buckets; four cells take a byte, and
        the whole may take at most 4 GiB."""
        blocks = max(1, math.ceil(expected_items * cells_per_item / CELLS))
        return cls(np.zeros(blocks * WORDS, np.uint64), buckets)

    def add(self, hi: Uint64s, lo: Uint64s) -> None:
        """Count uint64[R] keys in any order; ascending `hi` is several times as fast."""
        _add(hi, lo, np.uint64(self.buckets), self.words)

    def repeated(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: true for every key that was added at least twice, and for some others."""
        repeated = np.empty(len(hi), np.bool_)
        _repeated(hi, lo, np.uint64(self.buckets), self.words, repeated)
        return repeated

    def merge(self, other: "TwoBitSketch") -> None:
        """Add the counts of another sketch of the same size; the order of merges does not change the bytes."""
        if (len(self.words), self.buckets) != (len(other.words), other.buckets):
            raise ValueError("only sketches of the same size and number of buckets can be merged")
        _merge(other.words, self.words)

    def to_bytes(self) -> bytes:
        """The file's content."""
        numbers = np.array([FORMAT, self.buckets, len(self.words) // WORDS, *[0] * 4], "<u8")
        return b"".join([MAGIC, numbers.tobytes(), self.words.astype("<u8", copy=False).tobytes()])

    @classmethod
    def from_bytes(cls, content: bytes | memoryview) -> Self:
        """A sketch over a file's content, not copied: keys can be added only if the memory is writable.

        Raises ValueError if the content is another file or broken.
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
            place = block + np.int64(cell >> np.uint64(5))
            shift = (cell & np.uint64(31)) * _TWO
            below_two = _ONE - (words[place] >> (shift + _ONE) & _ONE)
            words[place] += below_two << shift


@kernel
def _repeated(
    hi: Uint64s, lo: Uint64s, buckets: np.uint64, words: Uint64s, repeated: Out[npt.NDArray[np.bool_]]
) -> None:
    blocks = np.uint64(words.size // WORDS)
    for key in range(hi.size):
        block = np.int64(block_of(hi[key], buckets, blocks)) * WORDS
        both = _ONE
        for cell in _cells(lo[key]):
            both &= words[block + np.int64(cell >> np.uint64(5))] >> ((cell & np.uint64(31)) * _TWO + _ONE)
        repeated[key] = both != 0


@kernel
def _merge(other: Uint64s, into: Out[Uint64s]) -> None:
    """Thirty-two cells at a time; the upper bit of a cell means two or more, the lower one exactly one."""
    for word in range(into.size):
        left = into[word]
        right = other[word]
        upper = ((left | right) >> _ONE | (left & right)) & _LOW_BITS
        into[word] = upper << _ONE | ((left ^ right) & _LOW_BITS & ~upper)
