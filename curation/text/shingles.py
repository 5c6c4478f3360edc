"""Shingles: every run of so many words of a text, as a 64-bit hash; what two texts share of them is their likeness.

Words are those of `lower_words.py`: lower case, between whitespace, punctuation and digits left in, one per character
in scripts without spaces. A text of fewer words than a shingle has one shingle of all its words; one without words has
none. Hashes are rolled from word to word, a product and a sum modulo 2^64 each, and mixed by a bijection: different
shingles of a million differ in their hash but for one chance in ten million.

S shingles; texts are read ROUND words at a time, so that a long one takes no more memory than a short one.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import murmur3
from curation.text.kernels.unicode import Cases, lower_cases
from curation.text.lower_words import LowerScan, begin_words, lower_scan, next_words

ROUND = 1024  # words read at a time: with their shingles 16 kB, which stay in the processor's first cache

# Of a scan's state: the rolled hash, the words seen, what a word's hash has been multiplied by when it leaves a
# shingle, and whether there may be more.
_ROLLED, _SEEN, _LEAVING, _MORE = range(4)
_STATE = 4

_STEP = np.uint64(0xD1342543DE82EF97)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def shingle_sets(array: pa.Array | pa.ChunkedArray, size: int) -> pa.Array:
    """large_list<uint64>[N]: the different shingles of `size` words of text[N], ascending; empty without words."""
    hashes, ends = shingle_hashes(array, size)
    firsts = np.zeros(len(ends), np.int64)
    _sort_out(hashes, ends, firsts)
    return pa.LargeListArray.from_arrays(firsts, hashes[: firsts[-1]])


def shingle_hashes(array: pa.Array | pa.ChunkedArray, size: int) -> tuple[Hashes, Indices]:
    """(uint64[S], int64[N + 1]): the shingles of `size` words of text[N] in their order, repeated ones included, and
    how many there are before each text."""
    data, offsets = text_buffers(array)
    # A word takes two bytes, its space among them, but at the end of a text; what stays unused takes no memory.
    hashes = np.empty((int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1, np.uint64)
    ends = np.zeros(len(offsets), np.int64)
    _hash_shingles(data, offsets, size, lower_cases(), hashes, ends)
    return hashes[: ends[-1]], ends


class ShingleScan(NamedTuple):
    """Where a scan is: in the words, and in the shingles that end in them."""

    words: LowerScan
    hashes: Out[Hashes]  # uint64[size + ROUND], of words: of those that a shingle may still hold, then of the next ones
    state: Out[Hashes]  # uint64[_STATE]


@kernel
def shingle_scan(size: int) -> ShingleScan:
    """Room for a scan of shingles of `size` words, of as many documents one after the other as there are."""
    return ShingleScan(lower_scan(), np.zeros(size + ROUND, np.uint64), np.zeros(_STATE, np.uint64))


@kernel
def begin_shingles(scan: ShingleScan, start: int, stop: int) -> None:
    """Begin with the document data[start:stop]."""
    size, state = scan.hashes.size - ROUND, scan.state
    begin_words(scan.words, start, stop)
    scan.hashes[:size] = _ZERO
    state[_ROLLED], state[_SEEN], state[_LEAVING], state[_MORE] = _ZERO, _ZERO, _ONE, _ONE
    for _ in range(size):
        state[_LEAVING] *= _STEP


@kernel
def words_seen(scan: ShingleScan) -> Int:
    """Words of the document that have been read."""
    return np.int64(scan.state[_SEEN])


@kernel
def more_shingles(scan: ShingleScan) -> bool:
    """Whether there may be more."""
    return bool(scan.state[_MORE] != _ZERO)


@kernel
def next_shingles(data: Bytes, scan: ShingleScan, lower: Cases, shingles: Out[Hashes]) -> int:
    """Fill `shingles`, uint64[ROUND], with those that end in a document's next ROUND words; how many they are."""
    words, state = scan.hashes, scan.state
    size: Int = words.size - ROUND
    found = next_words(data, scan.words, lower, words[size:])
    rolled, seen, leaving = state[_ROLLED], np.int64(state[_SEEN]), state[_LEAVING]
    skip = min(max(size - 1 - seen, 0), found)
    for k in range(found):
        rolled = rolled * _STEP + words[size + k] - words[k] * leaving
        shingles[max(k - skip, 0)] = rolled
    for k in range(size):
        words[k] = words[found + k]
    seen, count = seen + found, int(found - skip)
    if found < ROUND:
        state[_MORE] = _ZERO
        if 0 < seen < size:
            shingles[0], count = rolled, 1
    state[_ROLLED], state[_SEEN] = rolled, np.uint64(seen)
    for k in range(count):
        shingles[k] = murmur3(shingles[k])
    return count


@kernel
def _hash_shingles(
    data: Bytes, offsets: Indices, size: int, lower: Cases, hashes: Out[Hashes], ends: Out[Indices]
) -> None:
    """Fill `hashes`, and ends[d + 1] with how many there are up to and with document d."""
    scan, shingles, total = shingle_scan(size), np.empty(ROUND, np.uint64), 0
    for d in range(offsets.size - 1):
        begin_shingles(scan, offsets[d], offsets[d + 1])
        while more_shingles(scan):
            count = next_shingles(data, scan, lower, shingles)
            hashes[total : total + count] = shingles[:count]
            total += count
        ends[d + 1] = total


@kernel
def _sort_out(hashes: Out[Hashes], ends: Indices, firsts: Out[Indices]) -> None:
    """Sort each document's hashes and leave out equal ones, in place; firsts[d + 1] is where those of d then end."""
    total = 0
    for d in range(ends.size - 1):
        own = np.sort(hashes[ends[d] : ends[d + 1]])
        for k in range(own.size):
            if k == 0 or own[k] != own[k - 1]:
                hashes[total] = own[k]
                total += 1
        firsts[d + 1] = total
