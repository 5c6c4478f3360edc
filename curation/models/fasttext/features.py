"""The features of texts as fastText sees them, and the mean of their vectors.

A token is a run of bytes without ASCII whitespace; its features are its own row, where it is a known word, and the rows
of the character n-grams of "<token>"; after them come n-grams of words; a text ends with the token "</s>". A token's
rows are added up before they are added to the text's, so that the sum of a token that comes again is known already;
that differs from fastText's order of addition, by rounding alone. Where a text itself has the token "</s>", fastText
reads no further; here it is passed over, as labels are.

N documents, S spans, R rows, D dimensions, W words, B buckets of n-grams.
"""

from typing import Any, NamedTuple

import numpy as np

from curation.models.fasttext.model_file import Matrix, Rows
from curation.models.fasttext.tokens import BASIS, blank, extend, is_marker, word_hash
from curation.models.text_windows import Windows
from curation.text.kernels.blocks import address_of
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.views import read_only
from curation.text.matches import Bools
from curation.text.phrases.string_set import Entries, find
from curation.text.words import span_hash

_OPEN, _CLOSE = np.uint8(ord("<")), np.uint8(ord(">"))
_WORD_STEP = np.uint64(116049371)
_END_HASH = np.uint32(3617362777)  # of "</s>"
_CACHE_BITS = 12  # of tokens whose sum is kept: 0.3 MB for 16 dimensions, and so in a core's own cache
_QUEUE = 256  # n-grams whose rows are added together


class Features(NamedTuple):
    """The rows of a model: those of its words come first, in their order. `end` is the row of "</s>", -1 for none."""

    words: Entries
    end: int
    least: int  # characters of an n-gram
    most: int
    most_words: int  # of an n-gram of words
    present: Bytes  # a bit per bucket: whether it has a row
    buckets: Rows  # int32[B]: the row of each, -1 for none
    rows: Matrix  # float32[R, D]


class _Cache(NamedTuple):
    """What is known of tokens seen before, and room to work in. C places."""

    known: Out[Hashes]  # uint64[C]: a token's hash, 0 in an empty place
    counts: Out[Indices]  # int64[C]: how many rows the token has
    sums: Out[Matrix]  # float32[C, D]: their sum
    queue: Out[Indices]  # int64[_QUEUE and more]: buckets whose rows are added next
    running: Out[Hashes]  # uint64[most_words]


@kernel
def _add(sums: Out[Matrix], to: Int, rows: Matrix, row: Int) -> None:
    for k in range(rows.shape[1]):
        sums[to, k] += rows[row, k]


@kernel
def _scale(sums: Out[Matrix], to: Int, factor: np.float32) -> None:
    for k in range(sums.shape[1]):
        sums[to, k] *= factor


@kernel
def _add_ngrams(
    data: Bytes, start: Int, stop: Int, model: Features, sums: Out[Matrix], to: Int, queue: Out[Indices]
) -> Int:
    """Add the rows of the n-grams of "<token>", never "<" or ">" alone; how many were added.

    Most n-grams of a compressed model have no row, so a bit per bucket is asked first, without a branch; the remainder
    is a product, as a division takes several times as long.
    """
    least, most, present, buckets, rows = model.least, model.most, model.present, model.buckets, model.rows
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


@kernel
def _add_word_ngrams(
    seen: Int, word: np.uint32, model: Features, sums: Out[Matrix], to: Int, running: Out[Hashes]
) -> Int:
    """Add the rows of the n-grams that end with the text's word number `seen`, given by hash; how many were added.

    running[i mod size] is the hash of the n-gram that began with word i.
    """
    added, latest = 0, np.uint64(np.int64(np.int32(word)))
    for back in range(1, min(seen, running.size - 1) + 1):
        slot = (seen - back) % running.size
        running[slot] = running[slot] * _WORD_STEP + latest
        row = model.buckets[np.int64(running[slot] % np.uint64(model.buckets.size))]
        if row >= 0:
            _add(sums, to, model.rows, row)
            added += 1
    running[seen % running.size] = latest
    return added


@kernel
def _add_end(seen: Int, model: Features, sums: Out[Matrix], to: Int, running: Out[Hashes]) -> Int:
    """Add the rows of the token "</s>"; how many were added."""
    added: Int = 0
    if model.end >= 0:
        _add(sums, to, model.rows, model.end)
        added += 1
    if running.size > 1:
        added += _add_word_ngrams(seen, _END_HASH, model, sums, to, running)
    return added


@kernel
def _sum_token(
    data: Bytes, start: Int, stop: Int, model: Features, sums: Out[Matrix], to: Int, queue: Out[Indices]
) -> Int:
    """Set sums[to] to the sum of the token's rows; how many they are."""
    sums[to, :] = 0
    word = find(data, start, stop, model.words)
    if word >= 0:
        _add(sums, to, model.rows, word)
    added: Int = 0
    if model.most > 0:
        added = _add_ngrams(data, start, stop, model, sums, to, queue)
    return added + (word >= 0)


def mean_vectors(texts: Windows, model: Features) -> tuple[Matrix, Bools]:
    """(float32[N, D], bool[N]): the mean of each text's rows, its windows one line, and whether it has any token."""
    documents, dimensions, places = len(texts.first) - 1, model.rows.shape[1], 1 << _CACHE_BITS
    vectors, found = np.zeros((documents, dimensions), np.float32), np.zeros(documents, np.bool_)
    cache = _Cache(
        np.zeros(places, np.uint64),
        np.empty(places, np.int64),
        np.empty((places, dimensions), np.float32),
        np.empty(_QUEUE + model.most, np.int64),
        np.zeros(model.most_words, np.uint64),
    )
    _fill(read_only(texts), read_only(model), cache, vectors, found)
    return vectors, found


@kernel
def _fill(texts: Windows, model: Features, cache: _Cache, vectors: Out[Matrix], found: Out[Bools]) -> None:
    """Fill `vectors`, which come as zeros, and `found`."""
    data, starts, stops, first = texts
    known, counts, sums, queue, running = cache
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
                key = span_hash(address_of(data), begin, at, data.size) | np.uint64(1)  # 0 is an empty place
                place = np.int64(key >> np.uint64(64 - _CACHE_BITS))
                if known[place] != key:
                    known[place] = key
                    counts[place] = _sum_token(data, begin, at, model, sums, place, queue)
                _add(vectors, document, sums, place)
                features += counts[place]
                if model.most_words > 1:
                    word = word_hash(data, begin, at)
                    features += _add_word_ngrams(seen, word, model, vectors, document, running)
                seen += 1
        found[document] = seen > 0
        features += _add_end(seen, model, vectors, document, running)
        _scale(vectors, document, np.float32(1.0 / max(features, 1)))
