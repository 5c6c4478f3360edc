"""The registered domain of a host: the part of its name that somebody registered, as "example.co.uk" of
"www.example.co.uk".

Source: Mozilla Foundation, "Public Suffix List" (publicsuffix.org), its ICANN section: who rents names below their own
(blogspot.com, github.io) has registered the domain all the same. A suffix that the list does not know is one label.
The list is the one that the package `tld` brings, never fetched, or any file in its format.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.text.kernels.blocks import taken
from curation.text.kernels.buffers import Bytes, Indices, text_array
from curation.text.kernels.compiled import kernel
from curation.text.phrases.string_set import Entries, entries, find
from curation.text.urls.hosts import ascii_host, is_address, next_label
from curation.text.urls.parse import Urls

EMBEDDED = "effective_tld_names.dat.txt"
_END = "// ===END ICANN DOMAINS==="
_RULE, _WILDCARD, _EXCEPTION = 1, 2, 4


@dataclass(frozen=True)
class Suffixes:
    """The rules' names, and uint8[E] what each is: a suffix, the parent of suffixes ("*.ck"), no suffix ("!www.ck")."""

    names: Entries
    kinds: npt.NDArray[np.uint8]

    def registered(self, urls: Urls) -> pa.Array:
        """string[N]: the registered domain of each host, null for one that is a suffix itself or an IP address."""
        begins = _registered(urls.data, urls.starts, urls.host_stops, self.names, self.kinds)
        domains = text_array(*taken(urls.data, begins, urls.host_stops)).cast(pa.string())
        return pc.if_else(begins < urls.host_stops, domains, pa.scalar(None, pa.string()))


def locate(file: str) -> str:
    """Path or URI of a list, the embedded one for its name. Raises InputError where there is none."""
    if file != EMBEDDED:
        if storage.size(file) < 0:
            raise InputError(f"no public suffix list at {file}; name a file, or {EMBEDDED} for the embedded one")
        return file
    package = importlib.util.find_spec("tld")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "res" / EMBEDDED
        if path.is_file():
            return str(path)
    raise InputError(f"{EMBEDDED} is not installed: `pip install tld` brings it, or name a public suffix list's file")


@lru_cache(maxsize=4)
def load(file: str) -> Suffixes:
    """The list at a path or URI, or the embedded one; the same object for the same name. Raises InputError for a file
    that holds none."""
    kinds: dict[str, int] = {}
    try:
        for name, kind in _rules(storage.read_bytes(locate(file)).decode()):
            kinds[name] = kinds.get(name, 0) | kind
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no public suffix list: not UTF-8 text") from error
    if not kinds:
        raise InputError(f"{file} is no public suffix list: it has no rule before {_END!r}")
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
    """From the whole name to its last label: the first that is a suffix ends the search one label before."""
    begins = stops.copy()  # none: the empty part at the end
    for url in range(starts.size):
        at, stop, before = starts[url], stops[url], stops[url]
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
            before, at, kind = at, after, parent
        begins[url] = before
    return begins
