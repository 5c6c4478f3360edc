"""Where in its text a value stands: in a URL, in a formula, or in code. Found over Arrow buffers.

S values. A URL reaches from its scheme or `www.` to white space, a quote, an angle bracket or a character beyond ASCII.
A formula stands between `$` signs that hold one of TeX's own signs, or between `\\(` or `\\[` and its end, within one
paragraph. Code stands between two back quotes in one line, or between lines that begin with three.
"""

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

IN_URL = 1
IN_FORMULA = 2
IN_CODE = 4
_NEAR = 2000  # bytes on either side of a value in which the ends of what holds it are looked for
_NEWLINE, _SPACE, _QUOTE, _DOLLAR, _BACKSLASH, _BACKQUOTE, _COLON, _SLASH, _DOT = b'\n "$\\`:/.'
_LESS, _GREATER, _NINE, _ZERO, _W = b"<>90w"
_ROUND, _SQUARE, _ROUND_END, _SQUARE_END = b"([)]"
_TEX = np.zeros(256, np.uint8)
_TEX[np.frombuffer(b"\\^_={}", np.uint8)] = 1
_TEX.flags.writeable = False


@kernel
def _ends_url(byte: Int) -> bool:
    return bool(byte <= _SPACE or byte >= 0x7F or byte in (_QUOTE, _LESS, _GREATER))


@kernel
def _is_www(data: Bytes, at: Int) -> bool:
    return bool((data[at] | 32) == _W and (data[at + 1] | 32) == _W and (data[at + 2] | 32) == _W)


@kernel
def _in_url(data: Bytes, begin: Int, start: Int) -> bool:
    least = max(begin, start - _NEAR)
    at = start - 1
    while at >= least and not _ends_url(np.int64(data[at])):
        if data[at] == _SLASH and at - 2 >= least and data[at - 1] == _SLASH and data[at - 2] == _COLON:
            return True
        if data[at] == _DOT and at - 3 >= least and _is_www(data, at - 3):
            return True
        at -= 1
    return False


@kernel
def _is_break(data: Bytes, at: Int, end: Int) -> bool:
    """Whether a paragraph ends at byte `at`."""
    return bool(data[at] == _NEWLINE and (at + 1 >= end or data[at + 1] == _NEWLINE))


@kernel
def _is_digit(byte: Int) -> bool:
    return bool(_ZERO <= byte <= _NINE)


@kernel
def _between_dollars(data: Bytes, begin: Int, start: Int, stop: Int, end: Int, tex: Bytes) -> bool:
    held = False
    at = start - 1
    least = max(begin, start - _NEAR)
    while at >= least and data[at] != _DOLLAR:
        if _is_break(data, at, end):
            return False
        held = held or tex[data[at]] != 0
        at -= 1
    if at < least or data[at + 1] <= _SPACE:
        return False
    most = min(end, stop + _NEAR)
    at = stop
    while at < most and data[at] != _DOLLAR:
        if _is_break(data, at, end):
            return False
        held = held or tex[data[at]] != 0
        at += 1
    if at >= most or data[at - 1] <= _SPACE:
        return False
    return held and not (at + 1 < end and _is_digit(np.int64(data[at + 1])))


@kernel
def _between_brackets(data: Bytes, begin: Int, start: Int, end: Int) -> bool:
    """Whether the last of TeX's brackets before a value, in its paragraph, opens."""
    at = start - 1
    least = max(begin + 1, start - _NEAR)
    while at >= least and not _is_break(data, at, end):
        if data[at - 1] == _BACKSLASH:
            if data[at] == _ROUND or data[at] == _SQUARE:
                return True
            if data[at] == _ROUND_END or data[at] == _SQUARE_END:
                return False
        at -= 1
    return False


@kernel
def _between_backquotes(data: Bytes, begin: Int, start: Int, stop: Int, end: Int) -> bool:
    count: Int = 0
    at = start - 1
    least = max(begin, start - _NEAR)
    while at >= least and data[at] != _NEWLINE:
        count += data[at] == _BACKQUOTE
        at -= 1
    if count % 2 == 0:
        return False
    most = min(end, stop + _NEAR)
    at = stop
    while at < most and data[at] != _NEWLINE:
        if data[at] == _BACKQUOTE:
            return True
        at += 1
    return False


@kernel
def _fences(data: Bytes, at: Int, begin: Int, stop: Int) -> Int:
    """How many lines that begin with three back quotes begin in data[at:stop]."""
    found: Int = 0
    while at + 2 < stop:
        if data[at] == _BACKQUOTE and (at == begin or data[at - 1] == _NEWLINE):
            found += data[at + 1] == _BACKQUOTE and data[at + 2] == _BACKQUOTE
        at += 1
    return found


@kernel
def _surroundings(data: Bytes, offsets: Indices, places: Grid[Indices], tex: Bytes, flags: Out[Bytes]) -> None:
    fences: Int = 0
    read: Int = 0
    for value in range(len(places)):
        document = places[value, 0]
        start = places[value, 1]
        stop = places[value, 2]
        begin = offsets[document]
        end = offsets[document + 1]
        if value == 0 or places[value - 1, 0] != document:
            fences = 0
            read = begin
        fences += _fences(data, read, begin, start)
        read = max(read, start - 2)
        flag = 0
        if _in_url(data, begin, start):
            flag |= IN_URL
        if _between_dollars(data, begin, start, stop, end, tex) or _between_brackets(data, begin, start, end):
            flag |= IN_FORMULA
        if fences % 2 == 1 or _between_backquotes(data, begin, start, stop, end):
            flag |= IN_CODE
        flags[value] = flag


def surroundings(data: Bytes, offsets: Indices, places: npt.NDArray[np.int64]) -> Bytes:
    """uint8[S]: IN_URL, IN_FORMULA and IN_CODE of the values at places int64[S, 3]: document, first byte and the byte
    after the last in `data`, in order."""
    places = np.ascontiguousarray(places)
    places.flags.writeable = False
    flags = np.zeros(len(places), np.uint8)
    _surroundings(data, offsets, places, _TEX, flags)
    return flags
