"""How much of a text is formulas: TeX between its marks, TeX's commands outside of them, and signs of mathematics.

A formula stands in $…$, $$…$$, \\(…\\), \\[…\\] or \\begin{equation} … \\end{…}, with the other environments of
ENVIRONMENTS. A dollar opens one if no blank follows, and the next dollar closes it if no blank is before it and no
digit behind it, as pandoc reads them, so prices are none; between them is no blank line. Of what is not closed, and
outside, a command such as \\frac counts itself. Signs are those of Unicode's blocks for mathematics. N documents.

Source: MacFarlane, "Pandoc User's Guide", extension tex_math_dollars. Lengths at which a search ends are ours.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import decode

ENVIRONMENTS = ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat")
INLINE = 1000  # bytes of a formula in a line, at most
DISPLAYED = 10_000
_DOLLAR, _SLASH, _NEWLINE, _SPACE, _STAR, _CLOSE = (ord(char) for char in "$\\\n *}")
_BEGIN = np.frombuffer(b"\\begin{", np.uint8)
_END = np.frombuffer(b"\\end{", np.uint8)


class FormulaCounts(NamedTuple):
    """int64[N] each."""

    formulas: Out[Indices]  # that have an end
    bytes_in: Out[Indices]  # of the text, in formulas, commands and signs


def count_formulas(array: pa.Array | pa.ChunkedArray) -> FormulaCounts:
    """Of text[N]; null counts as empty."""
    data, offsets = text_buffers(array)
    counts = FormulaCounts(*np.zeros((2, len(offsets) - 1), np.int64))
    _count(data, offsets, *phrase_buffers(ENVIRONMENTS), _BEGIN, _END, counts)
    return counts


@kernel
def _count(
    data: Bytes, offsets: Indices, names: Bytes, bounds: Indices, begin: Bytes, end: Bytes, counts: FormulaCounts
) -> None:
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        barren = at  # no environment ends before this byte
        while at < stop:
            byte = data[at]
            size: Int = 0
            if byte == _DOLLAR:
                size = _dollars(data, at, stop)
            elif byte == _SLASH and at + 1 < stop:
                if data[at + 1] in (ord("("), ord("[")):
                    size = _bracketed(data, at, stop)
                elif at >= barren and _stands(data, at, stop, begin):
                    size = _environment(data, at, stop, names, bounds, begin.size, end)
                    if size < 0:
                        barren = at + DISPLAYED
            if size > 0:
                counts.formulas[document] += 1
                counts.bytes_in[document] += size
                at += size
                continue
            if byte == _SLASH:
                size = _command(data, at, stop)
                counts.bytes_in[document] += size
                at += max(size, 1)
            elif byte < 0x80:
                at += 1
            else:
                code, size = decode(data, at, stop)
                counts.bytes_in[document] += size * _is_sign(code)
                at += size


@kernel
def _dollars(data: Bytes, at: Int, stop: Int) -> Int:
    """Bytes of the formula that a dollar opens, 0 for none."""
    if at + 1 < stop and data[at + 1] == _DOLLAR:
        for end in range(at + 2, min(stop - 1, at + DISPLAYED)):
            if data[end] == _DOLLAR:
                return end + 2 - at if data[end + 1] == _DOLLAR and end > at + 2 else 0
        return 0
    if at + 1 >= stop or data[at + 1] <= _SPACE:
        return 0
    for end in range(at + 1, min(stop, at + INLINE)):
        if data[end] == _DOLLAR and data[end - 1] != _SLASH:
            after = data[end + 1] if end + 1 < stop else _SPACE
            closes = data[end - 1] > _SPACE and not ord("0") <= after <= ord("9")
            return end + 1 - at if closes else 0
        if data[end] == _NEWLINE and data[end - 1] == _NEWLINE:
            return 0
    return 0


@kernel
def _bracketed(data: Bytes, at: Int, stop: Int) -> Int:
    """Bytes from "\\(" or "\\[" to its end, 0 if another one begins first, or none is near."""
    opens = data[at + 1]
    closes = ord(")") if opens == ord("(") else ord("]")
    for end in range(at + 2, min(stop - 1, at + DISPLAYED)):
        if data[end] == _SLASH and data[end - 1] != _SLASH:
            if data[end + 1] == closes:
                return end + 2 - at
            if data[end + 1] == opens:
                return 0
    return 0


@kernel
def _environment(data: Bytes, at: Int, stop: Int, names: Bytes, bounds: Indices, head: Int, end: Bytes) -> Int:
    """Bytes from \\begin{…} to the next \\end{…}; 0 if it is another environment, -1 if none ends near."""
    first = at + head
    for number in range(bounds.size - 1):
        name = names[bounds[number] : bounds[number + 1]]
        behind = first + name.size
        if not _stands(data, first, stop, name):
            continue
        behind += behind < stop and data[behind] == _STAR
        if behind < stop and data[behind] == _CLOSE:
            for place in range(behind, min(stop, at + DISPLAYED)):
                if data[place] == _SLASH and _stands(data, place, stop, end):
                    while place < stop and data[place] != _CLOSE and data[place] != _NEWLINE:
                        place += 1
                    return min(place + 1, stop) - at
            return -1
    return 0


@kernel
def _stands(data: Bytes, at: Int, stop: Int, word: Bytes) -> bool:
    if at + word.size > stop:
        return False
    place = 0
    while place < word.size and data[at + place] == word[place]:
        place += 1
    return place == word.size


@kernel
def _command(data: Bytes, at: Int, stop: Int) -> Int:
    """Bytes of a backslash and two letters or more behind it, else 0: "\\n" in a text is none."""
    end = at + 1
    while end < stop and (ord("a") <= data[end] | 0x20 <= ord("z")):
        end += 1
    return end - at if end > at + 2 else 0


@kernel
def _is_sign(code: Int) -> bool:
    """Of the blocks of operators, arrows of mathematics, alphabets and superscripts; and × ÷ ± ¬."""
    if code < 0x2070:
        return code in (0xAC, 0xB1, 0xD7, 0xF7)
    return bool(
        0x2070 <= code <= 0x209C
        or 0x2190 <= code <= 0x22FF
        or 0x27C0 <= code <= 0x27FF
        or 0x2900 <= code <= 0x2AFF
        or 0x1D400 <= code <= 0x1D7FF
    )
