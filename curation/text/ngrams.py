"""How much of a text repeats itself: repeated lines and paragraphs, and n-grams of words.

A repeat is a copy of something that came earlier in the same text: of k equal lines, k - 1 are repeats. Shares of
characters count every character once, however many n-grams hold it, and leave out the whitespace between words, in the
numerator and in the denominator alike, so that all shares lie in [0, 1].

N documents, S spans, W words of one document. Words are equal when their 64-bit hashes are. An n-gram is a pair of
(n - 1)-grams, one word apart, and gets its number from the pair of theirs; as an n-gram that occurs twice consists of
(n - 1)-grams that occur twice, only those are looked at, so that ordinary text costs little more for ten words than
for two.
"""

import numpy as np
import numpy.typing as npt
from numba import types

from curation.text.buffers import Indices
from curation.text.compiled import HASHES, INDICES, OUT_FLOAT64_2D, OUT_INT32, OUT_INT64, OUT_UINT64, kernel
from curation.text.hashing import Hashes
from curation.text.spans import Spans

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]

SMALLEST, LARGEST = 2, 10  # words in an n-gram
_SIZES = LARGEST - SMALLEST + 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def repeat_shares(spans: Spans) -> tuple[Floats, Floats]:
    """(float64[N], float64[N]): share of spans that repeat an earlier one, and of the characters in spans they hold.

    Both are 0 for a document without spans.
    """
    shares = np.zeros((len(spans.first) - 1, 2), np.float64)
    _repeat_shares(spans.hashes(), spans.characters, spans.first, shares)
    return shares[:, 0], shares[:, 1]


def ngram_shares(words: Spans) -> tuple[Floats, Floats]:
    """(float64[N, 9], float64[N, 9]): two shares of the words' characters for n-grams of 2 to 10 words, column n - 2.

    First the share inside occurrences of the most frequent n-gram; among equally frequent ones, of that which covers
    most; 0 where no n-gram occurs twice. Second the share inside n-grams that occurred before in the document.
    """
    top = np.zeros((len(words.first) - 1, _SIZES), np.float64)
    repeated = np.zeros_like(top)
    _ngram_shares(words.hashes(), words.characters, words.first, top, repeated)
    return top, repeated


@kernel(types.int64(types.int64))
def _table_size(keys: int) -> int:
    """A power of two, at least twice the number of keys."""
    size = 16
    while size < 2 * keys:
        size *= 2
    return size


@kernel(types.int64(HASHES, types.int64, OUT_INT32, OUT_UINT64, OUT_INT32))
def number_keys(keys: Hashes, count: int, slots: Numbers, distinct: Hashes, numbers: Numbers) -> int:
    """Number the first `count` keys by first occurrence, 0, 1, …, equal keys alike; how many differ.

    `numbers` int32[count] and `distinct` uint64[count] are filled; `slots` holds at least _table_size(count) numbers.
    """
    mask = _table_size(count) - 1
    slots[: mask + 1] = 0
    found = 0
    for k in range(count):
        key = keys[k]
        mixed = (key ^ key >> np.uint64(32)) * _GOLDEN
        at = np.int64(mixed >> np.uint64(32)) & mask
        while slots[at] != 0 and distinct[slots[at] - 1] != key:
            at = (at + 1) & mask
        if slots[at] == 0:
            distinct[found] = key
            found += 1
            slots[at] = found
        numbers[k] = slots[at] - 1
    return found


@kernel(types.int64(INDICES))
def _largest(first: Indices) -> int:
    """Spans in the document that has most."""
    largest = 0
    for document in range(first.size - 1):
        largest = max(largest, first[document + 1] - first[document])
    return largest


@kernel(types.void(HASHES, INDICES, INDICES, OUT_FLOAT64_2D))
def _repeat_shares(hashes: Hashes, characters: Indices, first: Indices, shares: Floats) -> None:
    most = _largest(first)
    slots, numbers = np.empty(_table_size(most), np.int32), np.empty(most, np.int32)
    distinct = np.empty(most, np.uint64)
    for document in range(first.size - 1):
        start, stop = first[document], first[document + 1]
        number_keys(hashes[start:stop], stop - start, slots, distinct, numbers)
        seen, repeats, inside, total = 0, 0, 0, 0
        for k in range(stop - start):
            length = characters[start + k]
            total += length
            if numbers[k] == seen:
                seen += 1
            else:
                repeats += 1
                inside += length
        if total:
            shares[document, 0] = repeats / (stop - start)
            shares[document, 1] = inside / total


