"""Characters: decoding UTF-8, the classes of a character, and its lower case.

The tables come from the `unicodedata` of the running Python. They have two stages: first, for each block of 256 code
points, where its 256 entries begin; then the distinct blocks. Kernels get them as arguments, because Numba would freeze
a global table into the cached code.
"""

import string
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Int, Out, kernel

LETTER = 1  # general category L*
DECIMAL = 2  # Nd
NUMBER = 4  # N*
SPACE = 8  # exactly what str.split() splits at
PUNCTUATION = 16  # P*
UPPER = 32  # Lu and Lt
LOWER = 64  # Ll
TERMINAL = 128  # ends a sentence: the Unicode property Sentence_Terminal as of version 15, and three signs of Khmer
CLOSING = 256  # may follow what ends a sentence: quotation marks and closing brackets
SYMBOL = 512  # what datatrove counts as punctuation, including control characters
UNSEEN = 1024  # leaves no mark on the page: default-ignorable characters, and the empty cell of Braille

_CATEGORIES = {
    **dict.fromkeys(("Lm", "Lo"), LETTER),
    **dict.fromkeys(("Lu", "Lt"), LETTER | UPPER),
    "Ll": LETTER | LOWER,
    "Nd": NUMBER | DECIMAL,
    **dict.fromkeys(("Nl", "No"), NUMBER),
    **dict.fromkeys(("Pc", "Pd", "Ps", "Po"), PUNCTUATION),
    **dict.fromkeys(("Pe", "Pi", "Pf"), PUNCTUATION | CLOSING),
}

# Code points, first and last of each range, in hexadecimal. Python's `unicodedata` does not have this property.
_TERMINALS = """
21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 104A-104B 1362 1367-1368 166E 1735-1736 17D4-17D6
17D9-17DA 1803 1809 1944-1945 1AA8-1AAB 1B5A-1B5B 1B5E-1B5F 1B7D-1B7E 1C3B-1C3C 1C7E-1C7F 203C-203D 2047-2049 2E2E 2E3C
2E53-2E54 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9 AA5D-AA5F AAF0-AAF1 ABEB FE52 FE56-FE57 FF01
FF0E FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89 11047-11048 110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF
11238-11239 1123B-1123C 112A9 1144B-1144C 115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 11A42-11A43
11A9B-11A9C 11C41-11C42 11EF7-11EF8 11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 16B44 16E98 1BC9F 1DA88
"""
# SYMBOL also has ASCII punctuation and all of _TERMINALS.
_SYMBOLS = """
0-8 B-1F 7F-9F AB B4 BB 2013-2014 2019 201C-201E 2026 2236 2501 25BA 3001 3008-300D 3010-3011 FF05 FF08-FF09 FF0C FF11
FF1A-FF1B FF5E
"""
# The Unicode property Default_Ignorable_Code_Point (DerivedCoreProperties.txt, the same in versions 9 to 17), with the
# code points that are reserved for it.
DEFAULT_IGNORABLE = """
AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8 1BCA0-1BCA3
1D173-1D17A E0000-E0FFF
"""
EMPTY_CELL = 0x2800  # of Braille: blank, but neither whitespace nor default-ignorable


def ranges_in(ranges: str) -> list[tuple[int, int]]:
    """The first and last code points of ranges such as "AD 600-605", in hexadecimal."""
    bounds = [[int(bound, 16) for bound in one.split("-")] for one in ranges.split()]
    return [(one[0], one[-1]) for one in bounds]


def codes_in(ranges: str) -> list[int]:
    """All code points of such ranges."""
    return [code for first, last in ranges_in(ranges) for code in range(first, last + 1)]


UNSEEN_RANGES = sorted((*ranges_in(DEFAULT_IGNORABLE), (EMPTY_CELL, EMPTY_CELL)))
_UNSEEN_BOUNDS = np.array(UNSEEN_RANGES, np.int64).ravel()

Classes: TypeAlias = npt.NDArray[np.uint16]
Cases: TypeAlias = npt.NDArray[np.int32]

REPLACEMENT = 0xFFFD
_BLOCK = 256
_BLOCKS = (sys.maxunicode + 1) // _BLOCK
# Planes 4 to 13 are empty, and 15 and 16 are private: no class and no case.
ASSIGNED = (range(0x40000), range(0xE0000, 0xE0200))


@lru_cache
def classes() -> Classes:
    """The two-stage table of class flags, for `class_of`."""
    flat = np.zeros(sys.maxunicode + 1, np.uint16)
    for codes in ASSIGNED:
        chars = [chr(code) for code in codes]
        categories = map(unicodedata.category, chars)
        flat[codes.start : codes.stop] = np.fromiter(map(_CATEGORIES.get, categories, repeat(0)), np.uint16, len(codes))
        flat[codes.start : codes.stop] |= SPACE * np.fromiter(map(str.isspace, chars), np.uint16, len(codes))
    for code, flags in _listed().items():
        flat[code] |= flags
    return packed(flat)


@lru_cache
def lower_cases() -> Cases:
    """The two-stage table of the difference between a code point and its simple lower case, for `lower_of`.

    Simple means one character for one: U+0130 gives "i", and a final sigma is like any other.
    """
    return two_stage(lambda char: ord(char.lower()[0]) - ord(char), np.zeros(sys.maxunicode + 1, np.int32))


@lru_cache
def terminal_leads() -> npt.NDArray[np.uint8]:
    """uint8[256]: 1 for a newline and for each first byte of a TERMINAL character, else 0."""
    leads = np.zeros(256, np.uint8)
    leads[ord("\n")] = 1
    for code, flags in _listed().items():
        leads[chr(code).encode()[0]] |= flags & TERMINAL != 0
    return leads


