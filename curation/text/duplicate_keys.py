"""Which of many 64-bit keys occur more than once: a cheap sieve first, then an exact table.

In ordinary text most keys occur once, and no processor can predict which. The sieve has no branch: it counts in a table
of bytes by a few bits of the key and keeps the keys that share a byte. Only those are compared in full.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hash_table import hash_shift, home_of, table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN

Places = npt.NDArray[np.int32]


class KeyRoom(NamedTuple):
    """Room for M keys with their places, and for the tables that count them; T = table_size(M)."""

    keys: Out[Hashes]  # uint64[M]
    places: Out[Places]  # int32[M]
    numbers: Out[Places]  # int32[M]: equal keys have one number, below T
    seen: Out[npt.NDArray[np.uint8]]  # uint8[4 T]
    slots: Out[Hashes]  # uint64[T]
    counts: Out[Places]  # int32[T], by number
    factor: np.uint64  # see `hash_table`


@kernel
def largest(first: Indices) -> int:
    """The size of the largest document; document d has the items first[d] to first[d + 1] - 1."""
    size = 0
    for document in range(first.size - 1):
        size = max(size, first[document + 1] - first[document])
    return size


@kernel
def key_room(most: int, factor: np.uint64) -> KeyRoom:
    table = table_size(most)
    keys = np.empty(most, np.uint64)
    places = np.empty(most, np.int32)
    numbers = np.empty(most, np.int32)
    seen = np.empty(4 * table, np.uint8)
    slots = np.empty(table, np.uint64)
    counts = np.empty(table, np.int32)
    return KeyRoom(keys, places, numbers, seen, slots, counts, factor)


@kernel
def sieve(room: KeyRoom, count: int) -> int:
    """Keep those of the first `count` keys that may occur twice, in order, with their places. Returns how many.

    Keeps every key that does occur twice, and about one in eight of the others.
    """
    keys = room.keys
    places = room.places
    seen = room.seen
    size = 4 * table_size(count)
    shift = hash_shift(size)
    seen[:size] = 0
    for k in range(count):
        slot = keys[k] * GOLDEN >> shift
        seen[slot] = seen[slot] << 1 | 1
    kept = 0
    for k in range(count):
        key = keys[k]
        place = places[k]
        keys[kept] = key
        places[kept] = place
        kept += seen[key * GOLDEN >> shift] > 1
    return kept


@kernel
def count_keys(room: KeyRoom, count: int) -> int:
    """Keep those of the first `count` keys that occur at least twice, in order, with their places. Returns how many.

    `numbers` gives equal keys the same number, and counts[number] is how often they occur.
    """
    keys = room.keys
    places = room.places
    numbers = room.numbers
    slots = room.slots
    counts = room.counts
    size = table_size(count)
    shift = hash_shift(size)
    mask = size - 1
    counts[:size] = 0
    for k in range(count):  # a slot is free if its count is 0: a key may be 0
        key = keys[k]
        slot = home_of(key, room.factor, shift)
        while counts[slot] != 0 and slots[slot] != key:
            slot = (slot + 1) & mask
        slots[slot] = key
        counts[slot] += 1
        numbers[k] = slot
    kept = 0
    for k in range(count):
        key = keys[k]
        place = places[k]
        number = numbers[k]
        keys[kept] = key
        places[kept] = place
        numbers[kept] = number
        kept += counts[number] > 1
    return kept
