"""Shingles: the 64-bit hashes of every run of `size` words of a text, by whose overlap texts are compared.

Words are those of `lower_words.py`, without invisible characters that carry no meaning. A text of fewer words has one
shingle of all its words; one without words has none. Hashes are rolled from word to word, a product and a sum modulo
2^64 each, and mixed by a bijection: among a million shingles, two different ones share a hash with a probability of one
in ten million.

S shingles. Texts are read ROUND words at a time, so a long one takes no more memory than a short one.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.edits.invisible import without_invisible
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import murmur3
from curation.text.kernels.unicode import Cases, lower_cases
from curation.text.lower_words import LowerScan, begin_words, lower_scan, next_words

ROUND = 1024  # words; with their shingles 16 kB, which fit into the first-level cache

# A scan's state: the rolled hash, the words seen, the factor on a word's hash when it leaves a shingle, and whether
# there may be more.
_ROLLED, _SEEN, _LEAVING, _MORE = range(4)
_STATE = 4

_STEP = np.uint64(0xD1342543DE82EF97)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


def shingle_sets(array: pa.Array | pa.ChunkedArray, size: int) -> pa.Array:
    """large_list<uint64>[N]: the different shingles of `size` words of text[N], ascending; empty without words."""
    hashes, ends = shingle_hashes(array, size)
    firsts = np.zeros(len(ends), np.int64)
    _sort_out(hashes, ends, firsts)
    return pa.LargeListArray.from_arrays(firsts, hashes[: firsts[-1]])


def shingle_hashes(array: pa.Array | pa.ChunkedArray, size: int) -> tuple[Hashes, Indices]:
    """(uint64[S], int64[N + 1]): the shingles of `size` words of text[N] in order, with repeats; those of text d are
    numbers [d] to [d + 1] - 1 of the second array."""
    data, offsets = text_buffers(without_invisible(array)[0])
    # Each word but a text's last takes two bytes, one for its space. Untouched room takes no memory.
    hashes = np.empty((int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1, np.uint64)
    ends = np.zeros(len(offsets), np.int64)
    _hash_shingles(data, offsets, size, lower_cases(), hashes, ends)
    return hashes[: ends[-1]], ends


class ShingleScan(NamedTuple):
    """The state of a scan."""

    words: LowerScan
    hashes: Out[Hashes]  # uint64[size + ROUND], of the last `size` words and then of the next ones
    state: Out[Hashes]  # uint64[_STATE]


@kernel
def shingle_scan(size: int) -> ShingleScan:
    """A scan for shingles of `size` words, which can be used for any number of documents."""
    return ShingleScan(lower_scan(), np.zeros(size + ROUND, np.uint64), np.zeros(_STATE, np.uint64))


@kernel
def begin_shingles(scan: ShingleScan, start: int, stop: int) -> None:
    """Begin with the document data[start:stop]."""
    size = scan.hashes.size - ROUND
    state = scan.state
    begin_words(scan.words, start, stop)
    scan.hashes[:size] = _ZERO
    state[_ROLLED] = _ZERO
    state[_SEEN] = _ZERO
    state[_LEAVING] = _ONE
    state[_MORE] = _ONE
    for _ in range(size):
        state[_LEAVING] *= _STEP


@kernel
def words_seen(scan: ShingleScan) -> Int:
    """Words of the document read so far."""
    return np.int64(scan.state[_SEEN])


@kernel
def more_shingles(scan: ShingleScan) -> bool:
    """Whether there may be more."""
    return bool(scan.state[_MORE] != _ZERO)


@kernel
def next_shingles(data: Bytes, scan: ShingleScan, lower: Cases, shingles: Out[Hashes]) -> int:
    """Fill `shingles`, uint64[ROUND], with those that end in a document's next ROUND words. Returns how many."""
    words = scan.hashes
    state = scan.state
    size: Int = words.size - ROUND
    read = next_words(data, scan.words, lower, words[size:])
    rolled = state[_ROLLED]
    seen = np.int64(state[_SEEN])
    leaving = state[_LEAVING]
    skip = min(max(size - 1 - seen, 0), read)
    for k in range(read):
        rolled = rolled * _STEP + words[size + k] - words[k] * leaving
        shingles[max(k - skip, 0)] = rolled
    for k in range(size):
        words[k] = words[read + k]
    seen += read
    count = int(read - skip)
    if read < ROUND:
        state[_MORE] = _ZERO
        if 0 < seen < size:
            shingles[0] = rolled
            count = 1
    state[_ROLLED] = rolled
    state[_SEEN] = np.uint64(seen)
    for k in range(count):
        shingles[k] = murmur3(shingles[k])
    return count


@kernel
def _hash_shingles(
    data: Bytes, offsets: Indices, size: int, lower: Cases, hashes: Out[Hashes], ends: Out[Indices]
) -> None:
    """Fill `hashes`; those of document d end at ends[d + 1]."""
    scan = shingle_scan(size)
    shingles = np.empty(ROUND, np.uint64)
    total = 0
    for d in range(offsets.size - 1):
        begin_shingles(scan, offsets[d], offsets[d + 1])
        while more_shingles(scan):
            count = next_shingles(data, scan, lower, shingles)
            hashes[total : total + count] = shingles[:count]
            total += count
        ends[d + 1] = total


@kernel
def _sort_out(hashes: Out[Hashes], ends: Indices, firsts: Out[Indices]) -> None:
    """Sort each document's hashes and drop repeats, in place; those of document d then end at firsts[d + 1]."""
    total = 0
    for d in range(ends.size - 1):
        ordered = np.sort(hashes[ends[d] : ends[d + 1]])
        for k in range(ordered.size):
            if k == 0 or ordered[k] != ordered[k - 1]:
                hashes[total] = ordered[k]
                total += 1
        firsts[d + 1] = total
