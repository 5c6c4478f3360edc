"""The features of texts as fastText sees them, and the mean of their vectors.

A token is a run of bytes without ASCII whitespace; its features are its own row, where it is a known word, and the rows
of the character n-grams of "<token>"; after them come n-grams of words; a text ends with the token "</s>". A token's
rows are added up before they are added to the text's, so that the sum of a token that comes again is known already;
that differs from fastText's order of addition, by rounding alone. Where a text itself has the token "</s>", fastText
reads no further; here it is passed over, as labels are.

N documents, S spans, R rows, D dimensions, W words, B buckets of n-grams.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from curation.models.fasttext.model_file import Matrix, Rows
from curation.models.fasttext.tokens import BASIS, SPAN, blank, extend, find_word, is_marker, word_hash
from curation.models.text_windows import Windows
from curation.text.kernels.blocks import address_of
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import BYTES, INDICES, OUT_BOOLS, OUT_INT64, OUT_UINT64, Int, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.views import unowned
from curation.text.words import span_hash

_MATRIX: Any = types.Array(types.float32, 2, "C", readonly=True)
_OUT_MATRIX: Any = types.Array(types.float32, 2, "C")
_ROWS: Any = types.Array(types.int32, 1, "C", readonly=True)
_SIZES: Any = types.UniTuple(types.int64, 4)  # type: ignore[no-untyped-call]

_OPEN, _CLOSE = np.uint8(ord("<")), np.uint8(ord(">"))
_WORD_STEP = np.uint64(116049371)
_END_HASH = np.uint32(3617362777)  # of "</s>"
_CACHE_BITS = 12  # of tokens whose sum is kept: 0.3 MB for 16 dimensions, and so in a core's own cache
_QUEUE = 256  # n-grams whose rows are added together


@kernel(types.void(_OUT_MATRIX, types.int64, _MATRIX, types.int64))
def _add(sums: Matrix, to: Int, rows: Matrix, row: Int) -> None:
    for k in range(rows.shape[1]):
        sums[to, k] += rows[row, k]


@kernel(types.void(_OUT_MATRIX, types.int64, types.float32))
def _scale(sums: Matrix, to: Int, factor: np.float32) -> None:
    for k in range(sums.shape[1]):
        sums[to, k] *= factor


@kernel(types.int64(*SPAN, types.int64, types.int64, BYTES, _ROWS, _MATRIX, _OUT_MATRIX, types.int64, OUT_INT64))
def _add_ngrams(
    data: Bytes,
    start: Int,
    stop: Int,
    least: Int,
    most: Int,
    present: Bytes,
    buckets: Rows,
    rows: Matrix,
    sums: Matrix,
    to: Int,
    queue: Indices,
) -> Int:
    """Add the rows of the n-grams of "<token>", never "<" or ">" alone; how many were added.

    Most n-grams of a compressed model have no row, so a bit per bucket is asked first, without a branch; the remainder
    is a product, as a division takes several times as long.
    """
    count, inverse = np.int64(buckets.size), 1.0 / max(buckets.size, 1)
    added, pending, begin = 0, 0, start - 1
    while begin <= stop:
        state, at, characters, second = BASIS, begin, 0, begin
        while characters < most and at <= stop:
            byte: Any = _OPEN if at < start else _CLOSE if at == stop else data[at]
            state = extend(state, byte)
            at += 1
            while start <= at < stop and data[at] & 0xC0 == 0x80:
                state = extend(state, data[at])
                at += 1
            characters += 1
            second = at if characters == 1 else second
            if characters >= least and not (characters == 1 and (begin < start or begin == stop)):
                rest = np.int64(state) - np.int64(np.float64(state) * inverse) * count
                rest += count & (rest >> 63)
                rest -= count & ~((rest - count) >> 63)
                queue[pending] = rest
                pending += (present[rest >> 3] >> (rest & 7)) & 1
        begin = second
        if begin > stop or pending >= _QUEUE:
            for k in range(pending):
                _add(sums, to, rows, buckets[queue[k]])
            added, pending = added + pending, 0
    return added


@kernel(types.int64(types.int64, types.uint32, _ROWS, _MATRIX, _OUT_MATRIX, types.int64, OUT_UINT64))
def _add_word_ngrams(
    seen: Int, word: np.uint32, buckets: Rows, rows: Matrix, sums: Matrix, to: Int, running: npt.NDArray[np.uint64]
) -> Int:
    """Add the rows of the n-grams that end with the text's word number `seen`, given by hash; how many were added.

    running[i mod size] is the hash of the n-gram that began with word i.
    """
    added, latest = 0, np.uint64(np.int64(np.int32(word)))
    for back in range(1, min(seen, running.size - 1) + 1):
        slot = (seen - back) % running.size
        running[slot] = running[slot] * _WORD_STEP + latest
        row = buckets[np.int64(running[slot] % np.uint64(buckets.size))]
        if row >= 0:
            _add(sums, to, rows, row)
            added += 1
    running[seen % running.size] = latest
    return added


@kernel(types.int64(types.int64, types.int64, _ROWS, _MATRIX, _OUT_MATRIX, types.int64, OUT_UINT64))
def _add_end(seen: Int, end: Int, buckets: Rows, rows: Matrix, sums: Matrix, to: Int, running: Hashes) -> Int:
    """Add the rows of the token "</s>", which has row `end`; how many were added."""
    added: Int = 0
    if end >= 0:
        _add(sums, to, rows, end)
        added += 1
    if running.size > 1:
        added += _add_word_ngrams(seen, _END_HASH, buckets, rows, sums, to, running)
    return added


_MODEL = (BYTES, INDICES, INDICES, _SIZES, BYTES, _ROWS, _MATRIX)


@kernel(types.int64(*SPAN, *_MODEL, _OUT_MATRIX, types.int64, OUT_INT64))
def _sum_token(
    data: Bytes,
    start: Int,
    stop: Int,
    words: Bytes,
    offsets: Indices,
    table: Indices,
    sizes: tuple[Int, Int, Int, Int],
    present: Bytes,
    buckets: Rows,
    rows: Matrix,
    sums: Matrix,
    to: Int,
    queue: Indices,
) -> Int:
    """Set sums[to] to the sum of the token's rows; how many they are."""
    sums[to, :] = 0
    word = find_word(data, start, stop, words, offsets, table)
    if word >= 0:
        _add(sums, to, rows, word)
    added: Int = 0
    if sizes[1] > 0:
        added = _add_ngrams(data, start, stop, sizes[0], sizes[1], present, buckets, rows, sums, to, queue)
    return added + (word >= 0)


