"""The features of texts as in fastText, and the mean of their vectors.

A token is a run of bytes without ASCII whitespace. Its features are its own row, if it is a known word, the rows of the
character n-grams of "<token>", and the n-grams of words that end with it. The token "</s>" is added to every text. A
token's rows are summed first and the sum is cached; results differ from fastText's order of addition only by rounding.
At a token "</s>" in a text fastText stops reading; here it is skipped, as labels are.

N documents, S spans, R rows, D dimensions, W words, B buckets of n-grams.
"""

from typing import Any, NamedTuple

import numpy as np

from curation.models.fasttext.model_file import Matrix, Rows
from curation.models.text_windows import Windows
from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of
from curation.text.kernels.compiler.kernel import Byte, Int, Out, kernel, read_only
from curation.text.kernels.hashing import Hashes
from curation.text.matches import Bools
from curation.text.phrases.string_set import Entries, find
from curation.text.words import span_hash

_BASIS = np.uint32(2166136261)
_PRIME = np.uint32(16777619)
_LABEL = np.frombuffer(b"__label__", np.uint8)
END = np.frombuffer(b"</s>", np.uint8)
_OPEN = np.uint8(ord("<"))
_CLOSE = np.uint8(ord(">"))
WORD_STEP = np.uint64(116049371)
END_HASH = np.uint32(3617362777)  # of "</s>"
_ONE = np.uint64(1)
_CACHE_BITS = 12  # of the cached tokens: 0.3 MB for 16 dimensions, which fits into a core's own cache
_QUEUE = 256  # n-grams whose rows are added together


class Features(NamedTuple):
    """The rows of a model, first those of its words in order. `end` is the row of "</s>", -1 for none."""

    words: Entries
    end: int
    least: int  # characters of an n-gram
    most: int
    most_words: int  # of an n-gram of words
    present: Bytes  # a bit per bucket: whether it has a row
    buckets: Rows  # int32[B]: the row of each, -1 for none
    rows: Matrix  # float32[R, D]


class _Cache(NamedTuple):
    """Sums of tokens seen before, and scratch arrays. C places."""

    known: Out[Hashes]  # uint64[C]: a token's hash, 0 in an empty place
    counts: Out[Indices]  # int64[C]: how many rows the token has
    sums: Out[Matrix]  # float32[C, D]: their sum
    queue: Out[Indices]  # int64[_QUEUE and more]: buckets whose rows are added next
    running: Out[Hashes]  # uint64[most_words]


@kernel
def _extend(state: np.uint32, byte: Byte) -> np.uint32:
    """One step of fastText's 32-bit FNV-1a, in which a byte is a signed number."""
    return np.uint32((state ^ np.uint32(np.int32(np.int8(byte)))) * _PRIME)


@kernel
def word_hash(data: Bytes, start: Int, stop: Int) -> np.uint32:
    state = _BASIS
    for at in range(start, stop):
        state = _extend(state, data[at])
    return state


@kernel
def _blank(byte: Byte) -> bool:
    return bool(byte == 32 or 9 <= byte <= 13 or byte == 0)


@kernel
def is_marker(data: Bytes, start: Int, stop: Int) -> bool:
    """Whether fastText reads a token as a label or as the end of the text."""
    if data[start] == 95:  # an underline
        return stands_at(data, start, stop, _LABEL, 0, _LABEL.size)
    return bool(data[start] == 60 and stop - start == END.size and stands_at(data, start, stop, END, 0, END.size))


@kernel
def _add(sums: Out[Matrix], to: Int, rows: Matrix, row: Int) -> None:
    for k in range(rows.shape[1]):
        sums[to, k] += rows[row, k]


