"""The size of a blocked Bloom filter for a false-positive rate, computed exactly.

Source: Putze, Sanders and Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters" (WEA 2007, section 3): every
key sets k bits of one 512-bit block. The number of keys in a block is Poisson; fuller blocks raise the rate above that
of a plain filter of the same size.

The paper approximates the rate of a block of i keys by the mean number of its set bits. Here it is exact: t = i k
throws leave s of 512 bits set with the probability P(t, s), where

    P(t + 1, s) = P(t, s) s / 512 + P(t, s - 1) (513 - s) / 512

and all k bits of an absent key are then set with the probability (s / 512)^k. T throws, K bits per key.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from curation.core.errors import InputError
from curation.models.bloom.kernels import MAX_BLOCKS

BLOCK_BITS = 512
BLOCK_BYTES = BLOCK_BITS // 8
MAX_BITS_PER_KEY = 40
MAX_PARTITIONS = 1 << 20
MOST_ITEMS = 1 << 62
RATES = (1e-12, 0.1)  # between which a stated rate must lie
TOLERANCE = 1.1  # a filter holds too many keys if its rate is above the stated one by more than this factor
WASTE = 1.01  # how much larger than the smallest a filter may be, to set fewer bits per key, which is faster

_THROWS = 8 * BLOCK_BITS  # after this many nearly all bits are set: the rate counts as 1
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FilterSizing:
    """Decided before the first key is added."""

    expected_items: int  # different keys, over all partitions
    false_positive_rate: float  # as stated
    partitions: int
    blocks: int  # per partition
    bits_per_key: int

    def check(self) -> None:
        """Raises ValueError for figures, read from a file, that no filter has: kernels check no index."""
        counts = (self.expected_items, self.partitions, self.blocks, self.bits_per_key)
        most = (MOST_ITEMS, MAX_PARTITIONS, MAX_BLOCKS, MAX_BITS_PER_KEY)
        if not all(type(count) is int and 1 <= count <= limit for count, limit in zip(counts, most, strict=True)):
            raise ValueError(f"it states {self}, which is the size of no filter")
        if type(self.false_positive_rate) is not float or not RATES[0] <= self.false_positive_rate <= RATES[1]:
            raise ValueError(f"it states the false-positive rate {self.false_positive_rate}")

    @property
    def partition_bytes(self) -> int:
        return self.blocks * BLOCK_BYTES

    @property
    def bytes(self) -> int:
        return self.partitions * self.partition_bytes

    def rate(self, items: int) -> float:
        """The expected false-positive rate when the filter holds `items` different keys."""
        return _rate(items / (self.partitions * self.blocks), self.bits_per_key)

    def line(self) -> str:
        """One line to print before any work."""
        bits = 8 * self.bytes / self.expected_items
        return (
            f"Bloom filter for {self.expected_items:,} keys, false-positive rate {one_in(self.false_positive_rate)}: "
            f"{self.bytes / 1e6:,.1f} MB in {self.partitions:,} partitions of "
            f"{self.partition_bytes / 1e6:,.1f} MB, {bits:.1f} bits per key, of which {self.bits_per_key} are set"
        )


def plan(expected_items: int, false_positive_rate: float, *, partitions: int, max_mb: int) -> FilterSizing:
    """The smallest filter, but for `WASTE`, that has the rate when it holds `expected_items`.

    Raises InputError, saying what would fit, if a partition would take more than `max_mb` (10^6 bytes) or 4 GiB.
    """
    check_options(expected_items, false_positive_rate)
    load, bits_per_key = _densest(false_positive_rate)
    blocks = max(1, math.ceil(expected_items / partitions / load))
    sizing = FilterSizing(expected_items, false_positive_rate, partitions, blocks, bits_per_key)
    most = min(MAX_BLOCKS, max_mb * 10**6 // BLOCK_BYTES)
    if blocks > most:
        raise InputError(
            f"{sizing.line()}; a partition may have {most * BLOCK_BYTES / 1e6:,.1f} MB. It "
            f"would take {math.ceil(expected_items / load / most):,} partitions; give expected_items of at most "
            f"{math.floor(most * partitions * load):,}{_rate_that_fits(expected_items, partitions * most)}"
            f"{', or more max_mb' if most < MAX_BLOCKS else ''}"
        )
    return sizing


def check_options(expected_items: int, false_positive_rate: float) -> None:
    """Raises ValueError for options that no filter can have."""
    if expected_items < 1:
        raise ValueError(f"expected_items is {expected_items}; give the number of different keys that it will hold")
    if not RATES[0] <= false_positive_rate <= RATES[1]:
        raise ValueError(
            f"false_positive_rate is {false_positive_rate:g}; give one between {RATES[0]:g} and {RATES[1]:g}"
        )


def one_in(rate: float) -> str:
    """A false-positive rate in words: "1 in 1,000"; "none" for 0."""
    return f"1 in {1 / rate:,.0f}" if rate > 0 else "none"


def _rate_that_fits(items: int, blocks: int) -> str:
    """The rate of the best filter of that size, rounded up, for a message; "" if it is too high."""
    rate = min(_rate(items / blocks, k) for k in range(1, MAX_BITS_PER_KEY + 1))
    return f", or a false_positive_rate of {rate * 1.05:.1e}" if rate * 1.1 <= RATES[1] else ""


@lru_cache(maxsize=64)
def _densest(rate: float) -> tuple[float, int]:
    """The most keys per block that keep the rate, and the fewest bits per key that come within `WASTE` of it."""
    loads = [_load(rate, k) for k in range(1, MAX_BITS_PER_KEY + 1)]
    bits_per_key = next(k for k, load in enumerate(loads, 1) if load * WASTE >= max(loads))
    return loads[bits_per_key - 1], bits_per_key


def _load(rate: float, bits_per_key: int) -> float:
    """The mean number of keys per block at which the rate is reached."""
    low = 0.0
    high = float(BLOCK_BITS)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _rate(middle, bits_per_key) <= rate else (low, middle)
    return low


def _rate(load: float, bits_per_key: int) -> float:
    """The mean rate over blocks whose number of keys is Poisson with the mean `load`."""
    by_keys = _rates()[::bits_per_key, bits_per_key - 1]  # [keys in the block]
    keys = np.arange(len(by_keys))
    if load <= 0.0:
        return 0.0
    share = np.exp(keys * math.log(load) - load - _log_factorials()[: len(keys)])
    return float(share @ by_keys) + max(0.0, 1.0 - float(share.sum()))


@lru_cache(maxsize=1)
def _log_factorials() -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, _THROWS)))])


@lru_cache(maxsize=1)
def _rates() -> Floats:
    """float64[T, K]: the probability that k bits are all set in a block after t throws; column 0 is k = 1."""
    filled = np.arange(BLOCK_BITS + 1) / BLOCK_BITS
    powers = filled[:, None] ** np.arange(1, MAX_BITS_PER_KEY + 1)
    rates = np.empty((_THROWS, MAX_BITS_PER_KEY))
    share = np.zeros(BLOCK_BITS + 1)
    share[0] = 1.0
    for throws in range(_THROWS):
        rates[throws] = share @ powers
        missed = share * (1.0 - filled)
        share *= filled
        share[1:] += missed[:-1]
    return rates
