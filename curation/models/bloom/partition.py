"""One partition of a blocked Bloom filter: a set of keys that never misses one, with some false positives.

The false-positive rate is the stated one if the filter holds as many different keys as it was sized for (see `sizing`),
and higher if it holds more; `rate` computes it from the bits. Keys are 128-bit hashes, uniform in both halves, and
fastest to add and to look up in ascending order.

The file of a partition is, all little-endian:

    bytes 0-7      "bloom512"
    bytes 8-15     uint64   format version, 1
    bytes 16-31    what the keys stand for, ASCII padded with zeros
    bytes 32-39    uint64   key version
    bytes 40-55    uint64   number of this partition, number of partitions
    bytes 56-71    uint64   blocks per partition, bits set per key
    bytes 72-87    uint64   keys expected in all partitions, keys added to this one
    bytes 88-103   float64  stated false-positive rate, actual rate of this partition
    bytes 104-119  BLAKE2b-128 of the blocks
    then zeros to 128, and the blocks of 64 bytes

Source: Putze, Sanders and Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters" (WEA 2007).
"""

import hashlib
import struct
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from curation.core.protocols import Uint64s
from curation.models.bloom import kernels
from curation.models.bloom.kernels import WORDS
from curation.models.bloom.sizing import BLOCK_BITS, BLOCK_BYTES, FilterSizing

FORMAT = 1
MAGIC = b"bloom512"
HEADER = 128  # bytes
_HEADER = struct.Struct("<8sQ16sQQQQQQQdd16s8x")


@dataclass(frozen=True)
class Label:
    """The header of a partition's file."""

    sizing: FilterSizing
    unit: str  # what the keys stand for
    key_version: int  # raised when keys are made in another way
    number: int  # of the partition
    items: int = 0  # keys added
    rate: float = 0.0  # actual false-positive rate
    checksum: str = ""  # hex

    def to_bytes(self) -> bytes:
        size = self.sizing
        digest = bytes.fromhex(self.checksum)
        where = (self.number, size.partitions, size.blocks, size.bits_per_key, size.expected_items, self.items)
        rates = (size.false_positive_rate, self.rate)
        return _HEADER.pack(MAGIC, FORMAT, self.unit.encode("ascii"), self.key_version, *where, *rates, digest)

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Read the header from a file's first 128 bytes or more. Raises ValueError if they are not one."""
        if len(content) < HEADER or content[:8] != MAGIC:
            raise ValueError("it does not begin as a partition of a Bloom filter")
        _, version, unit, key_version, number, *sizes, stated, rate, digest = _HEADER.unpack_from(content)
        if version != FORMAT:
            raise ValueError(f"it has format {version}, this winnow reads {FORMAT}")
        partitions, blocks, bits_per_key, expected_items, items = sizes
        sizing = FilterSizing(expected_items, stated, partitions, blocks, bits_per_key)
        sizing.check()
        if number >= partitions:
            raise ValueError(f"it is partition {number:,} of {partitions:,}")
        return cls(sizing, unit.rstrip(b"\0").decode("ascii"), key_version, number, items, rate, digest.hex())


@dataclass(eq=False)
class Partition:
    """The bits of all keys whose `bucket_of(hi, partitions)` is its number: uint64[8 * blocks]."""

    sizing: FilterSizing
    number: int
    words: Uint64s
    items: int = 0  # keys added, each different one once

    @classmethod
    def empty(cls, sizing: FilterSizing, number: int) -> Self:
        return cls(sizing, number, np.zeros(sizing.blocks * WORDS, np.uint64))

    def insert(self, hi: Uint64s, lo: Uint64s) -> None:
        """Add uint64[R] different keys of this partition; their order does not change the bytes."""
        kernels.insert(hi, lo, np.uint64(self.sizing.partitions), self.sizing.bits_per_key, self.words)
        self.items += len(hi)

    def contains(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: true for every key of this partition that was added, and for others at the false-positive rate."""
        present = np.empty(len(hi), np.bool_)
        size = self.sizing
        kernels.contains(hi, lo, np.uint64(size.partitions), size.bits_per_key, self.words, present)
        return present

    def rate(self) -> float:
        """The exact false-positive rate for random keys."""
        fills = np.zeros(BLOCK_BITS + 1, np.int64)
        kernels.count_fills(self.words, fills)
        chances = (np.arange(BLOCK_BITS + 1) / BLOCK_BITS) ** self.sizing.bits_per_key
        return float(fills @ chances) / self.sizing.blocks

    def label(self, unit: str, key_version: int) -> Label:
        digest = checksum(self.words.data.cast("B"))
        return Label(self.sizing, unit, key_version, self.number, self.items, self.rate(), digest)

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """A read-only partition over a file's content. Raises ValueError if it is another file or broken."""
        label = Label.from_bytes(content)
        size = label.sizing
        expected = HEADER + label.sizing.partition_bytes
        if len(content) != expected:
            raise ValueError(f"it has {len(content):,} bytes, its {size.blocks:,} blocks take {expected:,}")
        if checksum(memoryview(content)[HEADER:]) != label.checksum:
            raise ValueError("its checksum is wrong")
        words = np.frombuffer(content, "<u8", size.blocks * WORDS, HEADER).astype(np.uint64, copy=False)
        return cls(size, label.number, words, label.items)


def checksum(blocks: memoryview) -> str:
    return hashlib.blake2b(blocks, digest_size=16).hexdigest()


assert _HEADER.size == HEADER
assert BLOCK_BYTES == 8 * WORDS
