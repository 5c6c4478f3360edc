"""Scores text with a back-off model: the log10 probability of each line, as KenLM's `score` gives it.

All n-grams lie in one table of `hash_table.py`, by a 64-bit hash of their words, last word first; KenLM's probing model
trusts hashes in the same way. A word's longest n-gram in the table gives its probability, and the weights of the longer
contexts are those that the word before it matched, so a word costs one look-up more than its n-gram has words.

N documents, L lines with at least one token, S slots, n the order. What a token and a line are, see `reading.py`.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.models.ngram.counts import BEGIN, END, UNKNOWN, Rows
from curation.models.ngram.estimate import BackoffModel, Floats, Logarithms
from curation.models.ngram.reading import SPECIAL, is_blank
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of
from curation.text.kernels.compiler.kernel import Grid, Out, kernel, read_only
from curation.text.kernels.hash_table import find_slot, hash_shift, table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, splitmix64
from curation.text.words import span_hash

_NEWLINE = 10
_BITS = math.log2(10)  # of a factor of 10


@dataclass(frozen=True, eq=False)
class Scores:
    """The lines of N documents that have a token."""

    logarithms: Floats  # float64[L]: log10 of the probability, that of the line's end included
    tokens: Indices  # int64[L], the line's end included
    characters: Indices  # int64[L], of the tokens
    first: Indices  # int64[N + 1]: the lines of document d are first[d] to first[d + 1] - 1

    def measures(self, *, least: int) -> Grid[Floats]:
        """float64[4, N]: perplexity, bits per character, and the greatest of both among the lines of at least `least`
        tokens. All are NaN for a text without a token; the greatest are those of the whole text if no line is long
        enough."""
        measures = np.full((4, len(self.first) - 1), np.nan)
        _measure(self.logarithms, self.tokens, self.characters, self.first, least, measures)
        return measures


class Table(NamedTuple):
    """The n-grams of a model."""

    order: int
    unknown: np.uint64  # hash that stands for each word of SPECIAL
    begin: np.uint64
    end: np.uint64
    keys: Hashes  # uint64[S]
    values: Grid[Logarithms]  # float32[S, 2]: probability and weight, log10


class NgramScorer:
    """A model in memory: 32 to 64 bytes for each n-gram."""

    def __init__(self, model: BackoffModel) -> None:
        """Raises ValueError if an n-gram lacks its first or its last n - 1 words as an n-gram of their own."""
        data, offsets = text_buffers(model.words)
        hashes = _word_hashes(data, offsets)
        special = [model.words.index(name.encode()).as_py() for name in SPECIAL]
        # A token that looks like one of these is an unknown word.
        names = np.arange(1, len(SPECIAL) + 1, dtype=np.uint64)
        hashes[special] = names
        slots = int(table_size(sum(map(len, model.rows))))
        keys = np.zeros(slots, np.uint64)
        values = np.zeros((slots, 2), np.float32)
        for rows, probabilities, backoffs in zip(model.rows, model.probabilities, model.backoffs, strict=True):
            broken = _insert(rows, hashes, probabilities, backoffs, keys, values)
            if broken >= 0:
                words = b" ".join(model.words[int(word)].as_py() for word in rows[broken][::-1])
                raise ValueError(
                    f"it has the n-gram {words.decode('utf-8', 'replace')!r} but not all shorter ones in it; KenLM's "
                    "build_binary makes a file that can be read"
                )
        self._table = read_only(Table(model.order, names[UNKNOWN], names[BEGIN], names[END], keys, values))

    def score(self, text: pa.Array | pa.ChunkedArray) -> Scores:
        """The lines of text[N], whose tokens are separated by whitespace."""
        data, offsets = text_buffers(text)
        most = int(count_lines(data, offsets))
        logarithms = np.empty(most)
        counts = np.empty((2, most), np.int64)
        first = np.zeros(len(offsets), np.int64)
        order = self._table.order
        context = np.zeros(order, np.uint64)
        weights = np.zeros(2 * order)
        _score(data, offsets, self._table, context, weights, logarithms, counts[0], counts[1], first)
        lines = first[-1]
        return Scores(logarithms[:lines], counts[0][:lines], counts[1][:lines], first)


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
    keys: Out[Hashes],
    values: Out[Grid[Logarithms]],
) -> int:
    """Put n-grams into the table after those of lower orders. Returns the first that lacks shorter ones, else -1."""
    shift = hash_shift(keys.size)
    order = rows.shape[1]
    for row in range(rows.shape[0]):
        key = hashes[rows[row, 0]]
        context = np.uint64(0)
        for k in range(1, order):
            if keys[find_slot(keys, key, np.int64(key >> shift))] == 0:
                return row
            key = _longer(key, hashes[rows[row, k]])
            context = _longer(context, hashes[rows[row, k]]) if k > 1 else hashes[rows[row, k]]
        if order > 1 and keys[find_slot(keys, context, np.int64(context >> shift))] == 0:
            return row
        slot = find_slot(keys, key, np.int64(key >> shift))
        keys[slot] = key
        values[slot, 0] = probabilities[row]
        values[slot, 1] = backoffs[row]
    return -1


@kernel
def count_lines(data: Bytes, offsets: Indices) -> int:
    """At least as many as there are."""
    lines = offsets.size - 1
    for at in range(offsets[0], offsets[-1]):
        lines += data[at] == _NEWLINE
    return lines


@kernel
def _step(table: Table, word: np.uint64, context: Out[Hashes], weights: Out[Floats], length: int) -> tuple[float, int]:
    """log10 p(word | context) and the new length of the context, both of which it then moves on by the word.

    `context` uint64[n]: the hashes of the words before, last one first, of which `length` matter. `weights`
    float64[2n]: the back-off weights of the contexts of 1, 2, … words; the second half is scratch.
    """
    order, unknown, _, _, keys, values = table
    shift = hash_shift(keys.size)
    slot = find_slot(keys, word, np.int64(word >> shift))
    if keys[slot] == 0:
        word = unknown
        slot = find_slot(keys, word, np.int64(word >> shift))
    probability = np.float64(values[slot, 0])
    key = word
    matched = 0
    weights[order] = values[slot, 1]
    while matched < length:
        key = _longer(key, context[matched])
        slot = find_slot(keys, key, np.int64(key >> shift))
        if keys[slot] == 0:
            break
        probability = np.float64(values[slot, 0])
        matched += 1
        weights[order + matched] = values[slot, 1]
    for k in range(matched, length):
        probability += weights[k]
    following = min(matched + 1, order - 1)
    for k in range(following - 1, 0, -1):
        context[k] = context[k - 1]
    context[0] = word
    for k in range(following):
        weights[k] = weights[order + k]
    return probability, following


@kernel
def _score(
    data: Bytes,
    offsets: Indices,
    table: Table,
    context: Out[Hashes],
    weights: Out[Floats],
    logarithms: Out[Floats],
    tokens: Out[Indices],
    characters: Out[Indices],
    first: Out[Indices],
) -> None:
    """Fill the arrays of `Scores`; `context` and `weights` are scratch, as for `_step`."""
    order, _, begin, end, keys, values = table
    shift = hash_shift(keys.size)
    line = 0
    length = 0
    begin_weight = np.float64(values[find_slot(keys, begin, np.int64(begin >> shift)), 1])
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        count = 0
        while at <= stop:
            if at == stop or data[at] == _NEWLINE:
                if count:
                    logarithms[line] += _step(table, end, context, weights, length)[0]
                    tokens[line] = count + 1
                    line += 1
                    count = 0
                at += 1
                continue
            if is_blank(data[at]):
                at += 1
                continue
            if count == 0:
                logarithms[line] = 0.0
                characters[line] = 0
                length = min(1, order - 1)
                context[0] = begin
                weights[0] = begin_weight
            start = at
            while at < stop and not is_blank(data[at]):
                characters[line] += data[at] & 0xC0 != 0x80
                at += 1
            logarithm, length = _step(table, _word_hash(data, start, at), context, weights, length)
            logarithms[line] += logarithm
            count += 1
        first[document + 1] = line
