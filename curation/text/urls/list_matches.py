"""What of a list each URL is under: a domain, a host, an address or one that it continues.

N URLs in canonical form (`urls`), lists as `Entries` of names in that form. A number is that of an entry, -1 for none.
"""

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import Byte, kernel
from curation.text.phrases.string_set import Entries, find, find_spans
from curation.text.urls.hosts import is_address, next_label
from curation.text.urls.parse import Urls

_WWW = np.frombuffer(b"www.", np.uint8)


def domains_of(urls: Urls, domains: Entries) -> Indices:
    """int64[N]: the listed domain that a host is or stands below, the longest; an IP address stands below none."""
    return _domains_of(urls.data, urls.starts, urls.host_stops, domains)


def hosts_of(urls: Urls, hosts: Entries) -> Indices:
    """int64[N]: the listed host that the host is, neither with a leading "www."."""
    return find_spans(urls.data, without_www(urls), urls.host_stops, hosts)


def prefixes_of(urls: Urls, listed: Entries) -> Indices:
    """int64[N]: the shortest listed URL that a URL is or continues at one of / ? # & ; without a leading "www."."""
    return _prefixes_of(urls.data, without_www(urls), urls.host_stops, urls.stops, listed, listed.longest)


def without_www(urls: Urls) -> Indices:
    """int64[N]: where a host begins, behind a leading "www."."""
    return _without_www(urls.data, urls.starts, urls.host_stops)


@kernel
def _domains_of(data: Bytes, starts: Indices, stops: Indices, entries: Entries) -> Indices:
    found = np.full(starts.size, -1, np.int64)
    for url in range(starts.size):
        at, stop = starts[url], stops[url]
        while at < stop and found[url] < 0:
            found[url] = find(data, at, stop, entries)
            at = stop if at == starts[url] and is_address(data, at, stop) else next_label(data, at, stop)
    return found


@kernel
def _without_www(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    begins = starts.copy()
    for url in range(starts.size):
        start = starts[url]
        if start + 4 < stops[url] and next_label(data, start + 4, stops[url]) < stops[url]:
            begins[url] += 4 * np.all(data[start : start + 4] == _WWW)
    return begins


@kernel
def _parts(byte: Byte) -> bool:
    """Whether a part of a URL ends before this byte: / ? # & ;"""
    return byte in (0x2F, 0x3F, 0x23, 0x26, 0x3B)


@kernel
def _prefixes_of(
    data: Bytes, starts: Indices, host_stops: Indices, stops: Indices, entries: Entries, longest: int
) -> Indices:
    """No more than `longest` bytes are looked at, so that the time for a URL is bounded."""
    found = np.full(starts.size, -1, np.int64)
    for url in range(starts.size):
        last = min(stops[url], starts[url] + longest)
        for at in range(host_stops[url], last + 1):
            if at == stops[url] or _parts(data[at]):
                found[url] = find(data, starts[url], at, entries)
                if found[url] >= 0:
                    break
    return found
