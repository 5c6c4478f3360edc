"""Data order as arithmetic: the row at any position of a shuffled epoch, and back, without storing a permutation.

A permutation of N rows is an eight-round Feistel network over the smallest power of two that holds N, walked until it
lands below N ("cycle walking", below two walks on average). Only wrapping unsigned 64-bit integers are used, so every
machine computes the same order. The round function is the finalizer of splitmix64 over half ^ round key.

A mix is two such layers. Position p of the epoch goes through the permutation over all rows that the mix takes; that
gives an entry (a source) and the j-th of its taken rows; the entry's own permutation over all rows that it has says
which row that is. So taking more of a source keeps the rows that were already taken.

Source: Black and Rogaway 2002, "Ciphers with Arbitrary Finite Domains" (cycle walking); Steele et al. 2014, "Fast
Splittable Pseudorandom Number Generators" (splitmix64).
"""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

ROUNDS = 8
Keys = npt.NDArray[np.uint64]

_ONE = np.uint64(1)
_MULTIPLY = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFT = (np.uint64(30), np.uint64(27), np.uint64(31))


def round_keys(seed: int, purpose: str) -> Keys:
    """uint64[ROUNDS]: BLAKE2b-512 of "<seed>\\0<purpose>", read as little-endian words."""
    digest = hashlib.blake2b(f"{seed}\0{purpose}".encode(), digest_size=8 * ROUNDS).digest()
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)


@njit("uint64(uint64)", cache=True, nogil=True, inline="always")
def _scramble(value: Any) -> Any:
    value = (value ^ (value >> _SHIFT[0])) * _MULTIPLY[0]
    value = (value ^ (value >> _SHIFT[1])) * _MULTIPLY[1]
    return value ^ (value >> _SHIFT[2])


@njit("uint64(uint64)", cache=True, nogil=True)
def width(rows: Any) -> Any:
    """Bits of the network for `rows` rows, at least 2."""
    bits = np.uint64(2)
    while bits < np.uint64(63) and (_ONE << bits) < rows:
        bits += _ONE
    return bits


@njit("uint64(uint64, uint64, uint64, uint64[::1])", cache=True, nogil=True)
def permute(position: Any, rows: Any, bits: Any, keys: Any) -> Any:
    """Row at `position` of `rows` (both below 2^63); `bits` is `width(rows)`."""
    low_bits = bits >> _ONE
    low_mask = (_ONE << low_bits) - _ONE
    high_mask = (_ONE << (bits - low_bits)) - _ONE
    while True:
        low, high = position & low_mask, position >> low_bits
        for i in range(0, ROUNDS, 2):
            high ^= _scramble(low ^ keys[i]) & high_mask
            low ^= _scramble(high ^ keys[i + 1]) & low_mask
        position = high << low_bits | low
        if position < rows:
            return position


@njit("uint64(uint64, uint64, uint64, uint64[::1])", cache=True, nogil=True)
def unpermute(row: Any, rows: Any, bits: Any, keys: Any) -> Any:
    """Position of `row`: the inverse of `permute`."""
    low_bits = bits >> _ONE
    low_mask = (_ONE << low_bits) - _ONE
    high_mask = (_ONE << (bits - low_bits)) - _ONE
    while True:
        low, high = row & low_mask, row >> low_bits
        for i in range(ROUNDS - 1, 0, -2):
            low ^= _scramble(high ^ keys[i]) & low_mask
            high ^= _scramble(low ^ keys[i - 1]) & high_mask
        row = high << low_bits | low
        if row < rows:
            return row


@njit("int64[:, ::1](int64, int64, uint64[:, ::1], int64[::1], int64[::1], int64[::1])", cache=True, nogil=True)
def locate(start: Any, count: Any, keys: Any, taken: Any, available: Any, files: Any) -> Any:
    """int64[2, count]: file number and row in that file for positions start … start + count - 1 of the epoch.

    keys uint64[E + 1, ROUNDS] (the mix, then each entry), taken and available int64[E + 1] (rows of the entries, summed
    up from 0), files int64[F + 1] (rows of the files in entry order, summed up from 0).
    """
    found = np.empty((2, count), np.int64)
    total = np.uint64(taken[-1])
    total_bits = width(total)
    for i in range(count):
        chosen = np.int64(permute(np.uint64(start + i), total, total_bits, keys[0]))
        entry = np.searchsorted(taken, chosen, side="right") - 1
        rows = np.uint64(available[entry + 1] - available[entry])
        local = permute(np.uint64(chosen - taken[entry]), rows, width(rows), keys[entry + 1])
        row = available[entry] + np.int64(local)
        file = np.searchsorted(files, row, side="right") - 1
        found[0, i] = file
        found[1, i] = row - files[file]
    return found


@njit("int64(int64, uint64[:, ::1], int64[::1], int64[::1])", cache=True, nogil=True)
def position_of(row: Any, keys: Any, taken: Any, available: Any) -> Any:
    """Where the epoch holds `row` (counted over all files in entry order), or -1 where the mix does not take it."""
    entry = np.searchsorted(available, row, side="right") - 1
    rows = np.uint64(available[entry + 1] - available[entry])
    local = np.int64(unpermute(np.uint64(row - available[entry]), rows, width(rows), keys[entry + 1]))
    if local >= taken[entry + 1] - taken[entry]:
        return np.int64(-1)
    total = np.uint64(taken[-1])
    return np.int64(unpermute(np.uint64(taken[entry] + local), total, width(total), keys[0]))
