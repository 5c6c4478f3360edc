"""The features in plain Python: the definition that the kernels are compared with."""

import numpy as np
import numpy.typing as npt
import regex

_MASK = (1 << 64) - 1


def bucket(ngram: str, buckets: int) -> int:
    """The bucket of an n-gram in lower case, its words joined by blanks."""
    value = 0x9E3779B97F4A7C15
    for char in ngram:
        value = (value ^ ord(char)) * 0xD1342543DE82EF95 & _MASK
        value ^= value >> 29
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    value ^= value >> 33
    return (value >> 32) * buckets >> 32


def words(text: str) -> list[str]:
    own: list[str] = regex.findall(r"\w+|[^\w\s]+", text.lower())
    return own


def counts(text: str, *, order: int, buckets: int) -> npt.NDArray[np.int64]:
    """int64[buckets]"""
    own = words(text)
    sums = np.zeros(buckets, np.int64)
    for length in range(1, order + 1):
        for first in range(len(own) - length + 1):
            sums[bucket(" ".join(own[first : first + length]), buckets)] += 1
    return sums