def mean_vectors(
    texts: Windows,
    words: tuple[Bytes, Indices, Indices],
    sizes: tuple[int, int, int, Int],
    grams: tuple[Bytes, Rows, Matrix],
) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """(float32[N, D], bool[N]): the mean of each text's rows, and whether it has any token; its windows are one line.

    `words` are the known words, their offsets and their table (see `fasttext_words`); `sizes` least and most characters
    of an n-gram, most words of one, and the row of "</s>"; `grams` a bit for each of the buckets that has a row, the
    row of each bucket, and the rows.
    """
    documents, dimensions, slots = len(texts.first) - 1, grams[2].shape[1], 1 << _CACHE_BITS
    vectors, found = np.zeros((documents, dimensions), np.float32), np.zeros(documents, np.bool_)
    known, counts = np.zeros(slots, np.uint64), np.empty(slots, np.int64)
    sums, queue = np.empty((slots, dimensions), np.float32), np.empty(_QUEUE + sizes[1], np.int64)
    spans = (texts.data, texts.starts, texts.stops, texts.first)
    _fill(*spans, *words, sizes, *grams, known, counts, sums, queue, np.zeros(sizes[2], np.uint64), vectors, found)
    return vectors, found


_SCRATCH = (OUT_UINT64, OUT_INT64, _OUT_MATRIX, OUT_INT64, OUT_UINT64)


@kernel(types.void(BYTES, INDICES, INDICES, INDICES, *_MODEL, *_SCRATCH, _OUT_MATRIX, OUT_BOOLS))
def _fill(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    first: Indices,
    words: Bytes,
    offsets: Indices,
    table: Indices,
    sizes: tuple[int, int, int, Int],
    present: Bytes,
    buckets: Rows,
    rows: Matrix,
    known: Hashes,
    counts: Indices,
    sums: Matrix,
    queue: Indices,
    running: Hashes,
    vectors: Matrix,
    found: npt.NDArray[np.bool_],
) -> None:
    """Fill `vectors`, which come as zeros, and `found`; see `_fill_text` for the others."""
    data, words, offsets, table = unowned(data), unowned(words), unowned(offsets), unowned(table)
    present, buckets, rows, vectors = unowned(present), unowned(buckets), unowned(rows), unowned(vectors)
    known, counts, sums, queue = unowned(known), unowned(counts), unowned(sums), unowned(queue)
    for document in range(first.size - 1):
        features, seen = 0, 0
        for span in range(first[document], first[document + 1]):
            at, stop = starts[span], stops[span]
            while at < stop:
                begin = at
                while at < stop and not blank(data[at]):
                    at += 1
                if begin == at or is_marker(data, begin, at):
                    at += 1
                    continue
                key = span_hash(address_of(data), begin, at, data.size) | np.uint64(1)  # 0 is an empty slot
                slot = np.int64(key >> np.uint64(64 - _CACHE_BITS))
                if known[slot] != key:
                    known[slot] = key
                    counts[slot] = _sum_token(
                        data, begin, at, words, offsets, table, sizes, present, buckets, rows, sums, slot, queue
                    )
                _add(vectors, document, sums, slot)
                features += counts[slot]
                if sizes[2] > 1:
                    word = word_hash(data, begin, at)
                    features += _add_word_ngrams(seen, word, buckets, rows, vectors, document, running)
                seen += 1
        found[document] = seen > 0
        features += _add_end(seen, sizes[3], buckets, rows, vectors, document, running)
        _scale(vectors, document, np.float32(1.0 / max(features, 1)))
