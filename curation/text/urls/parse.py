"""Brings URLs into canonical form, many per call, so that equal addresses are equal.

The canonical form is "host/path?query#fragment" without scheme, user, password and port. The host is as in `hosts`.
After it, escapes of separators (/ \\ ? # & ; = + % and control characters) stay, with capitals; all others are decoded.
Schemes other than http are read the same way.

These have no host, and so match no list: an empty or null URL; a host with characters other than letters, digits, "-",
"_" and ".", or longer than 253; a port that is not a number; a single word without "//" before it ("localhost",
"mailto:"). Source: WHATWG, "URL", the parts that decide what the host is. N URLs.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.kernel import Byte, Out, kernel
from curation.text.urls.hosts import ascii_host, escaped, next_label, write_host

_SPACE = 0x20
_SLASH = 0x2F
_BACKSLASH = 0x5C
_QUESTION = 0x3F
_HASH = 0x23
_COLON = 0x3A
_AT = 0x40
_DOT = 0x2E
_PERCENT = 0x25
_KEPT = np.isin(np.arange(256), [*range(0x20), 0x7F, *b"/\\?#&;=+%"])


@dataclass(frozen=True)
class Urls:
    """N canonical URLs data[starts[n]:stops[n]] with hosts data[starts[n]:host_stops[n]]; both are empty if there is no
    host."""

    data: Bytes
    starts: Indices
    host_stops: Indices
    stops: Indices

    @property
    def have_host(self) -> npt.NDArray[np.bool_]:
        """bool[N]"""
        return self.host_stops > self.starts

    def only(self, rows: npt.NDArray[np.bool_]) -> "Urls":
        """The URLs for which `rows`, bool[N], is true."""
        return Urls(self.data, self.starts[rows], self.host_stops[rows], self.stops[rows])


def parse_urls(array: pa.Array | pa.ChunkedArray) -> Urls:
    """The canonical form of string[N]."""
    data, offsets = text_buffers(array)
    return parse_spans(data, offsets[:-1], offsets[1:])


def parse_spans(data: Bytes, starts: Indices, stops: Indices, *, single: bool = False) -> Urls:
    """The canonical form of the URLs data[starts[n]:stops[n]]; with `single`, a single word is a host too."""
    begins = offsets_of(stops - starts + 2)
    out = np.empty(begins[-1], np.uint8)
    host_stops = np.empty_like(starts)
    lasts = np.empty_like(starts)
    foreign = _canonical_all(data, starts, stops, begins, single, out, host_stops, lasts)
    urls = Urls(out, begins[:-1].copy(), host_stops, lasts)
    return _in_ascii(urls, np.flatnonzero(foreign)) if foreign.any() else urls


def _in_ascii(urls: Urls, rows: Indices) -> Urls:
    """The URLs with the hosts of some rows put into ASCII; in Python, since they are few."""
    encoded = []
    for row in rows.tolist():
        host = ascii_host(urls.data[urls.starts[row] : urls.host_stops[row]].tobytes())
        encoded.append(b"//" + host.encode() + urls.data[urls.host_stops[row] : urls.stops[row]].tobytes())
    parsed = parse_urls(pa.array(encoded, pa.large_binary()))
    urls.starts[rows] = parsed.starts + len(urls.data)
    urls.host_stops[rows] = parsed.host_stops + len(urls.data)
    urls.stops[rows] = parsed.stops + len(urls.data)
    return Urls(np.concatenate([urls.data, parsed.data]), urls.starts, urls.host_stops, urls.stops)


@kernel
def _ends_authority(byte: Byte) -> bool:
    return byte in (_SLASH, _BACKSLASH, _QUESTION, _HASH)


@kernel
def _after_scheme(data: Bytes, start: int, stop: int) -> int:
    """The end of "scheme://" or "//" at byte `start`; `start` if neither is there."""
    at = start
    while at < stop and data[at] != _COLON and not _ends_authority(data[at]):
        small = data[at] | 0x20
        letter = 0x61 <= small <= 0x7A
        later = 0x30 <= data[at] <= 0x39 or data[at] == 0x2B or data[at] == 0x2D or data[at] == _DOT
        if not letter and (at == start or not later):
            return start
        at += 1
    if at > start:
        if at == stop or data[at] != _COLON:
            return start
        at += 1
    slashes = at + 1 < stop and (data[at] == _SLASH or data[at] == _BACKSLASH)
    return at + 2 if slashes and (data[at + 1] == _SLASH or data[at + 1] == _BACKSLASH) else start


@kernel
def _rest(data: Bytes, at: int, stop: int, out: Out[Bytes], to: int) -> int:
    """Write what follows the authority. Returns where it ends in `out`."""
    path = True
    if at < stop and data[at] != _SLASH and data[at] != _BACKSLASH:
        out[to] = _SLASH
        to += 1
    while at < stop:
        path &= data[at] != _QUESTION and data[at] != _HASH
        value = escaped(data, at, stop)
        if value < 0:
            out[to] = _SLASH if path and data[at] == _BACKSLASH else data[at]
            to += 1
            at += 1
        elif _KEPT[value]:
            out[to] = _PERCENT
            for k in range(1, 3):
                out[to + k] = data[at + k] & 0xDF if data[at + k] > 0x39 else data[at + k]
            to += 3
            at += 3
        else:
            out[to] = value
            to += 1
            at += 3
    return to


@kernel
def _canonical_all(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    begins: Indices,
    single: bool,
    out: Out[Bytes],
    host_stops: Out[Indices],
    lasts: Out[Indices],
) -> npt.NDArray[np.bool_]:
    """Write URL n to out[begins[n]:]. Returns bool[N]: whether the host is not in ASCII yet."""
    foreign = np.zeros(starts.size, np.bool_)
    for url in range(starts.size):
        start = starts[url]
        stop = stops[url]
        to = begins[url]
        while start < stop and data[start] <= _SPACE:
            start += 1
        while start < stop and data[stop - 1] <= _SPACE:
            stop -= 1
        begin = _after_scheme(data, start, stop)
        end = begin
        host = begin
        while end < stop and not _ends_authority(data[end]):
            end += 1
            if data[end - 1] == _AT:
                host = end
        host_stop, beyond = write_host(data, host, end, out, to)
        if begin == start and not single and next_label(out, to, host_stop) == host_stop:  # one label
            host_stop = -1
        host_stops[url] = max(host_stop, to)
        lasts[url] = _rest(data, end, stop, out, host_stop) if host_stop > to else to
        foreign[url] = beyond > 0 and host_stop > to
    return foreign
