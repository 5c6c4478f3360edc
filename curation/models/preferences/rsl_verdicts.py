"""Judges by terms in RSL whether a document may be used for training: one verdict per document with terms.

Terms are those of the page's own script, of the files to which page, header and robots.txt link, of the files in RSL of
the page's own host, and of the user's files. A linked file is read if it is in the index; of several fetches, the one
nearest in time counts. The strictest of all terms that are about the page decides. Where a link leads to terms that are
not there, and no others are about the page, they are unread: the page has terms that nobody knows.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urljoin

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.preferences.rsl import PAID, REFUSED, VERDICTS, Term, on_training, split
from curation.models.preferences.rsl_files import RslFiles
from curation.models.preferences.site_files import MILLISECONDS, RSL, SiteFiles
from curation.models.preferences.statements import Statement
from curation.text.kernels.buffers import Indices
from curation.text.urls.parse import Urls, parse_urls

UNREAD = "unread"
OWN = "in the page"  # stands for the address of terms in the page's script


@dataclass(frozen=True)
class RslVerdict:
    """The terms about one page; None: it has none."""

    verdict: str | None = None  # one of `rsl.VERDICTS`, or UNREAD
    address: str | None = None  # where the terms stand

    @property
    def refused(self) -> bool:
        """Whether training is not permitted, or for a payment only."""
        return self.verdict in (REFUSED, PAID)

    @property
    def unread(self) -> bool:
        return self.verdict == UNREAD

    @property
    def written(self) -> str | None:
        """The verdict and where it stands."""
        return None if self.verdict is None else f"{self.verdict} {self.address}"


@dataclass(frozen=True)
class TermsFinder:
    """Finds terms by their addresses; `site` is None where no files of sites were given, `given` without the user's."""

    site: SiteFiles | None
    given: RslFiles | None
    max_days: int
    _rows: dict[str, range] = field(default_factory=dict)  # of linked files, by link

    def verdict(
        self, page: str, url: str, date: int | None, own: Statement, licences: Sequence[str], files: range, given: int
    ) -> RslVerdict:
        """Judges a page by its address, as written and canonical, `date` in ms; `licences` are the links in its
        robots.txt, `files` the rows of its host's files in RSL, `given` the number of its host among the user's."""
        host, _, path = url.partition("#")[0].partition("/")
        found: list[tuple[str, Sequence[Term]]] = []
        if own.rsl_terms:
            found.append((OWN, split(own.rsl_terms)))
        if self.given is not None and given >= 0:
            found += self.given.terms[given]
        found += self._near(files, date, None)
        links = dict.fromkeys(_resolved(page, link) for link in (*own.rsl, *licences))
        for link in links:
            found += self._near(self._files_at(link), date, link)
        judged = [(on_training(terms, host, f"/{path}"), address) for address, terms in found]
        read = [(VERDICTS.index(verdict), address) for verdict, address in judged if verdict]
        if read:
            verdict, address = max(read, key=lambda one: one[0])
            return RslVerdict(VERDICTS[verdict], address)
        missing = [link for link in links if link not in {address for address, _ in found}]
        missing += [OWN] if own.rsl_terms and not split(own.rsl_terms) else []
        return RslVerdict(UNREAD, missing[0]) if missing else RslVerdict()

    def _files_at(self, link: str) -> range:
        """The rows of the files in RSL of the host to which a link leads."""
        if self.site is not None and link not in self._rows:
            first, stop = self.site.rows(parse_urls(pa.array([link], pa.large_string())), RSL)
            self._rows[link] = range(int(first[0]), int(stop[0]))
        return self._rows.get(link, range(0))

    def _near(self, rows: range, date: int | None, link: str | None) -> Iterator[tuple[str, Sequence[Term]]]:
        """Address and terms of the files among `rows`, of each address the one nearest to the date; with a link only
        that file."""
        best: dict[str, tuple[int, tuple[Term, ...]]] = {}
        wanted = None if link is None else _canonical(link)
        if self.site is None or date is None:
            return
        for row in rows:
            distance = abs(int(self.site.dates[row]) - date)
            address, terms = _read(self.site.content(row))
            if distance > self.max_days * MILLISECONDS or (wanted is not None and _canonical(address) != wanted):
                continue
            if address not in best or distance < best[address][0]:
                best[address] = (distance, terms)
        for address, (_, terms) in best.items():
            yield link or address, terms


def rsl_verdicts(
    finder: TermsFinder,
    pages: pa.Array,
    urls: Urls,
    dates: npt.NDArray[np.float64],
    stated: Sequence[tuple[Statement, Sequence[str]]],
    which: Indices,
) -> tuple[list[RslVerdict], Indices]:
    """Verdicts, and int64[N] which of them is that of each document, for pages[N] as written and in canonical form.
    `dates` are float64[N] in ms, NaN where unknown; `which` int64[N] says which statement, and links of robots.txt,
    each has. Only documents with terms cost more than a look-up."""
    none = np.zeros(len(which), np.int64)
    first, stop = finder.site.rows(urls, RSL) if finder.site is not None else (none, none)
    given = np.full(len(which), -1) if finder.given is None else finder.given.numbers(urls)
    states = np.array([bool(own.rsl or own.rsl_terms or licences) for own, licences in stated], np.bool_)
    verdicts: dict[RslVerdict, int] = {RslVerdict(): 0}
    result = none.copy()
    for document in np.flatnonzero(states[which] | (stop > first) | (given >= 0)).tolist():
        own, licences = stated[which[document]]
        url = urls.data[urls.starts[document] : urls.stops[document]].tobytes().decode("utf-8", "replace")
        date = None if np.isnan(dates[document]) else int(dates[document])
        files = range(int(first[document]), int(stop[document]))
        one = finder.verdict(pages[document].as_py() or "", url, date, own, licences, files, int(given[document]))
        result[document] = verdicts.setdefault(one, len(verdicts))
    return list(verdicts), result


def _resolved(page: str, link: str) -> str:
    """The address to which a link leads."""
    try:
        return urljoin(page, link)
    except ValueError:  # brackets that are no address
        return link


@lru_cache(maxsize=1 << 10)
def _read(content: str) -> tuple[str, tuple[Term, ...]]:
    """Address and terms of a file in the index."""
    address, terms = json.loads(content)
    return address, tuple(Term(*term) for term in terms)


@lru_cache(maxsize=1 << 10)
def _canonical(address: str) -> str:
    urls = parse_urls(pa.array([address], pa.large_string()))
    return urls.data[urls.starts[0] : urls.stops[0]].tobytes().decode("utf-8", "replace").partition("#")[0]
