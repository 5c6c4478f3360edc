"""fastText models that tell two labels apart by words and n-grams of words: each feature is one weight.

With two labels and a softmax, a score depends on a text's vector only through its product with the difference of the
output rows, and the mean of the features' products is the product of their mean. So each feature's product is computed
once, and of a feature a text reads 4 bytes in place of a vector. What a token is, and which features there are, is as
in `features.py`; a text is split 64 bytes at a time.

The table and the weights are larger than a core's own cache, so each place is asked for (`fetch`) as soon as it is
known, and read in a later loop: 1.67 million tokens took 65 ms, not 107 (one busy core, November 2026).

N documents, S spans, W words, B buckets of n-grams.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.models.ascii_tokens import BOUNDS, PIECE, split
from curation.models.fasttext.features import END_HASH, WORD_STEP, is_marker, word_hash
from curation.models.pair_table import fetch_home, find_place
from curation.models.text_windows import Windows
from curation.text.kernels.blocks import REACH
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of, fetch, folded_product
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.hash_table import table_size
from curation.text.kernels.hashing import Hashes
from curation.text.matches import Bools
from curation.text.words import span_hash

Weights = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint32]
Sums = npt.NDArray[np.float64]
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_HALF = np.uint64(32)


class WordModel(NamedTuple):
    """`table` uint64[2 T] has the words but "</s>": their hash, 0 in an empty place, then fastText's hash in the upper
    half and its weight, a float32, in the lower half. `values` float32[4 T] is the same memory. `weights`
    float32[B + 1]: those of the buckets, at the end that of "</s>", 0 for none.
    """

    table: Hashes
    values: Weights
    weights: Weights
    has_end: int
    most_words: int  # of an n-gram
    buckets: int  # B


class _Scratch(NamedTuple):
    """Arrays that are used again for each piece."""

    bounds: Out[Indices]  # int64[BOUNDS]: where the tokens of a piece begin and end
    keys: Out[Hashes]  # uint64[tokens of a piece]: the hash of each
    hashes: Out[Hashes]  # uint64[most_words + tokens of a piece]: fastText's hash of each, as a signed number
    missing: Out[Indices]  # int64[tokens of a piece]: those that are not in the table
    places: Out[Indices]  # int64[most_words + tokens of a piece]: the bucket of the n-gram that ends with each
    pad: Out[Bytes]  # uint8[REACH], see `window`


def word_model(words: Bytes, offsets: Indices, weights: Weights, *, most_words: int) -> WordModel:
    """The model of the words words[offsets[w]:offsets[w + 1]]; `weights` float32[W + B]."""
    count = len(offsets) - 1
    table = np.zeros(2 * table_size(3 * len(offsets) // 4), np.uint64)
    end = _enter(words, offsets, weights.view(np.uint32), table)
    of_end = weights[end] if end >= 0 else np.float32(0)
    of_buckets = np.append(weights[count:], of_end)
    return WordModel(table, table.view(np.float32), of_buckets, int(end >= 0), max(most_words, 1), len(weights) - count)


@kernel
def _enter(words: Bytes, offsets: Indices, weights: Bits, table: Out[Hashes]) -> Int:
    """Fill the table; `weights` are given as they lie in memory. Returns the row of "</s>", or -1."""
    base = address_of(words)
    last = -1
    for word in range(offsets.size - 1):
        begin = offsets[word]
        end = offsets[word + 1]
        if begin < end and is_marker(words, begin, end):
            last = word
        elif begin < end:
            key = span_hash(base, begin, end, words.size) | _ONE
            place = find_place(table, key)
            if table[place] == _ZERO:
                table[place] = key
                table[place + 1] = np.uint64(word_hash(words, begin, end)) << _HALF | np.uint64(weights[word])
    return last


def mean_weights(texts: Windows, model: WordModel) -> tuple[Sums, Bools]:
    """(float64[N], bool[N]): the mean of the weights of each text's features, and whether it has a token. Its windows
    are one line."""
    documents = len(texts.first) - 1
    tokens = BOUNDS // 2 + 1
    means = np.zeros(documents, np.float64)
    has_words = np.zeros(documents, np.bool_)
    scratch = _Scratch(
        np.zeros(BOUNDS, np.int64),
        np.zeros(tokens, np.uint64),
        np.zeros(model.most_words + tokens, np.uint64),
        np.zeros(tokens, np.int64),
        np.zeros(model.most_words + tokens, np.int64),
        np.zeros(REACH, np.uint8),
    )
    _fill(read_only(texts), read_only(model), scratch, means, has_words)
    return means, has_words


@kernel
def _look_up(data: Bytes, tokens: Int, held: Int, model: WordModel, scratch: _Scratch) -> tuple[float, Int, Int]:
    """Write fastText's hashes of a piece's tokens after the first `held` ones. Returns the sum of the known words'
    weights, their number, and the number of hashes; labels and ends count for nothing.

    Each loop does one thing to all tokens, so that the table's places are on their way before they are read.
    """
    table = model.table
    values = model.values
    base = address_of(data)
    bounds = scratch.bounds
    keys = scratch.keys
    hashes = scratch.hashes
    missing = scratch.missing
    total = 0.0
    misses = 0
    for token in range(tokens):
        key = span_hash(base, bounds[2 * token], bounds[2 * token + 1], data.size) | _ONE
        keys[token] = key
        fetch_home(table, key)
    for token in range(tokens):
        place = find_place(table, keys[token])
        missing[misses] = token
        misses += table[place] == _ZERO
        hashes[held + token] = np.uint64(np.int64(table[place + 1]) >> 32)
        total += values[2 * place + 2]
    marked = False
    for k in range(misses):
        token = missing[k]
        begin = bounds[2 * token]
        end = bounds[2 * token + 1]
        hashes[held + token] = np.uint64(np.int64(np.int32(word_hash(data, begin, end))))
        marked |= is_marker(data, begin, end)
    count = held + tokens
    if marked:
        count = held
        for token in range(tokens):
            if not is_marker(data, bounds[2 * token], bounds[2 * token + 1]):
                hashes[count] = hashes[held + token]
                count += 1
    return total, tokens - misses, count


@kernel
def _ngram_sum(hashes: Out[Hashes], first: Int, last: Int, model: WordModel, places: Out[Indices]) -> tuple[float, Int]:
    """The sum of the weights of the n-grams that end with the tokens `first` to `last` - 1, and their number.

    The remainder is computed by products, since a division takes longer: the quotient by the inverse is right or one
    too small.
    """
    weights = model.weights
    buckets = np.uint64(max(model.buckets, 1))
    mask = buckets - _ONE if buckets & (buckets - _ONE) == _ZERO else _ZERO
    inverse = ~_ZERO // buckets
    home = address_of(weights)
    total = 0.0
    count = 0
    for back in range(1, model.most_words):
        begin = max(first, back)
        count += max(last - begin, 0)
        for token in range(begin, last):
            value = hashes[token - back]
            for k in range(token - back + 1, token + 1):
                value = value * WORD_STEP + hashes[k]
            bucket = np.int64(value & mask)
            if mask == _ZERO:
                quotient = folded_product(value, inverse) ^ (value * inverse)  # the upper half of the product
                bucket = np.int64(value - quotient * buckets)
                bucket -= model.buckets & ~((bucket - model.buckets) >> 63)
            places[token] = bucket
            fetch(home + np.uint64(bucket << 2))
        for token in range(begin, last):
            total += weights[places[token]]
    return total, count


@kernel
def _fill(texts: Windows, model: WordModel, scratch: _Scratch, means: Out[Sums], has_words: Out[Bools]) -> None:
    data, starts, stops, first = texts
    bounds = scratch.bounds
    hashes = scratch.hashes
    pad = scratch.pad
    most = model.most_words
    for document in range(first.size - 1):
        total = 0.0
        features: Int = 0
        held: Int = 0
        for span in range(first[document], first[document + 1]):
            at = starts[span]
            stop = stops[span]
            filled: Int = 0
            while at < stop:
                filled = split(data, at, stop, filled, bounds, pad)
                at += PIECE
                some, words, count = _look_up(data, filled >> 1, held, model, scratch)
                more, ngrams = _ngram_sum(hashes, held, count, model, scratch.places)
                total = total + some + more
                features = features + words + ngrams
                has_words[document] |= count > held
                left = min(count, most - 1)
                for k in range(left):
                    hashes[k] = hashes[count - left + k]
                held = left
                bounds[0] = bounds[max(filled - 1, 0)]
                filled = filled & 1
        hashes[held] = np.uint64(np.int64(np.int32(END_HASH)))
        some, ngrams = _ngram_sum(hashes, held, held + 1, model, scratch.places)
        total = total + some + model.weights[model.buckets]
        features = features + ngrams + model.has_end
        means[document] = total / max(features, 1)
