"""Finds the n-grams of an index in texts: a hash rolled from token to token, looked up, and verified on the text.

Every n-gram of a text is looked at. A filter of bits rules most of them out by one read; the others are looked up by
their hash and then compared with an item's canonical text byte by byte, so equal hashes never confuse two texts. The
cost does not depend on the number of sets, as long as the filter fits into the processor's cache (a million n-grams
take 4 MB).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.evalsets.index import Lookup, Words, directory_bits
from curation.text.canonical_tokens import FOLD_ROOM, ROUND, begin_tokens, fold, next_tokens, token_scan
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.canon import Canon, canon
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hash_table import hash_shift
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import STEP, murmur3

_ONE = np.uint64(1)
_63 = np.uint64(63)
_6 = np.uint64(6)


@dataclass(frozen=True, eq=False)
class GramHits:
    """H n-grams of an index in N texts, in text order. Starts and stops are bytes of the row's text."""

    size: int  # tokens of an n-gram
    row: Indices  # int64[H]
    token: Indices  # int64[H]: the number of its first token in the text
    start: Indices  # int64[H]
    stop: Indices  # int64[H]
    gram: Indices  # int64[H]: its number in the index
    tokens: Indices  # int64[N]: tokens of each text

    def at(self, chosen: npt.NDArray[np.bool_] | Indices) -> "GramHits":
        """Some of the hits."""
        row, token, start, stop, gram = (
            array[chosen] for array in (self.row, self.token, self.start, self.stop, self.gram)
        )
        return GramHits(self.size, row, token, start, stop, gram, self.tokens)


class _Room(NamedTuple):
    """Arrays for the hits of all texts, as `GramHits` has them."""

    row: Out[Indices]
    token: Out[Indices]
    start: Out[Indices]
    stop: Out[Indices]
    gram: Out[Indices]


def find_grams(array: pa.Array | pa.ChunkedArray, lookup: Lookup) -> GramHits:
    """The n-grams that text[N] share with the index."""
    data, offsets = text_buffers(array)
    most = int(offsets[-1] - offsets[0]) * 2 + 1  # untouched room takes no memory
    room = _Room(*(np.empty(most, np.int64) for _ in range(5)))
    tokens = np.zeros(len(offsets) - 1, np.int64)
    total = _find(data, offsets, canon(), lookup, directory_bits(len(lookup.hashes)), room, tokens)
    row, token, start, stop, gram = (array[:total].copy() for array in room)
    return GramHits(lookup.size, row, token, start, stop, gram, tokens)


@kernel
def _number(hashes: Hashes, directory: Words, bits: Int, value: np.uint64) -> Int:
    """The number of a hash among `hashes`; -1 if it is not there."""
    part = np.int64(value >> np.uint64(64 - bits))
    at: Int = np.int64(directory[part])
    last = np.int64(directory[part + 1])
    while at < last and hashes[at] < value:
        at += 1
    return at if at < last and hashes[at] == value else np.int64(-1)


@kernel
def _verified(data: Bytes, start: Int, stop: Int, forms: Canon, lookup: Lookup, number: Int) -> bool:
    """Whether the text data[start:stop] is that of n-gram `number`."""
    first, table, several = forms
    size, _, firsts, places, _, _, folded, bounds = lookup
    for p in range(firsts[number], firsts[number + 1]):  # more than one text if hashes are equal
        begin = bounds[np.int64(places[p])]
        end = bounds[np.int64(places[p]) + size]
        scratch = np.empty(end - begin + FOLD_ROOM, np.uint8)
        written = fold(data, start, stop, first, table, several, scratch, 0)
        same = written == end - begin
        for k in range(written if same else 0):
            same = same and scratch[k] == folded[begin + k]
        if same:
            return True
    return False


@kernel
def _roll(
    words: Hashes,
    size: Int,
    count: Int,
    seen: Int,
    rolled: np.uint64,
    marks: Hashes,
    chosen: Out[Indices],
    values: Out[Hashes],
) -> tuple[np.uint64, Int]:
    """Fill `chosen` with those of the next `count` tokens that end an n-gram whose bit is marked, and `values` with its
    hash. `words` has the `size` tokens before them too. Returns the rolled hash, and how many there are."""
    leaving = _ONE
    by = hash_shift(marks.size * 64)
    for _ in range(size):
        leaving *= STEP
    candidates: Int = 0
    for k in range(count):
        rolled = rolled * STEP + words[size + k] - words[k] * leaving
        value = murmur3(rolled)
        chosen[candidates] = k
        values[candidates] = value
        place = value >> by
        marked = marks[np.int64(place >> _6)] >> (place & _63) & _ONE
        candidates += np.int64(marked) & np.int64(seen + k + 1 >= size)
    return rolled, candidates


@kernel
def _confirm(
    data: Bytes,
    forms: Canon,
    lookup: Lookup,
    bits: Int,
    begins: Indices,
    stops: Indices,
    chosen: Indices,
    values: Hashes,
    room: _Room,
    total: Int,
) -> Int:
    """Add to `room`, after `total` hits, those of the tokens `chosen` that end an n-gram of the index, with its place
    in `data`. Returns how many hits there are."""
    for c in range(chosen.size):
        k = chosen[c]
        number = _number(lookup.hashes, lookup.directory, bits, values[c])
        if number >= 0 and _verified(data, begins[k + 1], stops[k], forms, lookup, number):
            room.token[total] = k
            room.start[total] = begins[k + 1]
            room.stop[total] = stops[k]
            room.gram[total] = number
            total += 1
    return total


@kernel
def _find(
    data: Bytes, offsets: Indices, forms: Canon, lookup: Lookup, bits: Int, room: _Room, tokens: Out[Indices]
) -> Int:
    """Fill `room` and `tokens`; returns how many hits there are."""
    size = lookup.size
    first, table, several = forms
    scan = token_scan()
    total: Int = 0
    words = np.zeros(size + ROUND, np.uint64)
    begins = np.zeros(size + ROUND, np.int64)
    chosen = np.empty(ROUND, np.int64)
    values = np.empty(ROUND, np.uint64)
    for d in range(offsets.size - 1):
        begin_tokens(scan, offsets[d])
        rolled = np.uint64(0)
        seen = 0
        words[:size] = np.uint64(0)
        while True:
            count = next_tokens(data, offsets[d + 1], scan, first, table, several)
            if count == 0:
                break
            words[size : size + count] = scan.hashes[:count]
            begins[size : size + count] = scan.starts[:count]
            rolled, candidates = _roll(words, size, count, seen, rolled, lookup.filter, chosen, values)
            before = total
            total = _confirm(data, forms, lookup, bits, begins, scan.stops, chosen[:candidates], values, room, total)
            for hit in range(before, total):
                room.row[hit] = d
                room.token[hit] += seen + 1 - size
                room.start[hit] -= offsets[d]
                room.stop[hit] -= offsets[d]
            seen += count
            for k in range(size):
                words[k] = words[count + k]
                begins[k] = begins[count + k]
        tokens[d] = seen
    return total
