"""Bijections of 64 bits in which every output bit depends on every input bit: they turn a number into a hash.

`murmur3` is the last step of MurmurHash3 (Appleby, public domain). `splitmix64` is that of SplitMix64 (Steele, Lea and
Flood 2014, "Fast Splittable Pseudorandom Number Generators"), whose n-th output is that of seed + n * GOLDEN. Both map
0 to 0. Stored bytes depend on which of the two a caller uses, so they cannot be exchanged.
"""

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, odd
# A multiplier for hashes that are rolled from item to item (Steele and Vigna 2022, "Computationally easy, spectrally
# good multipliers for congruential pseudorandom number generators").
STEP = np.uint64(0xD1342543DE82EF95)

# Every constant is a uint64: Numba turns uint64 with int64 into float64.
_MURMUR1 = np.uint64(0xFF51AFD7ED558CCD)
_MURMUR2 = np.uint64(0xC4CEB9FE1A85EC53)
_SPLIT1 = np.uint64(0xBF58476D1CE4E5B9)
_SPLIT2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _33 = (np.uint64(bits) for bits in (27, 30, 31, 33))


@kernel
def murmur3_by(value: np.uint64, shift: np.uint64) -> np.uint64:
    """`murmur3` with another shift than 33."""
    value = (value ^ (value >> shift)) * _MURMUR1
    value = (value ^ (value >> shift)) * _MURMUR2
    return value ^ (value >> shift)


@kernel
def murmur3(value: np.uint64) -> np.uint64:
    return murmur3_by(value, _33)


@kernel
def splitmix64(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> _30)) * _SPLIT1
    value = (value ^ (value >> _27)) * _SPLIT2
    return value ^ (value >> _31)


@kernel
def murmur3_each(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """uint64[N] of uint64[N]."""
    mixed = np.empty(values.size, np.uint64)
    for k in range(values.size):
        mixed[k] = murmur3(values[k])
    return mixed


@kernel
def splitmix64_each(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """uint64[N] of uint64[N]."""
    mixed = np.empty(values.size, np.uint64)
    for k in range(values.size):
        mixed[k] = splitmix64(values[k])
    return mixed
