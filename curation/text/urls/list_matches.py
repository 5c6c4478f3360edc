"""Which entry of a list each URL matches: by its domain, its host or a prefix.

N canonical URLs (see `parse`); lists are `Entries` of names in that form. Results are numbers of entries, -1 for none.
"""

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Byte, kernel
from curation.text.phrases.string_set import Entries, find, find_spans
from curation.text.urls.hosts import is_address, next_label
from curation.text.urls.parse import Urls

_WWW = np.frombuffer(b"www.", np.uint8)


def domains_of(urls: Urls, domains: Entries) -> Indices:
    """int64[N]: the longest listed domain that the host is or is below; an IP address is below none."""
    return _domains_of(urls.data, urls.starts, urls.host_stops, domains)


def hosts_of(urls: Urls, hosts: Entries) -> Indices:
    """int64[N]: the listed host that equals the host without a leading "www."."""
    return find_spans(urls.data, without_www(urls), urls.host_stops, hosts)


def prefixes_of(urls: Urls, listed: Entries) -> Indices:
    """int64[N]: the shortest listed URL that the URL, without a leading "www.", is or continues at one of / ? # & ;"""
    return _prefixes_of(urls.data, without_www(urls), urls.host_stops, urls.stops, listed, listed.longest)


def without_www(urls: Urls) -> Indices:
    """int64[N]: where each host begins after a leading "www."."""
    return _without_www(urls.data, urls.starts, urls.host_stops)


@kernel
def _domains_of(data: Bytes, starts: Indices, stops: Indices, entries: Entries) -> Indices:
    numbers = np.full(starts.size, -1, np.int64)
    for url in range(starts.size):
        at = starts[url]
        stop = stops[url]
        while at < stop and numbers[url] < 0:
            numbers[url] = find(data, at, stop, entries)
            at = stop if at == starts[url] and is_address(data, at, stop) else next_label(data, at, stop)
    return numbers


@kernel
def _without_www(data: Bytes, starts: Indices, stops: Indices) -> Indices:
    begins = starts.copy()
    for url in range(starts.size):
        start = starts[url]
        if start + 4 < stops[url] and next_label(data, start + 4, stops[url]) < stops[url]:
            begins[url] += 4 * np.all(data[start : start + 4] == _WWW)
    return begins


@kernel
def _ends_prefix(byte: Byte) -> bool:
    return byte in (0x2F, 0x3F, 0x23, 0x26, 0x3B)  # / ? # & ;


@kernel
def _prefixes_of(
    data: Bytes, starts: Indices, host_stops: Indices, stops: Indices, entries: Entries, longest: int
) -> Indices:
    """Reads at most `longest` bytes of a URL, so that its time is bounded."""
    numbers = np.full(starts.size, -1, np.int64)
    for url in range(starts.size):
        last = min(stops[url], starts[url] + longest)
        for at in range(host_stops[url], last + 1):
            if at == stops[url] or _ends_prefix(data[at]):
                numbers[url] = find(data, starts[url], at, entries)
                if numbers[url] >= 0:
                    break
    return numbers
