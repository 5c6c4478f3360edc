"""Encoded data in texts: long runs of base64, hexadecimal numbers and \\u escapes. N documents.

Source: Lozhkov et al. 2024, "StarCoder 2 and The Stack v2" (arXiv:2402.19173), section 2.1, which gives these as
regular expressions, matched from left to right:

    base64       64 or more letters, digits, "+", "/", "=" and newlines
    hexadecimal  8 or more numbers of two digits at a word's beginning, with or without 0x or \\x, each followed by
                 a comma, or by the word's end and any whitespace
    escapes      8 or more of \\u and four digits
"""

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import REACH, characters_in
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import (
    LETTER,
    NUMBER,
    Classes,
    after_spaces,
    class_of,
    classes,
    decode,
    last_character,
)

_BASE64 = 1
_HEX = 2
_WORD = 4
_LEAST_BASE64 = 64
_LEAST_NUMBERS = 8
_BACKSLASH = 92
_COMMA = 44
_ZERO = 48
_U = 117
_X = 120
_UNDERSCORE = 95


def encoded_runs(array: pa.Array | pa.ChunkedArray) -> tuple[Indices, Indices]:
    """(int64[N], int64[N]): characters in all runs, counted twice in runs of two kinds, and in the longest run."""
    return _encoded(*text_buffers(array), classes(), _kinds())


def _kinds() -> Bytes:
    """uint8[256]: flags for the bytes of base64, of hexadecimal numbers and of words."""
    kinds = np.zeros(256, np.uint8)
    for byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n":
        kinds[byte] |= _BASE64 | (_WORD if chr(byte).isalnum() else 0)
    for byte in b"0123456789abcdefABCDEF":
        kinds[byte] |= _HEX
    kinds[_UNDERSCORE] = _WORD
    return kinds


@kernel
def _word_at(data: Bytes, at: Int, stop: Int, table: Classes) -> bool:
    """Whether the character at byte `at` is a letter, a number or an underscore; False at `stop`."""
    if at >= stop:
        return False
    code, _ = decode(data, at, stop)
    return code == _UNDERSCORE or class_of(table, code) & (LETTER | NUMBER) != 0


@kernel
def _at_edge(data: Bytes, start: Int, at: Int, stop: Int, table: Classes) -> bool:
    """Whether a word begins or ends at byte `at`."""
    return (at > start and _word_at(data, last_character(data, start, at), at, table)) != _word_at(
        data, at, stop, table
    )


@kernel
def _number_end(data: Bytes, start: Int, at: Int, stop: Int, table: Classes, kinds: Bytes) -> Int:
    """The end of the hexadecimal number at byte `at` with its comma or whitespace; -1 if there is none."""
    begin = at
    if at + 1 < stop and data[at + 1] == _X and (data[at] == _ZERO or data[at] == _BACKSLASH):
        at += 2
    if at + 2 > stop or not (kinds[data[at]] & kinds[data[at + 1]] & _HEX):
        return -1
    if not _at_edge(data, start, begin, stop, table):
        return -1
    at += 2
    if at < stop and data[at] == _COMMA:
        return at + 1
    if not _at_edge(data, start, at, stop, table):
        return -1
    return after_spaces(data, at, stop, table)


@kernel
def _numbers(data: Bytes, start: Int, at: Int, stop: Int, table: Classes, kinds: Bytes) -> tuple[Int, Int]:
    """How many hexadecimal numbers begin at byte `at`, one after the other, and where they end."""
    count = 0
    while at < stop:
        end = _number_end(data, start, at, stop, table, kinds)
        if end < 0:
            break
        count += 1
        at = end
    return count, at


@kernel
def _escapes(data: Bytes, at: Int, stop: Int, kinds: Bytes) -> tuple[Int, Int]:
    """How many escapes begin at byte `at`, one after the other, and where they end."""
    count = 0
    while at + 6 <= stop and data[at] == _BACKSLASH and data[at + 1] == _U:
        first = kinds[data[at + 2]] & kinds[data[at + 3]]
        second = kinds[data[at + 4]] & kinds[data[at + 5]]
        if not (first & second & _HEX):
            break
        count += 1
        at += 6
    return count, at


@kernel
def _encoded(data: Bytes, offsets: Indices, table: Classes, kinds: Bytes) -> tuple[Indices, Indices]:
    """Linear time: a run of too few numbers holds no longer one, so it is skipped whole."""
    total = np.zeros(offsets.size - 1, np.int64)
    longest = np.zeros(offsets.size - 1, np.int64)
    pad = np.empty(REACH, np.uint8)
    for document in range(offsets.size - 1):
        start = offsets[document]
        stop = offsets[document + 1]
        # where the next run of each kind may begin
        base64 = start
        hexadecimal = start
        escaped = start
        for at in range(start, stop):
            kind = kinds[data[at]]
            if kind & _BASE64 and at >= base64:
                base64 = at
                while base64 < stop and kinds[data[base64]] & _BASE64:
                    base64 += 1
                if base64 - at >= _LEAST_BASE64:
                    total[document] += base64 - at
                    longest[document] = max(longest[document], base64 - at)
            # A quick test that most bytes fail, before `_number_end`.
            digits = kind & _HEX and (at == start or not kinds[data[at - 1]] & _WORD)
            if digits and at + 2 < stop and data[at + 1] != _X:
                digits = kinds[data[at + 1]] & _HEX and not kinds[data[at + 2]] & _WORD
            if (digits or (data[at] == _BACKSLASH and at > start and data[at - 1] != _BACKSLASH)) and at >= hexadecimal:
                count, end = _numbers(data, start, at, stop, table, kinds)
                hexadecimal = max(end, at + 1)
                if count >= _LEAST_NUMBERS:
                    size = characters_in(data, at, end, pad)
                    total[document] += size
                    longest[document] = max(longest[document], size)
            if data[at] == _BACKSLASH and at >= escaped:
                count, end = _escapes(data, at, stop, kinds)
                escaped = max(end, at + 1)
                if count >= _LEAST_NUMBERS:
                    total[document] += end - at
                    longest[document] = max(longest[document], end - at)
    return total, longest