@lru_cache
def _listed() -> dict[int, int]:
    """Code point -> the classes that do not come from general categories."""
    flags_by_code = {ord(char): SYMBOL for char in string.punctuation} | dict.fromkeys(
        map(ord, "\"'"), SYMBOL | CLOSING
    )
    listed = (_SYMBOLS, SYMBOL), (_TERMINALS, TERMINAL | SYMBOL), (DEFAULT_IGNORABLE, UNSEEN)
    for ranges, flags in listed:
        flags_by_code.update(dict.fromkeys(codes_in(ranges), flags))
    return flags_by_code | {EMPTY_CELL: UNSEEN}


def two_stage(entry: Callable[[str], int], flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A table of `entry` for each character, in the type of `flat`, which holds the values of all others."""
    for codes in ASSIGNED:
        flat[codes.start : codes.stop] = np.fromiter(map(entry, map(chr, codes)), flat.dtype, len(codes))
    return packed(flat)


def packed(flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values of all code points in two stages: where each block of them begins, and the different blocks."""
    begins: dict[bytes, int] = {}
    blocks = [block.tobytes() for block in flat.reshape(_BLOCKS, _BLOCK)]
    starts = [begins.setdefault(block, _BLOCKS + len(begins) * _BLOCK) for block in blocks]
    assert max(starts) <= np.iinfo(flat.dtype).max
    return np.concatenate([np.array(starts, flat.dtype), np.frombuffer(b"".join(begins), flat.dtype)])


@kernel
def decode(data: Bytes, at: Int, stop: Int) -> tuple[Int, Int]:
    """The code point at byte `at` < `stop`, and its length in bytes (at least 1, never beyond `stop`).

    A byte that does not begin a complete sequence is read as U+FFFD of one byte. Surrogates and overlong forms pass.
    """
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xC0 or lead > 0xF4:
        return REPLACEMENT, 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if at + size > stop:
        return REPLACEMENT, 1
    code = lead & (0x7F >> size)
    for k in range(1, size):
        byte = np.int64(data[at + k])
        if byte & 0xC0 != 0x80:
            return REPLACEMENT, 1
        code = code << 6 | (byte & 0x3F)
    if code > 0x10FFFF:
        return REPLACEMENT, 1
    return code, size


@kernel
def encode(out: Out[Bytes], at: Int, code: Int) -> Int:
    """Write a code point as UTF-8 at byte `at`. Returns where it ends."""
    if code < 0x80:
        out[at] = code
        return at + 1
    size = 2 if code < 0x800 else 3 if code < 0x10000 else 4
    for k in range(size - 1, 0, -1):
        out[at + k] = 0x80 | (code & 0x3F)
        code >>= 6
    out[at] = (0xF00 >> size) & 0xFF | code
    return at + size


@kernel
def class_of(table: Classes, code: Int) -> Int:
    """The class flags of a code point; `table` is `classes()`."""
    return np.int64(table[np.int64(table[code >> 8]) + (code & 255)])


@kernel
def unseen(code: Int) -> bool:
    """Whether a code point is UNSEEN, for kernels without a table."""
    for k in range(0, _UNSEEN_BOUNDS.size, 2):
        if code <= _UNSEEN_BOUNDS[k + 1]:
            return bool(code >= _UNSEEN_BOUNDS[k])
    return False


@kernel
def lower_of(table: Cases, code: Int) -> Int:
    """The simple lower case of a code point; `table` is `lower_cases()`."""
    return code + np.int64(table[np.int64(table[code >> 8]) + (code & 255)])


@kernel
def space_size(data: Bytes, at: Int, stop: Int, table: Classes) -> Int:
    """The length in bytes of the whitespace character at byte `at` < `stop`; 0 if there is none."""
    code, size = decode(data, at, stop)
    return size if class_of(table, code) & SPACE else 0


@kernel
def after_spaces(data: Bytes, at: Int, stop: Int, table: Classes) -> Int:
    """Where the whitespace at the start of data[at:stop] ends."""
    while at < stop:
        size = space_size(data, at, stop, table)
        if size == 0:
            break
        at += size
    return at


@kernel
def last_character(data: Bytes, start: Int, stop: Int) -> Int:
    """Where the last character of data[start:stop] begins; the range is not empty."""
    at = stop - 1
    while at > start and at > stop - 4 and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


@kernel
def before_spaces(data: Bytes, start: Int, stop: Int, table: Classes) -> Int:
    """Where the whitespace at the end of data[start:stop] begins; `stop` if there is none."""
    while start < stop:
        at = last_character(data, start, stop)
        if at + space_size(data, at, stop, table) != stop:
            break
        stop = at
    return stop


@kernel
def after_unseen(data: Bytes, at: Int, stop: Int, table: Classes) -> Int:
    """Where the whitespace and UNSEEN characters at the start of data[at:stop] end."""
    while at < stop:
        code, size = decode(data, at, stop)
        if class_of(table, code) & (SPACE | UNSEEN) == 0:
            break
        at += size
    return at


@kernel
def strip(data: Bytes, start: Int, stop: Int, table: Classes) -> tuple[Int, Int]:
    """Start and stop without the whitespace at both ends; equal if nothing is left that can be seen."""
    start = after_spaces(data, start, stop, table)
    if start < stop and data[start] >= 0x80 and after_unseen(data, start, stop, table) == stop:
        return stop, stop
    return start, before_spaces(data, start, stop, table)
