"""URL dedup: documents are duplicates when their URLs name the same page.

Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models" (arXiv:2407.21783), section 3.1.1; Penedo et al. 2023,
"The RefinedWeb Dataset for Falcon LLM" (arXiv:2306.01116), section 3.3, which keep one version of each URL.
Choices the papers leave open. These count as the same:

    scheme, user, port         http://example.com, https://me@example.com:8080
    host                       in any case, with "www." or without, with a dot at its end; bücher.example, xn--bcher-kva
    escapes                    /%7Eme, /~me
    slashes that end a path    /a, /a/
    fragment                   /a#top, /a; but not a route of its own, "#!…" or "#/…"
    order of parameters        ?a=1&b=2, ?b=2&a=1; but not that of one parameter's values, ?a=1&a=2
    empty parameters           /a, /a?, /a?&
    parameters in `tracking`   /a, /a?utm_source=x

A URL in which redaction put a placeholder (`?mail=%3CEMAIL%3E`) stands for many pages, and so has no key either.
Everything else differs: the case of a path, other parameters, `m.` and other hosts, `index.html`.
`curation/text/urls/parse.py` defines URLs and the forms of hosts and escapes. A document without a URL (null, empty, or
without a host) has no key, and so is no duplicate. The key is the 128-bit MurmurHash3 of the canonical form.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Links, Pairs
from curation.core.protocols import Uint64s, Vectors
from curation.dedup.clusters.groups import equal_pairs
from curation.models.redaction.urls import has_placeholder
from curation.text.kernels.blocks import copy_bytes
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_array
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import hash128, hash_spans
from curation.text.urls.parse import Urls, parse_urls

# These say how a visitor came to a page, or who they are, not which page it is.
TRACKING = (
    *("utm_*", "gclid", "dclid", "gbraid", "wbraid", "_ga", "_gl", "fbclid", "igshid", "msclkid", "twclid", "yclid"),
    *("mc_cid", "mc_eid", "phpsessid", "jsessionid"),
)
_HASH, _AND, _DOT, _SLASH, _EQUALS, _QUESTION, _BANG, _STAR, _W = b"#&./=?!*w"


@dataclass(frozen=True, kw_only=True)
class CanonicalUrl(Links):
    """One key per document that has a URL with a host."""

    # Names in lower case, which match in any case; "utm_*" stands for every name that begins with utm_.
    tracking: Annotated[tuple[str, ...], "query parameters that are ignored"] = TRACKING

    reads: ClassVar[tuple[str, ...]] = ("url",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for name in self.tracking:
            if not name or name != name.lower() or "*" in name[:-1] or not name.isascii():
                raise ValueError(
                    f"tracking: {name!r} is not a name in lower case; give one, or its beginning and *, such as utm_*"
                )

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Keys in row order, at most one per row."""
        urls = parse_urls(batch.column("url"))
        known = urls.have_host & ~has_placeholder(batch.column("url"))
        row = np.flatnonzero(known)
        hi, lo = hash128(_pages(urls.only(known), self.tracking))
        return Keys(hi, lo, row)

    def keys_each(self) -> int:
        return 1

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Equal keys are duplicates."""
        return equal_pairs(hi, lo)


class _Parts(NamedTuple):
    """Bounds in `data` of N canonical URLs with P parameters that count."""

    starts: Out[Indices]  # int64[N], of the host without "www."
    paths: Out[Indices]  # int64[N], where the path ends without its last slashes
    routes: Out[Indices]  # int64[N], where a fragment that is a route begins; the URL's end if there is none
    url: Out[Indices]  # int64[P]
    first: Out[Indices]  # int64[P], of the parameter
    last: Out[Indices]
    name: Out[Indices]  # int64[P], where its name ends


def _pages(urls: Urls, tracking: tuple[str, ...]) -> pa.Array:
    """large_string[N]: the form in which URLs of the same page are equal."""
    listed, bounds = phrase_buffers(tracking) if tracking else (np.zeros(0, np.uint8), np.zeros(1, np.int64))
    parts = _take_apart(urls, listed, bounds)
    # By the hash of the name: any order will do, as long as equal names keep theirs.
    order = np.lexsort((hash_spans(urls.data, parts.first, parts.name), parts.url))
    out = np.empty(int((urls.stops - urls.starts).sum()), np.uint8)
    ends = np.zeros(len(urls.starts) + 1, np.int64)
    first = np.searchsorted(parts.url, np.arange(len(ends)))
    _write(urls.data, urls.stops, parts, first, order, out, ends)
    return text_array(out[: ends[-1]], ends)


def _take_apart(urls: Urls, listed: Bytes, bounds: Indices) -> _Parts:
    most = int(np.count_nonzero(urls.data == _AND)) + len(urls.starts)
    of_urls = np.empty((3, len(urls.starts)), np.int64)
    of_parameters = np.empty((4, most), np.int64)
    parts = _Parts(*of_urls, *of_parameters)
    parameters = _find_parts(urls.data, urls.starts, urls.host_stops, urls.stops, listed, bounds, parts)
    return _Parts(*of_urls, *of_parameters[:, :parameters])


@kernel
def _find(data: Bytes, start: int, stop: int, byte: int) -> int:
    """Where a byte first occurs in data[start:stop]; `stop` if it does not."""
    while start < stop and data[start] != byte:
        start += 1
    return start


@kernel
def _is_listed(data: Bytes, start: int, stop: int, listed: Bytes, bounds: Indices) -> bool:
    """Whether data[start:stop] is one of the names, or begins like one that ends in a star."""
    for name in range(bounds.size - 1):
        first = bounds[name]
        last = bounds[name + 1]
        open_end = listed[last - 1] == _STAR
        size = last - first - open_end
        if stop - start == size or (open_end and stop - start > size):
            same = 0
            while same < size:
                byte = data[start + same]
                if (byte | 0x20 if 0x41 <= byte <= 0x5A else byte) != listed[first + same]:
                    break
                same += 1
            if same == size:
                return True
    return False


@kernel
def _without_www(data: Bytes, start: int, stop: int) -> int:
    """Where a host begins after "www.", if what remains has a dot."""
    if stop - start < 5 or data[start + 3] != _DOT or _find(data, start + 4, stop, _DOT) == stop:
        return start
    return start + 4 if data[start] == _W and data[start + 1] == _W and data[start + 2] == _W else start


@kernel
def _fragment(data: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Where a fragment begins, and where it does if it is a route; `stop` if there is none."""
    at = _find(data, start, stop, _HASH)
    route = at + 1 < stop and (data[at + 1] == _BANG or data[at + 1] == _SLASH)
    return at, at if route else stop


