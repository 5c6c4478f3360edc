"""Reads published lists of domains, hosts or URLs: millions of lines without a Python object for each.

A line is one name, a line of a hosts file (an IP address and its names), or a line of an ad blocker ("||name^").
Comments follow " #" or fill lines that begin with "#", "!" or "["; exceptions ("@@") are skipped too. L names.
"""

import numpy as np

from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.urls.parse import Urls

_NEWLINE = 0x0A
_SPACE = 0x20
_HASH = 0x23
_BAR = 0x7C
_CARET = 0x5E
_DOLLAR = 0x24


def named_spans(data: Bytes) -> tuple[Indices, Indices]:
    """(int64[L], int64[L]): where each name in a list's bytes begins and ends."""
    names = _names(data, np.empty(0, np.int64), np.empty(0, np.int64))
    starts = np.empty(names, np.int64)
    stops = np.empty(names, np.int64)
    _names(data, starts, stops)
    return starts, stops


def gathered(urls: Urls, starts: Indices, stops: Indices) -> tuple[Bytes, Indices]:
    """Bytes and offsets of the spans urls.data[starts[n]:stops[n]] without the slashes at their end, for URLs with a
    host."""
    chosen = np.flatnonzero(urls.have_host)
    starts = starts[chosen]
    stops = stops[chosen].copy()
    _strip_slashes(urls.data, starts, stops)
    return gather(urls.data, starts, stops)


@kernel
def _token(data: Bytes, at: int, stop: int) -> tuple[int, int]:
    """Bounds of the next run of bytes without whitespace; equal if there is none."""
    while at < stop and data[at] <= _SPACE:
        at += 1
    start = at
    while at < stop and data[at] > _SPACE:
        at += 1
    return start, at


@kernel
def _maps(data: Bytes, start: int, stop: int) -> bool:
    """Whether a token is an IP address as in hosts files: digits with three dots, or with colons."""
    dots = colons = letters = 0
    for at in range(start, stop):
        byte = data[at]
        letter = 0x61 <= byte | 0x20 <= 0x66
        if byte != 0x2E and byte != 0x3A and not 0x30 <= byte <= 0x39 and not letter:
            return False
        dots += byte == 0x2E
        colons += byte == 0x3A
        letters += letter
    return colons > 1 or (dots == 3 and letters == 0)


@kernel
def _is_comment(data: Bytes, start: int, stop: int) -> bool:
    first = data[start]
    return (
        first == _HASH
        or first == 0x21
        or first == 0x5B
        or (first == 0x40 and stop > start + 1 and data[start + 1] == 0x40)
    )


@kernel
def _unblocked(data: Bytes, start: int, stop: int) -> tuple[int, int]:
    """The bounds of the name in an ad blocker's token; those of any other token itself."""
    if stop - start < 2 or data[start] != _BAR or data[start + 1] != _BAR:
        return start, stop
    at = start + 2
    while at < stop and data[at] != _CARET and data[at] != _DOLLAR:
        at += 1
    return start + 2, at


@kernel
def _names(data: Bytes, starts: Out[Indices], stops: Out[Indices]) -> int:
    """Write the bounds of the names as far as there is room. Returns how many there are."""
    names = 0
    end = -1
    while end < data.size:
        begin = end + 1
        end = begin
        while end < data.size and data[end] != _NEWLINE:
            end += 1
        start, stop = _token(data, begin, end)
        if start == stop or _is_comment(data, start, stop):
            continue
        mapped = _maps(data, start, stop)
        if mapped:
            after, last = _token(data, stop, end)
            if after < last and data[after] != _HASH:
                start = after
                stop = last
            else:
                mapped = False  # an address without names is itself the name
        while start < stop and data[start] != _HASH:
            first, last = _unblocked(data, start, stop)
            if names < starts.size:
                starts[names] = first
                stops[names] = last
            names += 1
            start, stop = _token(data, stop, end) if mapped else (end, end)
    return names


@kernel
def _strip_slashes(data: Bytes, starts: Indices, stops: Out[Indices]) -> None:
    for span in range(starts.size):
        while stops[span] > starts[span] and data[stops[span] - 1] == 0x2F:
            stops[span] -= 1
