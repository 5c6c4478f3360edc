"""Data order as arithmetic: the row at any position of a shuffled epoch, and the reverse, without storing either.

A permutation of N rows is an eight-round Feistel network over the smallest power of two that holds N, walked until it
lands below N ("cycle walking", below two walks on average). Only wrapping unsigned 64-bit integers are used, so every
machine computes the same order. The round function is the finaliser of splitmix64 over half ^ round key.

A mix has two such layers. The stream of a leaf is all its rows, epoch after epoch, each epoch in an order of its own. A
phase of the mix takes the next stretch of each leaf's stream, and one permutation shuffles all rows of the phase. So a
larger share of a leaf keeps the rows of a smaller one, and no row is repeated before all others of its leaf were seen.
A phase that takes several epochs of a leaf shuffles them together. `mix_order` combines the layers.

Source: Black and Rogaway 2002, "Ciphers with Arbitrary Finite Domains" (cycle walking); Steele et al. 2014, "Fast
Splittable Pseudorandom Number Generators" (splitmix64).
"""

import hashlib

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import kernel
from curation.text.kernels.mix64 import splitmix64

ROUNDS = 8
Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

_ONE = np.uint64(1)


def round_keys(seed: int, purpose: str) -> Keys:
    """uint64[ROUNDS]: BLAKE2b-512 of "<seed>\\0<purpose>", read as little-endian words."""
    digest = hashlib.blake2b(f"{seed}\0{purpose}".encode(), digest_size=8 * ROUNDS).digest()
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)


def purpose(leaf: str, epoch: int) -> str:
    """The purpose of the round keys that shuffle a leaf in an epoch, counted from 0."""
    return f"source {leaf}" if epoch == 0 else f"source {leaf} {epoch}"


@kernel
def width(rows: np.uint64) -> np.uint64:
    """Bits of the network for `rows` rows, at least 2."""
    bits = np.uint64(2)
    while bits < np.uint64(63) and (_ONE << bits) < rows:
        bits += _ONE
    return bits


@kernel
def permute(position: np.uint64, rows: np.uint64, bits: np.uint64, keys: Keys) -> np.uint64:
    """Row at `position` of `rows` (both below 2^63); `bits` is `width(rows)`."""
    low_bits = bits >> _ONE
    low_mask = (_ONE << low_bits) - _ONE
    high_mask = (_ONE << (bits - low_bits)) - _ONE
    while True:
        low = position & low_mask
        high = position >> low_bits
        for i in range(0, ROUNDS, 2):
            high ^= splitmix64(low ^ keys[i]) & high_mask
            low ^= splitmix64(high ^ keys[i + 1]) & low_mask
        position = high << low_bits | low
        if position < rows:
            return position


@kernel
def unpermute(row: np.uint64, rows: np.uint64, bits: np.uint64, keys: Keys) -> np.uint64:
    """Position of `row`: the inverse of `permute`."""
    low_bits = bits >> _ONE
    low_mask = (_ONE << low_bits) - _ONE
    high_mask = (_ONE << (bits - low_bits)) - _ONE
    while True:
        low = row & low_mask
        high = row >> low_bits
        for i in range(ROUNDS - 1, 0, -2):
            low ^= splitmix64(high ^ keys[i]) & low_mask
            high ^= splitmix64(low ^ keys[i - 1]) & high_mask
        row = high << low_bits | low
        if row < rows:
            return row


@kernel
def walk(start: int, stop: int, budget: int, total: int, keys: Keys, tokens: npt.NDArray[np.uint32]) -> Ints:
    """int64[3]: how many of a leaf's rows, from place `start` to `stop` in the order of one epoch's `keys`, fit into
    `budget` tokens; the tokens in those; and the tokens of the next row (0 at `stop`). tokens uint32[total]: by row.
    """
    rows = np.uint64(total)
    taken = np.int64(0)
    bits = width(rows)
    for turn in range(start, stop):
        here = np.int64(tokens[permute(np.uint64(turn), rows, bits, keys)])
        if taken + here > budget:
            return np.array([turn - start, taken, here], np.int64)
        taken += here
    return np.array([stop - start, taken, 0], np.int64)
