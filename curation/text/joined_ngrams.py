"""Repeated n-grams as datatrove counts them.

An n-gram is its words put together without spaces, so "a bc" and "ab c" are the same. The document is walked from left
to right: an n-gram that was seen before counts whole and the walk continues after it; any other is noted and the walk
continues at the next word. So no character counts twice, and n-grams that begin inside a repeated one are not noted.

Equal n-grams are short or begin with the same letters. The letters after each word therefore rule out most places, once
for all sizes. W words and L bytes of words in one document.
"""

import numpy as np

from curation.text.duplicate_keys import KeyRoom, Places, count_keys, sieve
from curation.text.kernels.blocks import eight_bytes
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of, store8
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.words import WordScan, begin_words, more_words, next_words, sketch, span_hash

FEWEST = 5  # words
SPARE = 8  # bytes of `letters` beyond the longest document
_PREFIX = 16  # bytes, of which `sketch` sees all


@kernel
def join_words(
    data: Bytes, start: int, stop: int, scan: WordScan, letters: Out[Bytes], begins: Out[Indices], before: Out[Indices]
) -> int:
    """Write the words of data[start:stop] to `letters` uint8[L], and the bytes and the characters before each to
    `begins` and `before`, int64[W + 1]. Returns W. Writes eight bytes at once: up to 7 after the last word change."""
    words = 0
    to = 0
    base = address_of(data)
    target = address_of(letters)
    bounds = scan.bounds
    marks = scan.marks
    begin_words(scan, start, stop)
    while more_words(scan):
        for word in range(next_words(data, scan)):
            at = bounds[2 * word]
            length = bounds[2 * word + 1] - bounds[2 * word]
            k = 0
            while k < length:
                left = min(length - k, 8)
                k += store8(target + np.uint64(to + k), eight_bytes(base, at + k, left, data.size))
            to += length
            before[words + 1] = before[words] + marks[2 * word + 1] - marks[2 * word]
            words += 1
            begins[words] = to
    return words


@kernel
def _candidates(
    letters: Out[Bytes], begins: Out[Indices], words: int, room: KeyRoom, chosen: Out[Bytes], candidates: Out[Places]
) -> Int:
    """The words at which an n-gram that occurs twice may begin, in order. Returns how many.

    They are followed by the same bytes as another word, or by too few bytes to tell.
    """
    keys = room.keys
    places = room.places
    base = address_of(letters)
    longer = 0
    for k in range(words):
        short = begins[min(k + FEWEST, words)] - begins[k] < _PREFIX
        chosen[k] = short
        if begins[k] + _PREFIX <= begins[words]:
            keys[longer] = sketch(base, begins[k], begins[k] + _PREFIX, letters.size)
            places[longer] = k
            longer += 1
    for k in range(sieve(room, longer)):
        chosen[places[k]] = 1
    count: Int = 0
    for k in range(words):
        candidates[count] = k
        count += np.int64(chosen[k])
    return count


@kernel
def _walk(room: KeyRoom, grams: int, size: int, before: Out[Indices]) -> int:
    """Characters in n-grams seen before. A negative count marks an n-gram that has been seen."""
    numbers = room.numbers
    places = room.places
    counts = room.counts
    free = 0
    inside = 0
    for k in range(grams):
        number = numbers[k]
        place = places[k]
        if place < free:
            continue
        if counts[number] < 0:
            inside += before[place + size] - before[place]
            free = place + size
        else:
            counts[number] = -counts[number]
    return inside


@kernel
def count_joined(
    letters: Out[Bytes],
    begins: Out[Indices],
    before: Out[Indices],
    words: int,
    room: KeyRoom,
    chosen: Out[Bytes],
    at: Out[Places],
    repeated: Out[Indices],
) -> None:
    """Fill `repeated` with the characters in n-grams seen before: repeated[k] is for n = FEWEST + k."""
    keys = room.keys
    places = room.places
    base = address_of(letters)
    candidates = _candidates(letters, begins, words, room, chosen, at) if words > FEWEST else 0
    for size in range(FEWEST, FEWEST + repeated.size):
        grams = 0
        for k in range(candidates):
            if at[k] + size > words:
                break
            keys[k] = sketch(base, begins[at[k]], begins[at[k] + size], letters.size)
            places[k] = at[k]
            grams += 1
        grams = sieve(room, grams)
        for k in range(grams):
            keys[k] = span_hash(base, begins[places[k]], begins[places[k] + size], letters.size)
        grams = count_keys(room, grams)
        repeated[size - FEWEST] = _walk(room, grams, size, before)
