"""The words that shingles are made of, each as a 64-bit hash.

A word is a run of characters without whitespace in simple lower case; punctuation and digits stay. Scripts without
spaces between words (Han, Kana, Thai, Lao, Burmese, Khmer) have one word per character, since a shingle of five
sentences would find no copy.

ASCII is lowered and hashed eight bytes at a time; a word with any other character is decoded.
"""

from typing import NamedTuple

import numpy as np

from curation.text.folded_words import stands_alone
from curation.text.kernels.blocks import eight_bytes
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of, folded_product, load8
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN
from curation.text.kernels.unicode import REPLACEMENT, Cases, decode, lower_of
from curation.text.words import FIRST, LAST, WordScan, word_scan
from curation.text.words import begin_words as begin_runs
from curation.text.words import more_words as more_runs
from curation.text.words import next_words as next_runs

_CURSOR = 3

# In each of eight bytes: the highest bit, and what to add to set it from "A" on and from after "Z" on.
_HIGH = np.uint64(0x8080808080808080)
_FROM_A = np.uint64(0x3F3F3F3F3F3F3F3F)
_FROM_AFTER_Z = np.uint64(0x2525252525252525)
_ASCII = np.uint64(0x80)
_TWO = np.uint64(2)
_EIGHT = np.uint64(8)
_ZERO = np.uint64(0)


@kernel
def _with(value: np.uint64, eight: np.uint64) -> np.uint64:
    return folded_product(value ^ FIRST, eight ^ LAST)


@kernel
def _finished(value: np.uint64, length: Int) -> np.uint64:
    return folded_product(value ^ LAST, np.uint64(length) * GOLDEN ^ FIRST)


@kernel
def _lowered(eight: np.uint64) -> np.uint64:
    """Eight ASCII bytes in lower case."""
    upper = (eight + _FROM_A) & ~(eight + _FROM_AFTER_Z) & _HIGH
    return eight | upper >> _TWO


@kernel
def _utf8(code: Int) -> tuple[np.uint64, Int]:
    """The UTF-8 bytes of a character as a little-endian number, and how many they are."""
    last = np.uint64(0x80 | code & 0x3F)
    if code < 0x80:
        return np.uint64(code), 1
    if code < 0x800:
        return np.uint64(0xC0 | code >> 6) | last << _EIGHT, 2
    second = np.uint64(0x80 | code >> 6 & 0x3F)
    if code < 0x10000:
        return np.uint64(0xE0 | code >> 12) | second << _EIGHT | last << np.uint64(16), 3
    first = np.uint64(0xF0 | code >> 18) | np.uint64(0x80 | code >> 12 & 0x3F) << _EIGHT
    return first | second << np.uint64(16) | last << np.uint64(24), 4


@kernel
def _plain_word(base: np.uint64, start: int, stop: int, size: int) -> tuple[np.uint64, bool]:
    """The hash of a word as if it were ASCII, and whether it is; arguments as for `words.sketch`."""
    value = _ZERO
    every = _ZERO
    at = start
    while stop - at > 8:
        eight = load8(base + np.uint64(at))
        every |= eight
        value = _with(value, _lowered(eight))
        at += 8
    eight = eight_bytes(base, at, stop - at, size)
    return _finished(_with(value, _lowered(eight)), stop - start), (every | eight) & _HIGH == _ZERO


@kernel
def _any_word(data: Bytes, at: Int, stop: Int, lower: Cases) -> tuple[np.uint64, Int]:
    """The hash of the first word of the run data[at:stop], and where it ends: at `stop`, or at a character that is a
    word by itself."""
    value = _ZERO
    eight = _ZERO
    held = 0
    length = 0
    while at < stop:
        width: Int = 1
        size: Int = 1
        low = np.uint64(data[at])
        alone = False
        if low < _ASCII:
            low = _lowered(low)
        else:
            code, size = decode(data, at, stop)
            alone = stands_alone(int(code))
            if alone and length > 0:
                break
            if code != REPLACEMENT or size > 1:
                low, width = _utf8(lower_of(lower, code))
        eight |= low << np.uint64(8 * held)
        held += width
        length += width
        at += size
        if held >= 8:
            value = _with(value, eight)
            held -= 8
            eight = low >> np.uint64(8 * (width - held)) if held > 0 else _ZERO
        if alone:
            break
    if held > 0:
        value = _with(value, eight)
    return _finished(value, length), at


class LowerScan(NamedTuple):
    """The state of a scan."""

    runs: WordScan
    cursor: Out[Indices]  # int64[_CURSOR]: the next run of the piece, its number of runs, and the byte reached


@kernel
def lower_scan() -> LowerScan:
    """A scan, which can be used for any number of documents."""
    return LowerScan(word_scan(), np.zeros(_CURSOR, np.int64))


@kernel
def begin_words(scan: LowerScan, start: int, stop: int) -> None:
    """Begin with the document data[start:stop]."""
    begin_runs(scan.runs, start, stop)
    cursor = scan.cursor
    cursor[0] = 0
    cursor[1] = 0
    cursor[2] = start


@kernel
def next_words(data: Bytes, scan: LowerScan, lower: Cases, words: Out[Hashes]) -> int:
    """Fill `words`, of any length, with the hashes of a document's next words. Returns how many: fewer at the end."""
    runs, cursor = scan
    bounds = runs.bounds
    base = address_of(data)
    size = data.size
    count = 0
    run = cursor[0]
    last = cursor[1]
    at = cursor[2]
    while count < words.size:
        if run == last:
            if not more_runs(runs):
                break
            run = 0
            last = next_runs(data, runs)
            continue
        start = bounds[2 * run]
        stop = bounds[2 * run + 1]
        value = _ZERO
        plain = False
        if at <= start:
            value, plain = _plain_word(base, start, stop, size)
        if plain:
            at = stop
        else:
            value, at = _any_word(data, max(at, start), stop, lower)
        words[count] = value
        count += 1
        run += at == stop
    cursor[0] = run
    cursor[1] = last
    cursor[2] = at
    return count
