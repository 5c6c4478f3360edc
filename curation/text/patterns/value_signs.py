"""The signs that values are written with, in any script: kinds of characters, and what stands for each in ASCII.

Source: Unicode Character Database (general categories, Script), of the running Python and of the module `regex`.
"""

import string
import unicodedata
from functools import lru_cache

import numpy as np
import regex

from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Byte, Int, kernel
from curation.text.kernels.unicode import DEFAULT_IGNORABLE, Classes, class_of, codes_in, decode, two_stage

MARK = 1  # no pattern matches this control character, and next to it `\b` is what it is at the end of a text

DIGIT = 1
CAPITAL = 2
SMALL = 4
LATIN = 8  # a letter beyond ASCII
FOREIGN = 16
OPENS = 32  # what a value may begin with, and the sign in the middle of an address
CLOSES = 64
SIGN = 128  # in a value, or between it and a word
SPACE = 1 << 8
HYPHEN = 1 << 9
DASH = 1 << 10
DOT = 1 << 11
OPENING = 1 << 12
CLOSING = 1 << 13
UNSEEN = 1 << 14
COMBINING = 1 << 15  # belongs to the character before it
COLON = 1 << 16
LETTER = CAPITAL | SMALL
OWN = DIGIT | LETTER | LATIN
BEGINS = OWN | OPENS
VALUE = DIGIT | LETTER | OPENS | CLOSES | SIGN
BETWEEN = HYPHEN | DASH | DOT | OPENING | CLOSING | UNSEEN | COLON
LONG_VOWEL = 0x30FC  # of Katakana, which looks like a dash
_MOST_UNSEEN = 8  # invisible characters in a row

_CHARACTERS = {
    HYPHEN: dict.fromkeys("\u2010\u2011\uff0d", "-"),
    DASH: dict.fromkeys("\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\u30fc", "-"),
    DOT: dict.fromkeys("\u00b7\u2022\u2024\u2027\u2219\u22c5\u30fb\uff0e\uff65", ".") | {"\uff0f": "/"},
    COLON: dict.fromkeys("\u2236\uff1a", ":"),
    OPENING: {"\uff08": "("},
    CLOSING: {"\uff09": ")"},
    SIGN: dict.fromkeys("._:/-!?", "") | {"\uff3f": "_"},
    OPENS: dict.fromkeys("+([@", "") | {"\uff0b": "+", "\uff20": "@"},
    CLOSES: {")": ""},
}
_SCRIPTS = r"(?V1)[[\p{L}\p{M}\p{Nl}]--[\p{Script=Latin}\p{Script=Inherited}\x00-\u036f]]"


