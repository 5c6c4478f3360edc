"""Searches bytes for a word and counts a byte, 64 positions at a time: several times as fast as `bytes` does."""

import numpy as np

from curation.text.kernels.blocks import BLOCK, REACH, stands_at
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.instructions import address_of, equal, lowest, ones
from curation.text.kernels.compiler.kernel import Int, kernel


def word_of(word: bytes) -> Bytes:
    """A word of 2 to 8 bytes as `find` takes it."""
    return np.frombuffer(word, np.uint8)


@kernel
def find(data: Bytes, word: Bytes, start: Int, stop: Int) -> Int:
    """Where the word first stands in data[start:stop], uint8; -1 if nowhere. The word has 2 to 8 bytes."""
    last = word.size - 1
    end = min(stop, np.int64(data.size))
    place = start
    while place + REACH <= data.size and place < end:
        address = address_of(data) + np.uint64(place)
        bits = equal(address, np.int64(word[0])) & equal(address + np.uint64(last), np.int64(word[last]))
        while bits:
            at = place + lowest(bits)
            if stands_at(data, at, end, word, 0, word.size):
                return at
            bits &= bits - np.uint64(1)
        place += BLOCK
    while place + last < end:
        if stands_at(data, place, end, word, 0, word.size):
            return place
        place += 1
    return -1


@kernel
def count_byte(data: Bytes, byte: Int) -> Int:
    """How often a byte is in uint8[N]."""
    count: Int = 0
    place: Int = 0
    while place + REACH <= data.size:
        count += ones(equal(address_of(data) + np.uint64(place), byte))
        place += BLOCK
    for at in range(place, data.size):
        count += data[at] == byte
    return count
