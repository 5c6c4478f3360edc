"""Open addressing: tables of 64-bit keys.

A table is an array uint64[S] of keys, S a power of two; its owner keeps the values in an array beside it. Key 0 marks a
free slot, so no key may be 0. A key whose home slot is taken lies in the next free one. At least one slot must stay
free, or the search for an absent key never ends.

Tables that are filled with hashes of a text are asked at `home_of`, by the process's own `factor`. With a home that is
public a text can be written whose every key has the same home, and each look-up then passes all keys before it: 200 KB
took 70 s. No result depends on the factor, as it says only where a key lies.

Four tables probe in the same way by themselves: the keys of `string_set` are strings, those of `dedup.window_hashes`
have 128 bits, those of `duplicate_keys` may be 0, and `terms` has each value beside its key, which is 9 % faster there.
"""

import secrets
from functools import lru_cache

import numpy as np

from curation.text.kernels.compiler.instructions import lowest
from curation.text.kernels.compiler.kernel import Int, kernel
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
def hash_shift(size: Int) -> np.uint64:
    """How far to shift a 64-bit hash right to get its home slot in a table of `size` slots."""
    return np.uint64(64 - lowest(np.uint64(size)))


@lru_cache(maxsize=1)
def factor() -> np.uint64:
    """An odd number that no author of a text knows, the same in all of a process."""
    return np.uint64(secrets.randbits(64) | 1)


@kernel
def home_of(key: np.uint64, by: np.uint64, shift: np.uint64) -> Int:
    """The slot at which the search for a key begins; `by` is `factor()`, `shift` the table's `hash_shift`."""
    return np.int64(key * by >> shift)


@kernel
def find_slot(keys: Hashes, key: np.uint64, home: Int) -> int:
    """The slot that holds the key, or the free slot for it; the search begins at slot `home`."""
    slot = np.int64(home)
    mask = keys.size - 1
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return int(slot)
