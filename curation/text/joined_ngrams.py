"""Repeated n-grams as datatrove counts them: runs of letters that repeat, passed over from left to right.

An n-gram is the text of its words without anything between them, so that "a bc" and "ab c" are one. The document is
walked from its first word on: an n-gram seen before counts whole and the walk goes on after it; another is noted, and
the walk goes on one word later. No character counts twice, and an n-gram that begins inside a repeated one is not seen.

Equal n-grams begin with the same letters, or are short. So most places are ruled out by the letters that follow them,
once for all sizes. N documents, W words and L bytes of words in one document.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from curation.text.blocks import REACH, address_of
from curation.text.buffers import Bytes, Indices, text_buffers
from curation.text.compiled import (
    BYTES,
    INDICES,
    OUT_BYTES,
    OUT_INT32,
    OUT_INT64,
    OUT_INT64_2D,
    OUT_UINT64,
    Int,
    kernel,
)
from curation.text.hashing import Hashes
from curation.text.keys import Places, count_keys, sieve, table_size
from curation.text.ngrams import REPEATED, most_words
from curation.text.words import AT, BOUNDS, END, SCAN, begin_words, next_words, sketch, span_hash

_FEWEST = REPEATED[0]  # words
_PREFIX = 16  # bytes, of which `sketch` sees all


def count_joined_ngrams(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """int64[N, 6]: characters in n-grams of 5 to 10 words that were seen before, without whitespace between words."""
    data, offsets = text_buffers(array)
    repeated = np.zeros((len(offsets) - 1, len(REPEATED)), np.int64)
    _count_joined_ngrams(data, offsets, repeated)
    return repeated


@kernel(
    types.int64(
        BYTES, types.int64, types.int64, OUT_INT64, OUT_INT64, OUT_INT64, OUT_BYTES, OUT_BYTES, OUT_INT64, OUT_INT64
    )
)
def _join_words(
    data: Bytes,
    start: int,
    stop: int,
    scan: Indices,
    bounds: Indices,
    marks: Indices,
    pad: Bytes,
    letters: Bytes,
    begins: Indices,
    before: Indices,
) -> int:
    """Words W of data[start:stop] one after the other as `letters` uint8[L]; the bytes and the characters before each,
    both int64[W + 1]."""
    words, to = 0, 0
    begin_words(scan, start, stop)
    while scan[AT] < scan[END]:
        for word in range(next_words(data, scan, bounds, marks, pad)):
            for at in range(bounds[2 * word], bounds[2 * word + 1]):
                letters[to] = data[at]
                to += 1
            before[words + 1] = before[words] + marks[2 * word + 1] - marks[2 * word]
            words += 1
            begins[words] = to
    return words


@kernel(types.int64(OUT_BYTES, OUT_INT64, types.int64, OUT_UINT64, OUT_INT32, OUT_BYTES, OUT_BYTES, OUT_INT32))
def _candidates(
    letters: Bytes, begins: Indices, words: int, keys: Hashes, places: Places, seen: Bytes, chosen: Bytes, found: Places
) -> Int:
    """Words at which an n-gram may begin that occurs twice, in order; how many there are.

    Those that begin with the same bytes as another one, and those too short to have that many.
    """
    base, longer = address_of(letters), 0
    for k in range(words):
        short = begins[min(k + _FEWEST, words)] - begins[k] < _PREFIX
        chosen[k] = short
        if begins[k] + _PREFIX <= begins[words]:
            keys[longer], places[longer] = sketch(base, begins[k], begins[k] + _PREFIX, letters.size), k
            longer += 1
    for k in range(sieve(keys, places, longer, seen)):
        chosen[places[k]] = 1
    count: Int = 0
    for k in range(words):
        found[count] = k
        count += np.int64(chosen[k])
    return count


@kernel(types.int64(OUT_INT32, OUT_INT32, types.int64, types.int64, OUT_INT64, OUT_INT32))
def _walk(numbers: Places, places: Places, grams: int, size: int, before: Indices, counts: Places) -> int:
    """Characters in n-grams seen before. A negative count marks one that has been seen."""
    free, inside = 0, 0
    for k in range(grams):
        number, place = numbers[k], places[k]
        if place < free:
            continue
        if counts[number] < 0:
            inside += before[place + size] - before[place]
            free = place + size
        else:
            counts[number] = -counts[number]
    return inside


@kernel(types.void(BYTES, INDICES, OUT_INT64_2D))
def _count_joined_ngrams(data: Bytes, offsets: Indices, repeated: npt.NDArray[np.int64]) -> None:
    most = most_words(offsets)
    scan, bounds, marks = np.zeros(SCAN, np.int64), np.zeros(BOUNDS, np.int64), np.zeros(BOUNDS, np.int64)
    pad, letters, chosen = np.zeros(REACH, np.uint8), np.empty(2 * most, np.uint8), np.empty(most, np.uint8)
    begins, before, at = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.empty(most + 1, np.int32)
    keys, places, numbers = np.empty(most, np.uint64), np.empty(most, np.int32), np.empty(most, np.int32)
    table, base = table_size(most), address_of(letters)
    seen, slots, counts = np.empty(4 * table, np.uint8), np.empty(table, np.uint64), np.empty(table, np.int32)
    for d in range(offsets.size - 1):
        words = _join_words(data, offsets[d], offsets[d + 1], scan, bounds, marks, pad, letters, begins, before)
        candidates = _candidates(letters, begins, words, keys, places, seen, chosen, at) if words > _FEWEST else 0
        for size in range(_FEWEST, _FEWEST + repeated.shape[1]):
            grams = 0
            for k in range(candidates):
                if at[k] + size > words:
                    break
                keys[k], places[k] = sketch(base, begins[at[k]], begins[at[k] + size], letters.size), at[k]
                grams += 1
            grams = sieve(keys, places, grams, seen)
            for k in range(grams):
                keys[k] = span_hash(base, begins[places[k]], begins[places[k] + size], letters.size)
            grams = count_keys(keys, places, grams, numbers, slots, counts)
            repeated[d, size - _FEWEST] = _walk(numbers, places, grams, size, before, counts)
