"""Bijections of 64 bits in which every output bit depends on every input bit: they turn a number into a hash.

`murmur3` is the last step of MurmurHash3 (Appleby, public domain). `splitmix64` is that of SplitMix64 (Steele, Lea and
Flood 2014, "Fast Splittable Pseudorandom Number Generators"), whose n-th output is that of seed + n * GOLDEN. Both map
0 to 0. Stored bytes depend on which of the two a caller uses, so they cannot be exchanged.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiled import kernel

Uint64s: TypeAlias = npt.NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, odd

# Every constant is a uint64: Numba turns uint64 with int64 into float64.
_MURMUR1, _MURMUR2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_SPLIT1, _SPLIT2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31, _33 = (np.uint64(bits) for bits in (27, 30, 31, 33))


@kernel
def murmur3(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> _33)) * _MURMUR1
    value = (value ^ (value >> _33)) * _MURMUR2
    return value ^ (value >> _33)


@kernel
def splitmix64(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> _30)) * _SPLIT1
    value = (value ^ (value >> _27)) * _SPLIT2
    return value ^ (value >> _31)


@kernel
def murmur3_each(values: Uint64s) -> Uint64s:
    """uint64[N] of uint64[N]."""
    mixed = np.empty(values.size, np.uint64)
    for k in range(values.size):
        mixed[k] = murmur3(values[k])
    return mixed


@kernel
def splitmix64_each(values: Uint64s) -> Uint64s:
    """uint64[N] of uint64[N]."""
    mixed = np.empty(values.size, np.uint64)
    for k in range(values.size):
        mixed[k] = splitmix64(values[k])
    return mixed
