"""Counts characters by kind, tokens and lines of source code in one pass. N documents.

Letters are those of any script. A token is a run of letters, numbers and underscores, or a run of other characters that
are not whitespace. A line ends at "\n" or "\r\n", which is not counted; no line follows the last line break. Blank
lines count.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import LETTER, NUMBER, SPACE, Classes, class_of, classes, decode
from curation.text.spans import MANY, TextSpans

_NEWLINE = 10
_RETURN = 13
_UNDERSCORE = 95
_APART, _WORD, _SIGN = range(3)


class CodeCounts(NamedTuple):
    """int64[N] each."""

    characters: Out[Indices]
    letters: Out[Indices]
    numbers: Out[Indices]  # characters of the class NUMBER
    tokens: Out[Indices]
    lines: Out[Indices]
    line_characters: Out[Indices]  # in all lines
    longest_line: Out[Indices]  # characters


def count_code(array: pa.Array | pa.ChunkedArray) -> CodeCounts:
    """The counts of text[N]; all are 0 for an empty text."""
    data, offsets = text_buffers(array)
    counts = CodeCounts(*np.zeros((7, len(offsets) - 1), np.int64))
    _count(data, offsets, classes(), *_ascii(classes()), counts)
    return counts


def heads(array: pa.Array | pa.ChunkedArray, *, lines: int = MANY, characters: int = MANY) -> TextSpans:
    """One span per text: its first `lines` lines or `characters` characters, whichever is less."""
    data, offsets = text_buffers(array)
    stops = np.empty(len(offsets) - 1, np.int64)
    sizes = np.empty(len(offsets) - 1, np.int64)
    _head_stops(data, offsets, lines, characters, stops, sizes)
    return TextSpans(data, offsets[:-1], stops, sizes, np.arange(len(offsets)))


@kernel
def _head_stops(
    data: Bytes, offsets: Indices, lines: int, characters: int, stops: Out[Indices], sizes: Out[Indices]
) -> None:
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        ended = np.int64(0)
        size = np.int64(0)
        while at < stop and ended < lines:
            size += np.int64((data[at] & 0xC0) != 0x80)
            if size > characters:
                size -= 1
                break
            ended += np.int64(data[at] == _NEWLINE)
            at += 1
        stops[document] = at
        sizes[document] = size


@kernel
def _ascii(table: Classes) -> tuple[Bytes, Bytes]:
    """Of each ASCII character, what it is to tokens, and whether it is a letter (1) or a number (2)."""
    kinds = np.empty(128, np.uint8)
    classed = np.empty(128, np.uint8)
    for code in range(128):
        flags = class_of(table, code)
        classed[code] = (flags & LETTER != 0) + 2 * (flags & NUMBER != 0)
        kinds[code] = _APART if flags & SPACE else _WORD if classed[code] or code == _UNDERSCORE else _SIGN
    return kinds, classed


@kernel
def _character(
    data: Bytes, at: Int, stop: Int, table: Classes, kinds: Bytes, classed: Bytes
) -> tuple[Int, Int, np.uint8, np.uint8]:
    """The length in bytes of the character at byte `at`, what it is to tokens, and 1 for a letter and for a number."""
    char: Int = np.int64(data[at])
    if char < 0x80:
        return 1, np.int64(kinds[char]), np.uint8(classed[char] & 1), np.uint8(classed[char] >> 1)
    char, size = decode(data, at, stop)
    flags = class_of(table, char)
    letter = np.uint8(flags & LETTER != 0)
    number = np.uint8(flags & NUMBER != 0)
    return size, np.int64(_APART if flags & SPACE else _WORD if letter | number else _SIGN), letter, number


@kernel
def _count(data: Bytes, offsets: Indices, table: Classes, kinds: Bytes, classed: Bytes, counts: CodeCounts) -> None:
    """Fills `counts`; `kinds` and `classed` are `_ascii(table)`."""
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        characters = 0
        letters = np.int64(0)
        numbers = np.int64(0)
        tokens = np.int64(0)
        lines = 0
        inside = np.int64(0)
        longest = np.int64(0)
        line = np.int64(0)
        before: Int = np.int64(_APART)
        while at < stop:
            ended = data[at] == _NEWLINE
            size, kind, letter, number = _character(data, at, stop, table, kinds, classed)
            characters += 1
            letters += letter
            numbers += number
            tokens += np.int64(kind != _APART and kind != before)
            before = kind
            at += size
            if ended:
                line -= np.int64(line > 0 and at - 2 >= offsets[document] and data[at - 2] == _RETURN)
                lines += 1
                inside += line
                longest = max(longest, line)
                line = np.int64(0)
            else:
                line += 1
        if at > offsets[document] and data[at - 1] != _NEWLINE:
            lines += 1
            inside += line
            longest = max(longest, line)
        counts.characters[document] = characters
        counts.letters[document] = letters
        counts.numbers[document] = numbers
        counts.tokens[document] = tokens
        counts.lines[document] = lines
        counts.line_characters[document] = inside
        counts.longest_line[document] = longest