@lru_cache
def sign_table() -> Classes:
    """The two-stage table of a kind's number, times 256, and the ASCII character that a character stands for or 0."""
    numbers = {0: 0} | {1 << bit: bit + 1 for bit in range(17)}
    listed = {char: (kind, own) for kind, chars in _CHARACTERS.items() for char, own in chars.items()}
    foreign = set(
        regex.findall(_SCRIPTS, "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000))
    )
    unseen = set(map(chr, codes_in(DEFAULT_IGNORABLE)))

    def entry(char: str) -> int:
        kind, own = listed.get(char) or _kind(char, char in foreign, char in unseen)
        return numbers[kind] << 8 | ord(own or "\0")

    return two_stage(entry, np.zeros(0x110000, np.uint16))


def _kind(char: str, foreign: bool, unseen: bool) -> tuple[int, str]:
    """The kind of a character that is not in _CHARACTERS, and the ASCII character that it stands for."""
    category = unicodedata.category(char)
    if category == "Nd":
        return DIGIT, "" if char.isascii() else str(unicodedata.decimal(char))
    if category == "Zs":
        return SPACE, "" if char == " " else " "
    if unseen:
        return UNSEEN, ""
    narrow = chr(ord(char) - 0xFEE0) if 0xFF21 <= ord(char) <= 0xFF5A else char
    if narrow in string.ascii_letters:
        return CAPITAL if narrow.isupper() else SMALL, "" if narrow == char else narrow
    if foreign:
        return FOREIGN, ""
    if category.startswith("M"):
        return COMBINING, ""
    return LATIN if category.startswith("L") else 0, ""


@kernel
def sign_at(data: Bytes, at: Int, stop: Int, entries: Classes) -> tuple[Int, Int, Int, Int]:
    """The character at byte `at`: its kind, its ASCII character or 0, its code point and its length in bytes."""
    code, size = decode(data, at, stop)
    entry = class_of(entries, code)
    number = entry >> 8
    return (1 << (number - 1)) if number > 0 else 0, entry & 255, code, size


@kernel
def next_kind(data: Bytes, at: Int, stop: Int, entries: Classes) -> Int:
    """The kind of the first visible character from byte `at` on; 0 if there is none nearby."""
    for _ in range(_MOST_UNSEEN):
        if at >= stop:
            return 0
        kind, _, _, size = sign_at(data, at, stop, entries)
        if kind & (UNSEEN | COMBINING) == 0:
            return kind
        at += size
    return 0


@kernel
def _stands_between(kind: Int, left: Int, right: Int) -> bool:
    """Whether a hyphen, dash, dot or bracket between characters of two kinds belongs to a value."""
    if kind == HYPHEN:
        return bool(left & (DIGIT | LETTER | CLOSES) and right & (DIGIT | LETTER | OPENS))
    if kind == DASH:
        return bool(left & (DIGIT | CAPITAL | CLOSES) and right & (DIGIT | CAPITAL | OPENS | OPENING))
    if kind == DOT:
        return bool(left & (DIGIT | CAPITAL) and right & (DIGIT | CAPITAL))
    if kind == OPENING:
        return bool(right & (DIGIT | OPENS))
    return bool(kind == CLOSING and left & DIGIT)


@kernel
def _is_pair(data: Bytes, at: Int, stop: Int) -> bool:
    """Whether data[at:stop] is two hexadecimal digits, as those of a hardware address."""
    if stop - at != 2:
        return False
    for k in range(at, stop):
        small = data[k] | 0x20
        if not (0x30 <= data[k] <= 0x39 or 0x61 <= small <= 0x66):
            return False
    return True


@kernel
def _word_start(data: Bytes, begin: Int, at: Int) -> Int:
    """Where the letters and digits of ASCII before byte `at` begin, of three at most."""
    first = at
    while first > max(begin, at - 3) and is_alphanumeric(data[first - 1]):
        first -= 1
    return first


@kernel
def _word_end(data: Bytes, at: Int, stop: Int) -> Int:
    last = at
    while last < min(stop, at + 3) and is_alphanumeric(data[last]):
        last += 1
    return last


@kernel
def is_alphanumeric(byte: Byte) -> bool:
    """Whether a byte is a letter or digit of ASCII."""
    return bool(0x30 <= byte <= 0x39 or 0x61 <= byte | 0x20 <= 0x7A)


@kernel
def between_pairs(data: Bytes, begin: Int, at: Int, end: Int, stop: Int) -> bool:
    """Whether the sign data[at:end] stands between two pairs of hexadecimal digits."""
    before = _is_pair(data, _word_start(data, begin, at), at)
    return before and _is_pair(data, end, _word_end(data, end, stop))


@kernel
def instead(kind: Int, own: Int, left: Int, right: Int) -> Int:
    """The byte that takes the place of a sign between two characters; 0: none; -1: the sign stays."""
    if kind != UNSEEN:
        return own if _stands_between(kind, left, right) else -1
    if left & DIGIT and right & DIGIT:
        return np.int64(ord(" "))
    if left & VALUE and right & VALUE:
        return np.int64(ord(" ")) if (left | right) & DIGIT and (left | right) & LETTER else 0
    return MARK if (left | right) & (VALUE | LATIN) else -1
