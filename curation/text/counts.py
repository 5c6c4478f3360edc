"""Counts of words: how many, how long, how many have letters or more than symbols, how many are stop words.

All are counted in one pass, which rule sets that need different counts share. N documents.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.kernels.blocks import eight_bytes
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN
from curation.text.kernels.unicode import LETTER, SYMBOL, Classes, class_of, classes, decode
from curation.text.words import begin_words, more_words, next_words, word_scan

# Those of Rae et al. 2021: at most 64 words, each of 1 to 8 letters from a to z.
STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")

_SLOTS = 256
_LONGEST = 8  # bytes
_LETTER = 1
_PLAIN = 2
_LOWER = np.uint64(0x2020202020202020)
_ODD = int(GOLDEN)


class WordCounts(NamedTuple):
    """int64[N] each."""

    words: Out[Indices]
    characters: Out[Indices]  # in words
    alphabetic: Out[Indices]  # words that hold a letter of any script
    plain: Out[Indices]  # words that hold a character other than a SYMBOL
    plain_characters: Out[Indices]  # in these
    stop_words: Out[Indices]
    distinct: Out[Indices]  # stop words that occur, each counted once


@shared
def count_words(array: pa.Array | pa.ChunkedArray, *, any_case: bool = True) -> WordCounts:
    """The words of text[N]; with `any_case`, stop words match in any case."""
    data, offsets = text_buffers(array)
    counts = WordCounts(*np.zeros((7, len(offsets) - 1), np.int64))
    _count_words(data, offsets, classes(), *_stop_words(), _LOWER if any_case else np.uint64(0), counts)
    return counts


@lru_cache
def _stop_words() -> tuple[Hashes, np.uint64]:
    """(uint64[2 * 256]: each stop word in the slot that its bytes times the multiplier give, then a bit for each; the
    multiplier, with which no two share a slot)."""
    keys = [int.from_bytes(word.encode(), "little") for word in STOP_WORDS]
    multiplier = _ODD
    while len({_slot(key, multiplier) for key in keys}) < len(keys):
        multiplier = multiplier * _ODD % 2**64
    slots = np.zeros(2 * _SLOTS, np.uint64)
    for place, key in enumerate(keys):
        slots[_slot(key, multiplier)] = key
        slots[_SLOTS + _slot(key, multiplier)] = 1 << place
    return slots, np.uint64(multiplier)


def _slot(key: int, multiplier: int) -> int:
    return key * multiplier % 2**64 >> 56


@kernel
def _holds(data: Bytes, at: int, stop: int, table: Classes) -> Int:
    """Flags: _LETTER if a word holds a letter, _PLAIN if it holds a character that is not a SYMBOL."""
    flags: Int = 0
    while at < stop and flags != _LETTER | _PLAIN:
        code, size = decode(data, at, stop)
        kind = class_of(table, code)
        flags |= (_LETTER if kind & LETTER else 0) | (0 if kind & SYMBOL else _PLAIN)
        at += size
    return flags


@kernel
def _stop_word(
    base: np.uint64, start: Int, stop: Int, size: Int, slots: Hashes, multiplier: np.uint64, lower: np.uint64
) -> np.uint64:
    """The bit of the stop word that bytes [start, stop) of an array of `size` bytes at address `base` are, or may be if
    they end in a zero byte: a shorter word has the same key. 0 for any other word."""
    count = min(stop - start, _LONGEST)
    key = eight_bytes(base, start, count, size)
    key |= lower & (~np.uint64(0) >> np.uint64(64 - 8 * count))
    slot = key * multiplier >> np.uint64(56)
    hit = np.uint64(slots[slot] == key) & np.uint64(stop - start <= _LONGEST)
    bit: np.uint64 = slots[slot + np.uint64(_SLOTS)] * hit
    return bit


@kernel
def _count_words(
    data: Bytes,
    offsets: Indices,
    table: Classes,
    slots: Hashes,
    multiplier: np.uint64,
    lower: np.uint64,
    sums: WordCounts,
) -> None:
    """Setting bit 5 of a byte turns a capital into its small letter, and nothing else into a small letter."""
    scan = word_scan()
    base = address_of(data)
    bounds = scan.bounds
    marks = scan.marks
    for document in range(offsets.size - 1):
        begin_words(scan, offsets[document], offsets[document + 1])
        while more_words(scan):
            words = next_words(data, scan)
            sums.words[document] += words
            letterless = 0
            symbols = 0
            hits = np.int64(0)
            mask = np.uint64(0)
            inside: Int = 0
            inside_symbols: Int = 0
            for word in range(words):
                start = bounds[2 * word]
                stop = bounds[2 * word + 1]
                length = marks[2 * word + 1] - marks[2 * word]
                inside += length
                byte = data[start] | 0x20
                if not 0x61 <= byte <= 0x7A:
                    holds = _holds(data, start, stop, table)
                    letterless += holds & _LETTER == 0
                    if holds & _PLAIN == 0:
                        symbols += 1
                        inside_symbols += length
                bit = _stop_word(base, start, stop, data.size, slots, multiplier, lower)
                bit *= np.uint64(data[stop - 1] != 0)
                hits += np.int64(bit != np.uint64(0))
                mask |= bit
            sums.characters[document] += inside
            sums.alphabetic[document] += words - letterless
            sums.plain[document] += words - symbols
            sums.plain_characters[document] += inside - inside_symbols
            sums.stop_words[document] += hits
            sums.distinct[document] |= np.int64(mask)
        sums.distinct[document] = ones(np.uint64(sums.distinct[document]))