@kernel
def _find_parts(
    data: Bytes,
    starts: Indices,
    host_stops: Indices,
    stops: Indices,
    listed: Bytes,
    bounds: Indices,
    parts: _Parts,
) -> int:
    """Fill the arrays of `parts`; returns the number of parameters."""
    parameters = 0
    for row in range(starts.size):
        parts.starts[row] = _without_www(data, starts[row], host_stops[row])
        end, parts.routes[row] = _fragment(data, host_stops[row], stops[row])
        query = _find(data, host_stops[row], end, _QUESTION)
        path = query
        while path > host_stops[row] and data[path - 1] == _SLASH:
            path -= 1
        parts.paths[row] = path
        at = query + 1
        while at < end:
            stop = _find(data, at, end, _AND)
            equals = _find(data, at, stop, _EQUALS)
            if at < stop and not _is_listed(data, at, equals, listed, bounds):
                parts.url[parameters] = row
                parts.first[parameters] = at
                parts.last[parameters] = stop
                parts.name[parameters] = equals
                parameters += 1
            at = stop + 1
    return parameters


@kernel
def _write(
    data: Bytes, stops: Indices, parts: _Parts, first: Indices, order: Indices, out: Out[Bytes], ends: Out[Indices]
) -> None:
    """Write each URL n with its parameters, order[first[n]:first[n + 1]], and its end."""
    to: Int = 0
    for url in range(stops.size):
        to = copy_bytes(data, parts.starts[url], parts.paths[url], out, to)
        for place in range(first[url], first[url + 1]):
            parameter = order[place]
            out[to] = _QUESTION if place == first[url] else _AND
            to = copy_bytes(data, parts.first[parameter], parts.last[parameter], out, to + 1)
        to = copy_bytes(data, parts.routes[url], stops[url], out, to)
        ends[url + 1] = to
