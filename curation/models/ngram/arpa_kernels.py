"""Parses the lines of an ARPA file: a number, the words of an n-gram, and perhaps its back-off weight.

Fields are separated by tabs or spaces. Each kernel fills rows until one is broken, and returns where it stopped and how
many rows it filled. R rows, n words each.
"""

import numpy as np

from curation.models.ngram.counts import Rows
from curation.models.ngram.estimate import Logarithms
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.phrases.string_set import Entries, find

_NEWLINE = 10
_RETURN = 13
_TAB = 9
_SPACE = 32
_MINUS = 45
_PLUS = 43
_POINT = 46
_ZERO = 48
_NINE = 57
_E = 101
_LARGEST = 1e30  # of a logarithm; far below what a float32 holds
_MOST_POWER = 10_000
_MOST_DIGITS = 18  # of a number that an int64 holds


@kernel
def _blank(byte: Int) -> bool:
    return bool(byte in (_SPACE, _TAB))


@kernel
def _field(data: Bytes, at: Int) -> tuple[Int, Int]:
    """Start and stop of the next field of a line; equal at its end."""
    while at < data.size and _blank(data[at]):
        at += 1
    start = at
    while at < data.size and not _blank(data[at]) and data[at] != _NEWLINE and data[at] != _RETURN:
        at += 1
    return start, at


@kernel
def _exponent(data: Bytes, at: Int, stop: Int) -> tuple[int, bool]:
    """The exponent, and whether data[at:stop] is "e", a sign or none, and digits."""
    signed = at + 1 < stop and (data[at + 1] == _MINUS or data[at + 1] == _PLUS)
    first = at + 2 if signed else at + 1
    power = 0
    for place in range(first, stop):
        if not _ZERO <= data[place] <= _NINE or power > _MOST_POWER:
            return 0, False
        power = power * 10 + int(data[place] - _ZERO)
    return -power if signed and data[at + 1] == _MINUS else power, bool(data[at] | 32 == _E and first < stop)


@kernel
def _number(data: Bytes, start: Int, stop: Int) -> float:
    """The number data[start:stop]; NaN if it is none or too large."""
    sign = 1.0
    at: Int = start
    if at < stop and (data[at] == _MINUS or data[at] == _PLUS):
        sign = -1.0 if data[at] == _MINUS else 1.0
        at += 1
    mantissa = np.int64(0)
    exponent = 0
    digits = 0
    pointed = False
    seen = False
    while at < stop and (data[at] == _POINT or _ZERO <= data[at] <= _NINE):
        if data[at] == _POINT:
            if pointed:
                return np.nan
            pointed = True
        else:
            seen = True
            if digits < _MOST_DIGITS:
                mantissa = mantissa * 10 + np.int64(data[at] - _ZERO)
                digits += 1 if mantissa else 0
                exponent -= 1 if pointed else 0
            else:
                exponent += 0 if pointed else 1
        at += 1
    if not seen:
        return np.nan
    if at < stop:
        power, whole = _exponent(data, at, stop)
        if not whole:
            return np.nan
        exponent += power
    scale = 10.0 ** np.float64(abs(exponent))
    value = sign * (mantissa / scale if exponent < 0 else mantissa * scale)
    return value if abs(value) < _LARGEST else np.nan


@kernel
def _line_end(data: Bytes, at: Int) -> Int:
    """Where the next line begins, if nothing but a carriage return is left of this one; else -1."""
    if at < data.size and data[at] == _RETURN:
        at += 1
    if at < data.size and data[at] == _NEWLINE:
        return at + 1
    return -1


@kernel
def _backoff(data: Bytes, at: Int) -> tuple[float, Int]:
    """The last field of a line, 0 if there is none, and where the next line begins: -1 if the line is broken."""
    start, stop = _field(data, at)
    value = _number(data, start, stop) if start < stop else 0.0
    return value, _line_end(data, stop) if value == value else -1


@kernel
def parse_unigrams(
    data: Bytes,
    at: Int,
    starts: Out[Indices],
    stops: Out[Indices],
    probabilities: Out[Logarithms],
    backoffs: Out[Logarithms],
) -> tuple[Int, int]:
    """Fill int64[R] `starts` and `stops` of the words, and their values."""
    for row in range(starts.size):
        start, stop = _field(data, at)
        probability = _number(data, start, stop)
        starts[row], stops[row] = _field(data, stop)
        backoff, following = _backoff(data, stops[row])
        if not probability <= 0.0 or starts[row] == stops[row] or following < 0:
            return at, row
        probabilities[row] = probability
        backoffs[row] = backoff
        at = following
    return at, starts.size


@kernel
def parse_ngrams(
    data: Bytes,
    at: Int,
    words: Entries,
    rows: Out[Rows],
    probabilities: Out[Logarithms],
    backoffs: Out[Logarithms],
) -> tuple[Int, int]:
    """Fill uint32[R, n] `rows` with the numbers of the words, the last word first, and their values."""
    order = rows.shape[1]
    for row in range(rows.shape[0]):
        start, stop = _field(data, at)
        probability = _number(data, start, stop)
        whole = True
        for k in range(order):
            start, stop = _field(data, stop)
            word = find(data, start, stop, words)
            whole &= word >= 0
            rows[row, order - 1 - k] = word
        backoff, following = _backoff(data, stop)
        if not probability <= 0.0 or not whole or following < 0:
            return at, row
        probabilities[row] = probability
        backoffs[row] = backoff
        at = following
    return at, rows.shape[0]
