"""The registered domain of a host: "example.co.uk" for "www.example.co.uk".

Source: Mozilla Foundation, "Public Suffix List" (publicsuffix.org). Only its ICANN section counts: blogspot.com and
github.io are registered domains, though others rent names below them. An unlisted suffix is one label. The list comes
with the package `tld` and is never fetched; any file in its format will do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import Bytes, Indices, text_array
from curation.text.kernels.compiler.kernel import kernel
from curation.text.phrases.string_set import Entries, entries, find
from curation.text.urls.hosts import ascii_host, is_address, next_label
from curation.text.urls.parse import Urls

EMBEDDED = "effective_tld_names.dat.txt"
_END = "// ===END ICANN DOMAINS==="
_RULE = 1
_WILDCARD = 2
_EXCEPTION = 4


@dataclass(frozen=True)
class Suffixes:
    """The names in the rules, and uint8[E] flags: a suffix, a parent of suffixes ("*.ck"), not a suffix ("!www.ck")."""

    names: Entries
    kinds: npt.NDArray[np.uint8]

    def registered(self, urls: Urls) -> pa.Array:
        """string[N]: the registered domain of each host; null for a suffix or an IP address."""
        begins = _registered(urls.data, urls.starts, urls.host_stops, self.names, self.kinds)
        domains = text_array(*gather(urls.data, begins, urls.host_stops)).cast(pa.string())
        return pc.if_else(begins < urls.host_stops, domains, pa.scalar(None, pa.string()))


def locate(file: str) -> str:
    """The path or URI of a list; EMBEDDED names the embedded one. Raises InputError if there is no such file."""
    if file != EMBEDDED:
        if storage.size(file) < 0:
            raise InputError(
                f"no public suffix list at {file}; give its path or URI, or {EMBEDDED} for the embedded one"
            )
        return file
    try:
        return str(distribution("tld").locate_file(f"tld/res/{EMBEDDED}"))
    except PackageNotFoundError as error:
        raise InputError(
            f"{EMBEDDED} is not installed: run `pip install tld`, or give a public suffix list's path or URI"
        ) from error


@lru_cache(maxsize=4)
def load(file: str) -> Suffixes:
    """The list at a path or URI, or the embedded one; the same object for the same name. Raises InputError if the file
    is not a list."""
    kinds: dict[str, int] = {}
    try:
        for name, kind in _rules(storage.read_bytes(locate(file)).decode()):
            kinds[name] = kinds.get(name, 0) | kind
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a public suffix list: it is not UTF-8 text") from error
    if not kinds:
        raise InputError(f"{file} is not a public suffix list: it has no rule before {_END!r}")
    return Suffixes(entries(kinds), np.array(list(kinds.values()), np.uint8))


def _rules(text: str) -> Iterator[tuple[str, int]]:
    for line in text.split(_END)[0].splitlines():
        rule = line.partition("//")[0].strip()
        if rule.startswith("!"):
            yield ascii_host(rule[1:].encode()), _EXCEPTION
        elif rule.startswith("*."):
            yield ascii_host(rule[2:].encode()), _WILDCARD
        elif rule:
            yield ascii_host(rule.encode()), _RULE


@kernel
def _kind(data: Bytes, start: int, stop: int, names: Entries, kinds: npt.NDArray[np.uint8]) -> int:
    entry = find(data, start, stop, names)
    return int(kinds[entry]) if entry >= 0 else 0


@kernel
def _registered(data: Bytes, starts: Indices, stops: Indices, names: Entries, kinds: npt.NDArray[np.uint8]) -> Indices:
    """Goes from the whole name to its last label; the domain begins one label before the first suffix."""
    begins = stops.copy()  # empty unless a domain is found
    for url in range(starts.size):
        at = starts[url]
        stop = stops[url]
        before = stops[url]
        if is_address(data, at, stop):
            continue
        kind = _kind(data, at, stop, names, kinds)
        while at < stop:
            after = next_label(data, at, stop)
            parent = _kind(data, after, stop, names, kinds)
            if kind & _EXCEPTION:
                before = at
                break
            if kind & _RULE or parent & _WILDCARD or after == stop:
                break
            before = at
            at = after
            kind = parent
        begins[url] = before
    return begins
