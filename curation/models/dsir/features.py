"""Hashed n-grams of words: counted over many texts, or summed as weights for each text. N documents, B buckets.

A word is a run of word characters, or a run of other characters that are not white space, in simple lower case: the
expression `\\w+|[^\\w\\s]+` of the paper's code, by the definitions of Unicode (UTS 18, annex C). NLTK has these since
it uses the package `regex`; Python's own cut words at marks, such as the vowels of Hindi. An n-gram is n neighbouring
words of one text with a blank between them. Its bucket is the hash of its characters times B, divided by 2^64. Models
hold counts by bucket: changing the hash changes what their files mean.
"""

import sys
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, STEP, murmur3
from curation.text.kernels.unicode import Cases, Classes, class_of, decode, lower_cases, lower_of, two_stage

Floats = npt.NDArray[np.float64]

PIECE = 4096  # n-grams that are hashed at a time
_SIGN, _WORD, _BLANK, _MORE = range(4)  # kinds of characters; _MORE: a first byte after which others decide
_WORD_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))
# Joiners, and letters in circles and squares, which Unicode counts among the alphabetic characters.
_WORD_CODES = frozenset((0x200C, 0x200D, *range(0x24B6, 0x24EA))) | {
    first + number for first in (0x1F130, 0x1F150, 0x1F170) for number in range(26)
}
_START = GOLDEN


class Characters(NamedTuple):
    """The kind and the lower case of each character of one byte, and the tables for all others."""

    first: Bytes  # uint8[256]
    lowered: Bytes  # uint8[256]
    kinds: Classes
    lower: Cases


@lru_cache
def characters() -> Characters:
    first = np.full(256, _MORE, np.uint8)
    lowered = np.zeros(256, np.uint8)
    for code in range(128):
        first[code] = _kind(chr(code))
        lowered[code] = lower_of(lower_cases(), code)
    kinds = two_stage(_kind, np.full(sys.maxunicode + 1, _SIGN, np.uint16))
    return read_only(Characters(first, lowered, kinds, lower_cases()))


def _kind(char: str) -> int:
    if char.isspace() and not "\x1c" <= char <= "\x1f":
        return _BLANK
    return _WORD if unicodedata.category(char) in _WORD_CATEGORIES or ord(char) in _WORD_CODES else _SIGN


def count(array: pa.Array | pa.ChunkedArray, *, order: int, buckets: int) -> Indices:
    """int64[B]: the n-grams of text[N] in each bucket."""
    counts = np.zeros(buckets, np.int64)
    _count(*text_buffers(array), characters(), order, counts)
    return counts


def summed(array: pa.Array | pa.ChunkedArray, weights: Floats, *, order: int) -> tuple[Floats, Indices]:
    """(float64[N], int64[N]): the sum of float64[B] weights over each text's n-grams, and its words."""
    data, offsets = text_buffers(array)
    sums = np.zeros(len(offsets) - 1, np.float64)
    words = np.zeros(len(offsets) - 1, np.int64)
    _sum(data, offsets, characters(), order, weights, sums, words)
    return sums, words


@kernel
def _character(data: Bytes, at: Int, stop: Int, chars: Characters) -> tuple[Int, Int, Int]:
    """The kind, lower case and bytes of the character at `at`."""
    first, lowered, kinds, lower = chars
    byte = data[at]
    kind: Int = np.int64(first[byte])
    if kind != _MORE:
        return kind, np.int64(lowered[byte]), 1
    code, size = decode(data, at, stop)
    return class_of(kinds, code), lower_of(lower, code), size


@kernel
def _with(value: np.uint64, code: Int) -> np.uint64:
    value = (value ^ np.uint64(code)) * STEP
    return value ^ (value >> np.uint64(29))


@kernel
def _next_ngrams(
    data: Bytes,
    at: Int,
    stop: Int,
    chars: Characters,
    states: Out[Hashes],
    before: Int,
    ngrams: Out[Hashes],
) -> tuple[Int, Int, Int]:
    """Fill `ngrams` with the hashes of all n-grams that end in the next words of data[at:stop].

    `states` uint64[order] holds the unfinished hash of the n-gram of each length that ends in the last word; `before`
    is the number of words so far. Returns the n-grams, the words so far, and the byte at which to continue.
    """
    order = states.size
    count = 0
    while at < stop and count + order <= ngrams.size:
        kind, code, size = _character(data, at, stop, chars)
        if kind == _BLANK:
            at += size
            continue
        lengths = min(before + 1, order)
        for k in range(lengths - 1, 0, -1):
            states[k] = _with(states[k - 1], 32)
        states[0] = _START
        own = kind
        while own == kind:
            for k in range(lengths):
                states[k] = _with(states[k], code)
            at += size
            if at == stop:
                break
            kind, code, size = _character(data, at, stop, chars)
        for k in range(lengths):
            ngrams[count] = murmur3(states[k])
            count += 1
        before += 1
    return count, before, at


@kernel
def _bucket(value: np.uint64, buckets: np.uint64) -> np.int64:
    """floor(value * buckets / 2^64) by the first 32 bits of the hash; `buckets` is below 2^32."""
    return np.int64((value >> np.uint64(32)) * buckets >> np.uint64(32))


@kernel
def _count(data: Bytes, offsets: Indices, chars: Characters, order: int, counts: Out[Indices]) -> None:
    ngrams = np.empty(PIECE, np.uint64)
    states = np.empty(order, np.uint64)
    buckets = np.uint64(counts.size)
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        words: Int = 0
        while at < stop:
            read, words, at = _next_ngrams(data, at, stop, chars, states, words, ngrams)
            for k in range(read):
                counts[_bucket(ngrams[k], buckets)] += 1


@kernel
def _sum(
    data: Bytes,
    offsets: Indices,
    chars: Characters,
    order: int,
    weights: Floats,
    sums: Out[Floats],
    counted: Out[Indices],
) -> None:
    ngrams = np.empty(PIECE, np.uint64)
    states = np.empty(order, np.uint64)
    buckets = np.uint64(weights.size)
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        total = 0.0
        words: Int = 0
        while at < stop:
            read, words, at = _next_ngrams(data, at, stop, chars, states, words, ngrams)
            for k in range(read):
                total += weights[_bucket(ngrams[k], buckets)]
        sums[document] = total
        counted[document] = words
