"""Characters in n-grams of words that occur more than once in a document, as different rule sets count them.

Words and n-grams are equal if their 64-bit hashes are. An n-gram that occurs twice consists of (n - 1)-grams that occur
twice, so only those are extended. N documents, W words of one document; whitespace between words does not count.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from curation.text.duplicate_keys import KeyRoom, Places, count_keys, key_room, largest, sieve
from curation.text.joined_ngrams import SPARE, count_joined, join_words
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.hash_table import factor
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import STEP
from curation.text.words import WordScan, begin_words, more_words, next_words, span_hash, word_scan

Top = Literal["covering", "first", "longest"]  # in the order of the numbers that kernels know them by
Repeated = Literal["later", "copies", "everywhere", "joined"]

TOP = (2, 3, 4)  # sizes n for which the most frequent n-gram counts
REPEATED = (5, 6, 7, 8, 9, 10)  # sizes n for which all repeated n-grams count
_LARGEST_TOP = 4
_LARGEST = 10

COVERING, FIRST, LONGEST = range(3)
LATER, COPIES, EVERYWHERE, JOINED = range(4)


class Ngrams(NamedTuple):
    """Characters of each document in words, in its most frequent n-grams and in repeated ones; one column per size."""

    characters: Out[Indices]  # int64[N]
    top: Out[Grid[Indices]]  # int64[N, 3], TOP
    repeated: Out[Grid[Indices]]  # int64[N, 6], REPEATED
    every: Out[Grid[Indices]]  # int64[N, 6]: in all n-grams, overlaps counted again; only filled for "copies"


def count_ngrams(
    array: pa.Array | pa.ChunkedArray,
    *,
    top: Top = "covering",
    repeated: Repeated = "later",
    joint: int | Indices = 0,
) -> Ngrams:
    """The n-grams of text[N].

    `top` chooses among the n-grams of the highest frequency. "covering": the one that covers the most characters,
    overlaps counted once; "longest": the longest, times the frequency; both are 0 if no n-gram occurs twice. "first":
    the first to appear, times the frequency, even if that is 1. `joint` characters count between its words, in each
    document or, as int64[N], differing.
    `repeated`: characters covered by n-grams that occurred before ("later") or that occur at least twice
    ("everywhere"), the sum over the latter ("copies"), or the count of `joined_ngrams` ("joined").
    """
    data, offsets = text_buffers(array)
    documents = len(offsets) - 1
    sizes = (len(TOP), len(REPEATED), len(REPEATED))
    ngrams = Ngrams(np.zeros(documents, np.int64), *(np.zeros((documents, size), np.int64) for size in sizes))
    between = np.zeros(documents, np.int64) + joint
    _count_ngrams(
        data, offsets, get_args(Top).index(top), get_args(Repeated).index(repeated), between, factor(), ngrams
    )
    return ngrams


@kernel
def _hash_words(data: Bytes, start: int, stop: int, scan: WordScan, hashes: Out[Hashes], before: Out[Indices]) -> int:
    """Fill `hashes` uint64[W] and the characters in words `before` each, int64[W + 1]. Returns W."""
    words = 0
    base = address_of(data)
    size = data.size
    bounds = scan.bounds
    marks = scan.marks
    begin_words(scan, start, stop)
    while more_words(scan):
        for word in range(next_words(data, scan)):
            hashes[words] = span_hash(base, bounds[2 * word], bounds[2 * word + 1], size)
            before[words + 1] = before[words] + marks[2 * word + 1] - marks[2 * word]
            words += 1
    return words


@kernel
def _hash_joined(letters: Out[Bytes], begins: Out[Indices], words: int, hashes: Out[Hashes]) -> None:
    """As `_hash_words`, from the letters that `join_words` wrote."""
    base = address_of(letters)
    for word in range(words):
        hashes[word] = span_hash(base, begins[word], begins[word + 1], letters.size)


@kernel
def _lengthen(keys: Out[Hashes], places: Out[Places], grams: int, hashes: Out[Hashes], size: int) -> int:
    """Make n-grams of `size` words from (n - 1)-grams that begin one word apart. Returns how many."""
    longer = 0
    for k in range(grams - 1):
        place = places[k]
        keys[longer] = keys[k] * STEP + hashes[place + size - 1]
        after = places[k + 1]
        places[longer] = place
        longer += after == place + 1
    return longer


@kernel
def _covered(
    room: KeyRoom, grams: int, size: int, before: Out[Indices], ends: Out[Places], covered: Out[Indices]
) -> int:
    """The most characters that any n-gram of the highest frequency covers."""
    numbers = room.numbers
    places = room.places
    counts = room.counts
    highest = 0
    most = 0
    for k in range(grams):
        highest = max(highest, counts[numbers[k]])
    for k in range(grams):
        if counts[numbers[k]] == highest:
            ends[numbers[k]] = 0
            covered[numbers[k]] = 0
    for k in range(grams):
        number = numbers[k]
        stop = places[k] + size
        if counts[number] == highest:
            covered[number] += before[stop] - before[max(ends[number], places[k])]
            ends[number] = stop
            most = max(most, covered[number])
    return most


@kernel
def _times(room: KeyRoom, grams: int, size: int, before: Out[Indices], top: int, joint: Int) -> int:
    """Characters of the FIRST or the LONGEST of the most frequent n-grams, times the frequency."""
    numbers = room.numbers
    places = room.places
    counts = room.counts
    highest = 0
    longest = 0
    for k in range(grams):
        highest = max(highest, counts[numbers[k]])
    for k in range(grams):
        if counts[numbers[k]] == highest:
            longest = max(longest, before[places[k] + size] - before[places[k]])
            if top == FIRST:
                break
    return highest * (longest + joint * (size - 1))


@kernel
def _repeats(room: KeyRoom, grams: int, size: int, before: Out[Indices], repeated: int) -> int:
    """Characters in repeated n-grams. A negative count marks an n-gram that has occurred."""
    numbers = room.numbers
    places = room.places
    counts = room.counts
    end = 0
    inside = 0
    for k in range(grams):
        number = numbers[k]
        start = places[k]
        stop = places[k] + size
        if repeated == COPIES:
            inside += before[stop] - before[start]
        elif repeated == EVERYWHERE or counts[number] < 0:
            inside += before[stop] - before[max(end, start)]
            end = stop
        else:
            counts[number] = -counts[number]
    return inside


@kernel
def _count_ngrams(
    data: Bytes, offsets: Indices, which_top: int, which_repeats: int, joint: Indices, by: np.uint64, out: Ngrams
) -> None:
    characters, top, repeated, every = out
    most = (largest(offsets) + 1) // 2  # words of a document: each but the last takes two bytes, one for its space
    scan = word_scan()
    hashes = np.empty(most, np.uint64)
    before = np.zeros(most + 1, np.int64)
    room = key_room(most, by)
    keys = room.keys
    places = room.places
    slots = room.counts.size
    ends = np.empty(slots, np.int32)
    covered = np.empty(slots, np.int64)
    joined = most if which_repeats == JOINED else 0
    letters = np.empty(2 * joined + SPARE, np.uint8)
    begins = np.zeros(joined + 1, np.int64)
    chosen = np.empty(joined, np.uint8)
    at = np.empty(joined + 1, np.int32)
    for d in range(offsets.size - 1):
        if joined:
            words = join_words(data, offsets[d], offsets[d + 1], scan, letters, begins, before)
            _hash_joined(letters, begins, words, hashes)
        else:
            words = _hash_words(data, offsets[d], offsets[d + 1], scan, hashes, before)
        characters[d] = before[words]
        for k in range(words):
            keys[k] = hashes[k]
            places[k] = k
        grams = words
        for size in range(2, min(_LARGEST_TOP if joined else _LARGEST, words) + 1):
            grams = _lengthen(keys, places, grams, hashes, size)
            grams = sieve(room, grams)
            grams = count_keys(room, grams)
            if size > _LARGEST_TOP:
                repeated[d, size - 5] = _repeats(room, grams, size, before, which_repeats)
                for k in range(words - size + 1 if which_repeats == COPIES else 0):
                    every[d, size - 5] += before[k + size] - before[k]
            elif grams == 0 and which_top == FIRST:
                top[d, size - 2] = before[size] + joint[d] * (size - 1)
            elif which_top == COVERING:
                top[d, size - 2] = _covered(room, grams, size, before, ends, covered)
            else:
                top[d, size - 2] = _times(room, grams, size, before, which_top, joint[d])
        if joined:
            count_joined(letters, begins, before, words, room, chosen, at, repeated[d])
