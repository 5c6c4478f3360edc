"""Which of many 64-bit keys occur more than once: a cheap sieve first, an exact table for what it lets through.

In ordinary text most keys occur once, and which ones is what no processor foresees. The sieve has no branch: it counts
in a table of bytes by a few bits of the key, and keeps the keys that share a byte with another. Only those are looked
up by their whole value.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import lowest
from curation.text.kernels.compiled import Out, kernel
from curation.text.kernels.hash_table import table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN

Places = npt.NDArray[np.int32]


@kernel
def _shift(size: int) -> np.uint64:
    """What leaves of 64 bits a place in a table of `size`, a power of two."""
    return np.uint64(64 - lowest(np.uint64(size)))


class KeyRoom(NamedTuple):
    """Room for M keys with their places, and for the tables that they are counted in, of T = table_size(M)."""

    keys: Out[Hashes]  # uint64[M]
    places: Out[Places]  # int32[M]
    numbers: Out[Places]  # int32[M]: equal keys have one number, below T
    seen: Out[npt.NDArray[np.uint8]]  # uint8[4 T]
    slots: Out[Hashes]  # uint64[T]
    counts: Out[Places]  # int32[T], by number


@kernel
def key_room(most: int) -> KeyRoom:
    table = table_size(most)
    keys, places, numbers = np.empty(most, np.uint64), np.empty(most, np.int32), np.empty(most, np.int32)
    seen, slots, counts = np.empty(4 * table, np.uint8), np.empty(table, np.uint64), np.empty(table, np.int32)
    return KeyRoom(keys, places, numbers, seen, slots, counts)


@kernel
def sieve(room: KeyRoom, count: int) -> int:
    """Keep, in order, the first `count` keys and their places that may occur twice; how many there are.

    Every key that does occur twice is kept, and of the others about one in eight.
    """
    keys, places, seen = room.keys, room.places, room.seen
    size = 4 * table_size(count)
    shift = _shift(size)
    seen[:size] = 0
    for k in range(count):
        slot = keys[k] * GOLDEN >> shift
        seen[slot] = seen[slot] << 1 | 1
    kept = 0
    for k in range(count):
        key, place = keys[k], places[k]
        keys[kept], places[kept] = key, place
        kept += seen[key * GOLDEN >> shift] > 1
    return kept


@kernel
def count_keys(room: KeyRoom, count: int) -> int:
    """Keep, in order, the first `count` keys and their places that occur twice or more; how many there are.

    Equal keys get one number each in `numbers`, and counts[number] is how many they are.
    """
    keys, places, numbers, slots, counts = room.keys, room.places, room.numbers, room.slots, room.counts
    size = table_size(count)
    shift, mask = _shift(size), size - 1
    counts[:size] = 0
    for k in range(count):  # a key may be 0, and a slot is free by its count, so that only counts are set to 0
        key = keys[k]
        slot = np.int64(key * GOLDEN >> shift)
        while counts[slot] != 0 and slots[slot] != key:
            slot = (slot + 1) & mask
        slots[slot] = key
        counts[slot] += 1
        numbers[k] = slot
    kept = 0
    for k in range(count):
        key, place, number = keys[k], places[k], numbers[k]
        keys[kept], places[kept], numbers[kept] = key, place, number
        kept += counts[number] > 1
    return kept