@kernel
def _add_ngrams(
    data: Bytes, start: Int, stop: Int, model: Features, sums: Out[Matrix], to: Int, queue: Out[Indices]
) -> Int:
    """Add the rows of the n-grams of "<token>", never "<" or ">" alone. Returns how many were added.

    Most n-grams of a compressed model have no row, so a bit per bucket is tested first, without a branch. The remainder
    is computed by a product, since a division takes several times as long.
    """
    least = model.least
    most = model.most
    present = model.present
    buckets = model.buckets
    rows = model.rows
    count = np.int64(buckets.size)
    inverse = 1.0 / max(buckets.size, 1)
    added = 0
    pending = 0
    begin = start - 1
    while begin <= stop:
        state = _BASIS
        at = begin
        characters = 0
        second = begin
        while characters < most and at <= stop:
            byte: Any = _OPEN if at < start else _CLOSE if at == stop else data[at]
            state = _extend(state, byte)
            at += 1
            while start <= at < stop and data[at] & 0xC0 == 0x80:
                state = _extend(state, data[at])
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
            added += pending
            pending = 0
    return added


@kernel
def _add_word_ngrams(
    seen: Int, word: np.uint32, model: Features, sums: Out[Matrix], to: Int, running: Out[Hashes]
) -> Int:
    """Add the rows of the n-grams that end with word number `seen` of the text, given by hash. Returns how many.

    running[i mod size] is the hash of the n-gram that begins with word i.
    """
    added = 0
    latest = np.uint64(np.int64(np.int32(word)))
    for back in range(1, min(seen, running.size - 1) + 1):
        slot = (seen - back) % running.size
        running[slot] = running[slot] * WORD_STEP + latest
        row = model.buckets[np.int64(running[slot] % np.uint64(model.buckets.size))]
        if row >= 0:
            _add(sums, to, model.rows, row)
            added += 1
    running[seen % running.size] = latest
    return added


@kernel
def _add_end(seen: Int, model: Features, sums: Out[Matrix], to: Int, running: Out[Hashes]) -> Int:
    """Add the rows of the token "</s>". Returns how many were added."""
    added: Int = 0
    if model.end >= 0:
        _add(sums, to, model.rows, model.end)
        added += 1
    if running.size > 1:
        added += _add_word_ngrams(seen, END_HASH, model, sums, to, running)
    return added


@kernel
def _sum_token(
    data: Bytes, start: Int, stop: Int, model: Features, sums: Out[Matrix], to: Int, queue: Out[Indices]
) -> Int:
    """Set sums[to] to the sum of the token's rows. Returns how many they are."""
    sums[to, :] = 0
    word = find(data, start, stop, model.words)
    if word >= 0:
        _add(sums, to, model.rows, word)
    added: Int = 0
    if model.most > 0:
        added = _add_ngrams(data, start, stop, model, sums, to, queue)
    return added + (word >= 0)


def mean_vectors(texts: Windows, model: Features) -> tuple[Matrix, Bools]:
    """(float32[N, D], bool[N]): the mean of each text's rows, and whether it has a token. Its windows are one line."""
    documents = len(texts.first) - 1
    dimensions = model.rows.shape[1]
    places = 1 << _CACHE_BITS
    vectors = np.zeros((documents, dimensions), np.float32)
    has_words = np.zeros(documents, np.bool_)
    cache = _Cache(
        np.zeros(places, np.uint64),
        np.empty(places, np.int64),
        np.empty((places, dimensions), np.float32),
        np.empty(_QUEUE + model.most, np.int64),
        np.zeros(model.most_words, np.uint64),
    )
    _fill(read_only(texts), read_only(model), cache, vectors, has_words)
    return vectors, has_words


@kernel
def _fill(texts: Windows, model: Features, cache: _Cache, vectors: Out[Matrix], has_words: Out[Bools]) -> None:
    """Fill `vectors`, which are zero at first, and `has_words`."""
    data, starts, stops, first = texts
    known, counts, sums, queue, running = cache
    for document in range(first.size - 1):
        features = 0
        seen = 0
        for span in range(first[document], first[document + 1]):
            at = starts[span]
            stop = stops[span]
            while at < stop:
                begin = at
                while at < stop and not _blank(data[at]):
                    at += 1
                if begin == at or is_marker(data, begin, at):
                    at += 1
                    continue
                key = span_hash(address_of(data), begin, at, data.size) | _ONE  # never 0, which marks an empty place
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
        has_words[document] = seen > 0
        features += _add_end(seen, model, vectors, document, running)
        factor = np.float32(1.0 / max(features, 1))
        for k in range(vectors.shape[1]):
            vectors[document, k] *= factor