@kernel(types.int64(OUT_UINT64, OUT_INT32, OUT_INT32, types.int64))
def _pair_up(keys: Hashes, numbers: Numbers, positions: Numbers, grams: int) -> int:
    """Where two (n - 1)-grams begin one word apart, make a key of their numbers; how many there are."""
    pairs = 0
    for k in range(grams - 1):
        if positions[k + 1] == positions[k] + 1:
            keys[pairs] = np.uint64(numbers[k]) << np.uint64(32) | np.uint64(numbers[k + 1])
            positions[pairs] = positions[k]
            pairs += 1
    return pairs


@kernel(types.void(OUT_INT32, types.int64, types.int64, OUT_INT32))
def _count(numbers: Numbers, grams: int, distinct: int, counts: Numbers) -> None:
    counts[:distinct] = 0
    for k in range(grams):
        counts[numbers[k]] += 1


@kernel(types.int64(OUT_INT32, OUT_INT32, types.int64, OUT_INT32))
def _drop_single(numbers: Numbers, positions: Numbers, grams: int, counts: Numbers) -> int:
    """Keep the grams that occur more than once, in order; how many there are."""
    kept = 0
    for k in range(grams):
        if counts[numbers[k]] > 1:
            numbers[kept], positions[kept] = numbers[k], positions[k]
            kept += 1
    return kept


@kernel(types.int64(OUT_INT32, OUT_INT32, types.int64, types.int64, OUT_INT64))
def _repeats(numbers: Numbers, positions: Numbers, grams: int, size: int, before: Indices) -> int:
    """Characters inside grams of `size` words that occurred before."""
    seen, end, inside = 0, 0, 0
    for k in range(grams):
        if numbers[k] == seen:
            seen += 1
            continue
        stop = positions[k] + size
        inside += before[stop] - before[max(end, positions[k])]
        end = stop
    return inside


@kernel(
    types.int64(OUT_INT32, OUT_INT32, types.int64, types.int64, OUT_INT64, OUT_INT32, types.int64, OUT_INT32, OUT_INT64)
)
def _top(
    numbers: Numbers,
    positions: Numbers,
    grams: int,
    size: int,
    before: Indices,
    counts: Numbers,
    distinct: int,
    ends: Numbers,
    covered: Indices,
) -> int:
    """Characters inside the most frequent gram of `size` words; the most of any that is so frequent."""
    highest = 0
    for number in range(distinct):
        ends[number], covered[number] = 0, 0
        highest = max(highest, counts[number])
    for k in range(grams):
        number, stop = numbers[k], positions[k] + size
        if counts[number] == highest:
            covered[number] += before[stop] - before[max(ends[number], positions[k])]
            ends[number] = stop
    most = 0
    for number in range(distinct):
        most = max(most, covered[number])
    return most


@kernel(types.void(HASHES, INDICES, INDICES, OUT_FLOAT64_2D, OUT_FLOAT64_2D))
def _ngram_shares(hashes: Hashes, characters: Indices, first: Indices, top: Floats, repeated: Floats) -> None:
    most = _largest(first)
    slots, distinct = np.empty(_table_size(most), np.int32), np.empty(most, np.uint64)
    keys, numbers, positions = np.empty(most, np.uint64), np.empty(most, np.int32), np.empty(most, np.int32)
    counts, ends, covered = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int64)
    before = np.zeros(most + 1, np.int64)
    for document in range(first.size - 1):
        start, words = first[document], first[document + 1] - first[document]
        for k in range(words):
            keys[k], positions[k] = hashes[start + k], k
            before[k + 1] = before[k] + characters[start + k]
        grams = words
        for size in range(1, LARGEST + 1):
            if size > 1:
                grams = _pair_up(keys, numbers, positions, grams)
            distinct_grams = number_keys(keys, grams, slots, distinct, numbers)
            _count(numbers, grams, distinct_grams, counts)
            if size >= SMALLEST and distinct_grams < grams:
                most_covered = _top(numbers, positions, grams, size, before, counts, distinct_grams, ends, covered)
                top[document, size - SMALLEST] = most_covered / before[words]
                repeated[document, size - SMALLEST] = _repeats(numbers, positions, grams, size, before) / before[words]
            grams = _drop_single(numbers, positions, grams, counts)
            if grams == 0:
                break
