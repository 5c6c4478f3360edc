"""Words for counting, each as a 64-bit hash: without case, punctuation and the value of numbers.

A word is a run of characters other than whitespace, punctuation and ASCII symbols, in simple lower case and with every
decimal digit as "0", so that numbers of the same length are the same word. Scripts without spaces between words (Han,
Kana, Thai, Lao, Burmese, Khmer) have one word per character.

Files identify words by this hash: changing it changes what those files mean.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, STEP, murmur3
from curation.text.kernels.unicode import (
    DECIMAL,
    PUNCTUATION,
    SPACE,
    SYMBOL,
    Cases,
    Classes,
    class_of,
    classes,
    decode,
    lower_cases,
    lower_of,
)

_ZERO = 48  # the digit
_MORE = 255
_APART = SPACE | PUNCTUATION | SYMBOL
_START = GOLDEN


class Folding(NamedTuple):
    """What the first byte of a character folds to (0: it separates words, _MORE: more bytes decide), and the tables for
    the other characters. Kernels unpack it once, since every access counts references."""

    first: Bytes  # uint8[256]
    table: Classes
    lower: Cases


@lru_cache
def folding() -> Folding:
    first = np.full(256, _MORE, np.uint8)
    for code in range(128):
        flags = class_of(classes(), code)
        first[code] = 0 if flags & _APART else _ZERO if flags & DECIMAL else lower_of(lower_cases(), code)
    return read_only(Folding(first, classes(), lower_cases()))


@kernel
def stands_alone(code: int) -> bool:
    """Whether a character belongs to a script without spaces between words.

    Published hashes of words, tokens and shingles depend on this list. `terms` has one of its own, with radicals,
    bopomofo and older Kana, on which published counts of words depend; so neither can take the other's place.
    """
    if code < 0x3000:
        return 0x0E00 <= code < 0x0F00 or 0x1000 <= code < 0x10A0 or 0x1780 <= code < 0x1800
    if code < 0x20000:
        kana = 0x3041 <= code < 0x3100 or 0x31F0 <= code < 0x3200 or 0xFF66 <= code < 0xFFA0
        han = 0x3400 <= code < 0x4DC0 or 0x4E00 <= code < 0xA000 or 0xF900 <= code < 0xFB00
        return kana or han or 0x3005 <= code < 0x3008
    return code < 0x40000


@kernel
def rolled(value: np.uint64, code: Int) -> np.uint64:
    """The hash of some characters, of which `code` is the next."""
    value = (value ^ np.uint64(code)) * STEP
    return value ^ value >> np.uint64(29)


@kernel
def next_words(
    data: Bytes, at: Int, stop: Int, first: Bytes, table: Classes, lower: Cases, words: Out[Hashes]
) -> tuple[Int, Int]:
    """Fill `words`, of any length, with the hashes of the first words of data[at:stop]; no hash is 0.

    Returns how many there are, and the byte at which to continue: `stop` at the end.
    """
    count = 0
    while at < stop and count < words.size:
        code: Int = np.int64(first[data[at]])
        if code == 0:
            at += 1
            continue
        value = _START
        inside = False
        while code > 0:
            size: Int = 1
            alone = False
            if code == _MORE:
                code, size = decode(data, at, stop)
                flags = class_of(table, code)
                alone = stands_alone(int(code))
                code = 0 if flags & _APART else _ZERO if flags & DECIMAL else lower_of(lower, code)
            if code == 0:
                at += size
                break
            if inside and alone:
                break
            value = rolled(value, code)
            inside = True
            at += size
            code = 0 if alone or at == stop else np.int64(first[data[at]])
        if inside:
            value = murmur3(value)
            words[count] = value if value else _START
            count += 1
    return count, at
