"""Terms in RSL that the user names as files of their own: they hold for the hosts in their addresses, at any time."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from curation.core import storage
from curation.core.errors import InputError
from curation.models.preferences.rsl import MAX_BYTES, Term, host_of, read_terms
from curation.text.kernels.buffers import Indices
from curation.text.phrases.string_set import Entries, entries, find_spans
from curation.text.urls.parse import Urls


@dataclass(frozen=True)
class RslFiles:
    """H hosts, and for each the terms about it, by the file that they stand in."""

    hosts: Entries
    terms: tuple[tuple[tuple[str, tuple[Term, ...]], ...], ...]

    def numbers(self, urls: Urls) -> Indices:
        """int64[N]: the number of each URL's host, -1 where no term is about it."""
        return find_spans(urls.data, urls.starts, urls.host_stops, self.hosts)


@lru_cache(maxsize=4)
def load(files: tuple[str, ...]) -> RslFiles:
    """The same object for the same names. Raises InputError for a file that is missing, no RSL, or names no host."""
    hosts: dict[str, dict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        terms = read_terms(storage.read_bytes(file))
        if not terms:
            raise InputError(f"{file} holds no terms in RSL, or more than {MAX_BYTES >> 10} KiB; give an RSL file")
        for term in terms:
            host = host_of(term.pattern)
            if not host or "*" in host:
                raise InputError(
                    f"{file} has terms for {term.pattern}, which names no host; write it as https://example.org/*"
                )
            hosts[host][file].append(term)
    return RslFiles(
        entries(hosts),
        tuple(tuple((file, tuple(terms)) for file, terms in by_file.items()) for by_file in hosts.values()),
    )
