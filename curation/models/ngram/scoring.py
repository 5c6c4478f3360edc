"""Scores text with a back-off model: the log10 probability of each line, as KenLM's `score` gives it.

All n-grams lie in one table, by a 64-bit hash of their words, last word first; KenLM's probing model trusts hashes in
the same way. A word's longest n-gram in the table gives its probability, and the weights of the longer contexts are
those that the word before it matched, so a word costs one look-up more than its n-gram has words.

N documents, L lines with at least one token, S places. What a token and a line are, see `reading.py`.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.models.ngram.counts import Rows
from curation.models.ngram.estimate import BackoffModel, Floats, Logarithms
from curation.models.ngram.reading import SPECIAL, Sentences, sentences_of
from curation.models.pair_table import fetch_home, find_place
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel, read_only
from curation.text.kernels.hash_table import table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, splitmix64
from curation.text.words import span_hash

PIECE = 1024  # tokens that are looked up together
_UNKNOWN, _BEGIN, _END = (np.uint64(number) for number in (1, 2, 3))  # hashes of SPECIAL
_BITS = math.log2(10)  # of a factor of 10


@dataclass(frozen=True, eq=False)
class Scores:
    """The lines of N documents that have a token."""

    logarithms: Floats  # float64[L]: log10 of the probability, that of the line's end included
    tokens: Indices  # int64[L], the line's end included
    characters: Indices  # int64[L], of the tokens
    first: Indices  # int64[N + 1]: the lines of document d are first[d] to first[d + 1] - 1

    @classmethod
    def of(cls, sentences: Sentences, logarithms: Floats) -> "Scores":
        return cls(logarithms, sentences.tokens, sentences.characters, sentences.first)

    def measures(self, *, least: int) -> Grid[Floats]:
        """float64[4, N]: perplexity, bits per character, and the greatest of both among the lines of at least `least`
        tokens. All are NaN for a text without a token; the greatest are those of the whole text if no line is long
        enough."""
        measures = np.full((4, len(self.first) - 1), np.nan)
        _measure(self.logarithms, self.tokens, self.characters, self.first, least, measures)
        return measures


class Table(NamedTuple):
    """The n-grams of a model. `pairs` uint64[2 S]: see `pair_table`; beside a key lie its probability and its weight,
    log10, as two float32. `values` float32[4 S] is the same memory."""

    order: int
    pairs: Hashes
    values: Logarithms


class _Scratch(NamedTuple):
    """The tokens of a piece, after the last `order` ones of the piece before. K tokens."""

    keys: Out[Hashes]  # uint64[K]: the n-gram that is looked up next
    words: Out[Hashes]  # uint64[K]: what each is to the tokens after it: the end of a line is the `<s>` of the next
    matched: Out[Indices]  # int64[K]: words before it of the longest n-gram in the table that ends with it
    depths: Out[Indices]  # int64[K]: the same as a context of the next token
    chosen: Out[Indices]  # int64[K]: those of which a longer n-gram may be in the table
    probabilities: Out[Floats]  # float64[K]
    weights: Out[Grid[Floats]]  # float64[K, order]: of the context that ends with it, of 1, 2, … words


class NgramScorer:
    """A model in memory: 32 to 64 bytes for each n-gram."""

    def __init__(self, model: BackoffModel) -> None:
        """Raises ValueError if an n-gram lacks its first or its last n - 1 words as an n-gram of their own."""
        data, offsets = text_buffers(model.words)
        hashes = _word_hashes(data, offsets)
        special = [model.words.index(name.encode()).as_py() for name in SPECIAL]
        hashes[special] = (_UNKNOWN, _BEGIN, _END)  # a token that looks like one of these is an unknown word
        pairs = np.zeros(2 * int(table_size(sum(map(len, model.rows)))), np.uint64)
        values = pairs.view(np.float32)
        for rows, probabilities, backoffs in zip(model.rows, model.probabilities, model.backoffs, strict=True):
            broken = _insert(rows, hashes, probabilities, backoffs, pairs, values)
            if broken >= 0:
                words = b" ".join(model.words[int(word)].as_py() for word in rows[broken][::-1])
                raise ValueError(
                    f"it has the n-gram {words.decode('utf-8', 'replace')!r} but not all shorter ones in it; KenLM's "
                    "build_binary makes a file that can be read"
                )
        self._table = read_only(Table(model.order, pairs, values))

    def score(self, text: pa.Array | pa.ChunkedArray) -> Scores:
        """The lines of text[N], whose tokens are separated by whitespace."""
        sentences = sentences_of(text)
        logarithms = np.zeros(len(sentences.ends))
        order = self._table.order
        room = PIECE + order
        scratch = _Scratch(
            keys=np.zeros(room, np.uint64),
            words=np.zeros(room, np.uint64),
            matched=np.zeros(room, np.int64),
            depths=np.zeros(room, np.int64),
            chosen=np.zeros(room, np.int64),
            probabilities=np.zeros(room),
            weights=np.zeros((room, order)),
        )
        _score(sentences.data, sentences.starts, sentences.stops, self._table, scratch, logarithms)
        return Scores.of(sentences, logarithms)


@kernel
def _measure(
    logarithms: Floats, tokens: Indices, characters: Indices, first: Indices, least: int, out: Out[Grid[Floats]]
) -> None:
    """Fill the arrays of `measures`."""
    for document in range(first.size - 1):
        total = 0.0
        words = 0
        letters = 0
        worst = -np.inf
        worst_bits = -np.inf
        for line in range(first[document], first[document + 1]):
            total -= logarithms[line]
            words += tokens[line]
            letters += characters[line]
            if tokens[line] >= least:
                worst = max(worst, -logarithms[line] / tokens[line])
                worst_bits = max(worst_bits, -logarithms[line] / characters[line])
        if words == 0:
            continue
        mean = total / words
        mean_bits = total / letters
        out[0, document] = 10.0**mean
        out[1, document] = mean_bits * _BITS
        out[2, document] = 10.0 ** (worst if worst > -np.inf else mean)
        out[3, document] = (worst_bits if worst > -np.inf else mean_bits) * _BITS


@kernel
def _word_hash(data: Bytes, start: int, stop: int) -> np.uint64:
    """Never one of those that stand for SPECIAL."""
    return span_hash(address_of(data), start, stop, data.size) | np.uint64(8)


@kernel
def _word_hashes(data: Bytes, offsets: Indices) -> Hashes:
    hashes = np.empty(offsets.size - 1, np.uint64)
    for word in range(hashes.size):
        hashes[word] = _word_hash(data, offsets[word], offsets[word + 1])
    return hashes


@kernel
def _longer(key: np.uint64, word: np.uint64) -> np.uint64:
    """The hash of an n-gram with one more word before it; never 0 and never that of a single word of SPECIAL."""
    return splitmix64(key * GOLDEN + word) | np.uint64(8)


@kernel
def _insert(
    rows: Rows,
    hashes: Hashes,
    probabilities: Logarithms,
    backoffs: Logarithms,
    pairs: Out[Hashes],
    values: Out[Logarithms],
) -> int:
    """Put n-grams into the table after those of lower orders. Returns the first that lacks shorter ones, else -1."""
    order = rows.shape[1]
    for row in range(rows.shape[0]):
        key = hashes[rows[row, 0]]
        context = np.uint64(0)
        for k in range(1, order):
            if pairs[find_place(pairs, key)] == 0:
                return row
            key = _longer(key, hashes[rows[row, k]])
            context = _longer(context, hashes[rows[row, k]]) if k > 1 else hashes[rows[row, k]]
        if order > 1 and pairs[find_place(pairs, context)] == 0:
            return row
        place = find_place(pairs, key)
        pairs[place] = key
        values[2 * place + 2] = probabilities[row]
        values[2 * place + 3] = backoffs[row]
    return -1


@kernel
def _begin(
    data: Bytes, starts: Indices, stops: Indices, first: Int, count: Int, table: Table, scratch: _Scratch
) -> None:
    """Look up the words of `count` tokens from number `first` on; their places follow the last `order` tokens."""
    order, pairs, values = table
    keys, words, matched, depths, _, probabilities, weights = scratch
    unknown = find_place(pairs, _UNKNOWN)
    begin = find_place(pairs, _BEGIN)
    for k in range(count):
        start = int(starts[first + k])
        stop = int(stops[first + k])
        keys[order + k] = _word_hash(data, start, stop) if start < stop else _END
        fetch_home(pairs, keys[order + k])
    for k in range(order, order + count):
        word = keys[k]
        place = find_place(pairs, word)
        if pairs[place] == 0:
            word = _UNKNOWN
            place = unknown
        probabilities[k] = values[2 * place + 2]
        matched[k] = depths[k] = 0
        keys[k] = _longer(word, words[k - 1])
        fetch_home(pairs, keys[k])
        ends = word == _END
        words[k] = _BEGIN if ends else word
        weights[k, 0] = values[2 * (begin if ends else place) + 3]


@kernel
def _lengthen(count: Int, table: Table, scratch: _Scratch) -> None:
    """Find the longest n-gram that ends with each token, all tokens' n-grams of one length after the other's: so their
    places in the table are on their way before they are read."""
    order, pairs, values = table
    keys, words, matched, depths, chosen, probabilities, weights = scratch
    left: Int = count if order > 1 else 0
    for k in range(left):
        chosen[k] = order + k
    length = 1
    while left:
        found = 0
        for c in range(left):
            k = chosen[c]
            place = find_place(pairs, keys[k])
            if pairs[place] == 0:
                continue
            probabilities[k] = values[2 * place + 2]
            matched[k] = length
            if words[k] != _BEGIN:
                depths[k] = length
                weights[k, length] = values[2 * place + 3]
            if length + 1 < order and depths[k - 1] >= length:
                keys[k] = _longer(keys[k], words[k - 1 - length])
                fetch_home(pairs, keys[k])
                chosen[found] = k
                found += 1
        left = found
        length += 1


@kernel
def _score(
    data: Bytes, starts: Indices, stops: Indices, table: Table, scratch: _Scratch, logarithms: Out[Floats]
) -> None:
    """Add the logarithms of each line's tokens, which are spans of `Sentences`, to its place in `logarithms`."""
    order = table.order
    _, words, matched, depths, _, probabilities, weights = scratch
    words[order - 1] = _BEGIN
    weights[order - 1, 0] = table.values[2 * find_place(table.pairs, _BEGIN) + 3]
    line = 0
    for first in range(0, starts.size, PIECE):
        count = min(PIECE, starts.size - first)
        _begin(data, starts, stops, first, count, table, scratch)
        _lengthen(count, table, scratch)
        for k in range(order, order + count):
            logarithm = probabilities[k]
            for context in range(matched[k], min(depths[k - 1] + 1, order - 1)):
                logarithm += weights[k - 1, context]
            logarithms[line] += logarithm
            line += words[k] == _BEGIN
        for k in range(order):
            words[k] = words[count + k]
            weights[order - 1, k] = weights[order + count - 1, k]
        depths[order - 1] = depths[order + count - 1]
