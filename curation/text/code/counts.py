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

_NEWLINE, _RETURN, _UNDERSCORE = 10, 13, 95
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
    _count(data, offsets, classes(), counts)
    return counts


def heads(array: pa.Array | pa.ChunkedArray, *, lines: int = MANY, characters: int = MANY) -> TextSpans:
    """One span per text: its first `lines` lines or `characters` characters, whichever is less."""
    data, offsets = text_buffers(array)
    stops, sizes = np.empty(len(offsets) - 1, np.int64), np.empty(len(offsets) - 1, np.int64)
    _head_stops(data, offsets, lines, characters, stops, sizes)
    return TextSpans(data, offsets[:-1], stops, sizes, np.arange(len(offsets)))


@kernel
def _head_stops(
    data: Bytes, offsets: Indices, lines: int, characters: int, stops: Out[Indices], sizes: Out[Indices]
) -> None:
    for document in range(offsets.size - 1):
        at, stop, ended, size = offsets[document], offsets[document + 1], np.int64(0), np.int64(0)
        while at < stop and ended < lines:
            size += np.int64((data[at] & 0xC0) != 0x80)
            if size > characters:
                size -= 1
                break
            ended += np.int64(data[at] == _NEWLINE)
            at += 1
        stops[document], sizes[document] = at, size


@kernel
def _count(data: Bytes, offsets: Indices, table: Classes, counts: CodeCounts) -> None:
    kinds, classed = np.empty(128, np.uint8), np.empty(128, np.uint8)
    for code in range(128):
        flags = class_of(table, code)
        classed[code] = (flags & LETTER != 0) + 2 * (flags & NUMBER != 0)
        kinds[code] = _APART if flags & SPACE else _WORD if classed[code] or code == _UNDERSCORE else _SIGN
    for document in range(offsets.size - 1):
        at, stop = offsets[document], offsets[document + 1]
        characters, letters, numbers, tokens, lines = 0, np.int64(0), np.int64(0), np.int64(0), 0
        inside, longest, line, before = np.int64(0), np.int64(0), np.int64(0), np.int64(_APART)
        while at < stop:
            char: Int = np.int64(data[at])
            size: Int = 1
            if char < 0x80:
                kind, letter, number = np.int64(kinds[char]), classed[char] & 1, classed[char] >> 1
            else:
                char, size = decode(data, at, stop)
                flags = class_of(table, char)
                letter, number = np.uint8(flags & LETTER != 0), np.uint8(flags & NUMBER != 0)
                kind = np.int64(_APART if flags & SPACE else _WORD if letter | number else _SIGN)
            characters += 1
            letters += letter
            numbers += number
            tokens += np.int64(kind != _APART and kind != before)
            before = kind
            at += size
            if char == _NEWLINE:
                line -= np.int64(line > 0 and at - 2 >= offsets[document] and data[at - 2] == _RETURN)
                lines, inside, longest = lines + 1, inside + line, max(longest, line)
                line = np.int64(0)
            else:
                line += 1
        if at > offsets[document] and data[at - 1] != _NEWLINE:
            lines, inside, longest = lines + 1, inside + line, max(longest, line)
        counts.characters[document], counts.letters[document] = characters, letters
        counts.numbers[document], counts.tokens[document] = numbers, tokens
        counts.lines[document], counts.line_characters[document], counts.longest_line[document] = lines, inside, longest
