"""URL blocklist: drop documents by their URL, before anything reads their text.

Source: Penedo et al. 2023, "The RefinedWeb Dataset" (arXiv:2306.01116), appendix G.1: a list of domains and URLs, then
words in the URL: subwords anywhere, whole words, and soft words, of which two are too many. The lists are those of the
University of Toulouse (UT1), by category; a few entries are built in, everything else is read from files: UT1 folders,
hosts files, ad blockers' lists, plain ones (see `curation.models.lists.url_lists`):

    - filter: {url_blocklist: {lists: [lists/ut1/adult, lists/ut1/gam*/domains, lists/mine.urls.txt]}}

A listed domain blocks itself and everything below it, also if it is a public suffix (`blogspot.com`, `xxx`). A listed
host blocks only itself, with or without "www.". A listed URL blocks itself and what continues it at one of / ? # & ;,
for any scheme and port.
Choices the paper leaves open: URLs are compared in canonical form (`curation.text.urls.parse`), so escapes, capitals,
ports, user names and Unicode spellings hide nothing; each soft word counts once. A document without a URL, or whose URL
has no host, is unmeasured.

What others do differently:
- RefinedWeb also drops sites that it wants to add from elsewhere (Wikipedia, arXiv, …): list those as `domains`. It
  uses chosen categories of UT1 without weights, and has not published its word list.
- datatrove (0.10) looks up the registered domain and the whole host, not the names between; matches a URL only as
  written, with its scheme, though UT1 lists URLs without one; matches words only in lower case. It tries soft words
  before subwords, and fails on a document without a URL. Its threshold for soft words is the same.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Files, Signals
from curation.core.filter import Filter
from curation.core.limits import COUNTS, Limit
from curation.models.lists import public_suffixes, url_lists
from curation.models.lists.url_lists import KINDS, UrlLists
from curation.text.kernels.buffers import Indices
from curation.text.urls.list_matches import domains_of, hosts_of, prefixes_of
from curation.text.urls.parse import parse_urls
from curation.text.urls.words import split_words, subwords_of, words_of

EMBEDDED: dict[str, tuple[str, ...]] = {
    "domains": (
        *("xxx", "porn", "sex", "adult"),  # top-level ones
        *("pornhub.com", "xvideos.com", "xnxx.com", "xhamster.com", "redtube.com", "youporn.com", "chaturbate.com"),
    ),
    "subwords": ("freeporn", "pornvideo", "pornstar", "porntube", "gayporn", "xxxvideo", "xxxmovie", "camgirl"),
    "words": ("porn", "porno", "pornos", "xxx", "hentai", "milf", "milfs", "blowjob", "gangbang", "cumshot"),
    "soft_words": (
        *("sex", "sexy", "nude", "nudes", "naked", "erotic", "escort", "escorts", "webcam", "webcams", "fetish"),
        *("casino", "casinos", "poker", "roulette", "slots", "jackpot", "viagra", "cialis"),
        *("torrent", "torrents", "warez", "keygen"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class UrlBlocklist(Filter):
    """Lists to judge URLs by, from files and from the recipe, and the limit on soft words, which is the paper's."""

    lists: Annotated[
        Files, "files, folders, globs, or name -> file; a name ends in what it lists: `adult.domains`"
    ] = ()
    domains: Annotated[tuple[str, ...], "block themselves and everything below them"] = ()
    hosts: Annotated[tuple[str, ...], "block themselves, with or without www."] = ()
    urls: Annotated[tuple[str, ...], "block themselves and what continues them"] = ()
    expressions: Annotated[tuple[str, ...], "RE2, anywhere in the URL as written"] = ()
    subwords: Annotated[tuple[str, ...], "block a URL that holds one anywhere"] = ()
    words: Annotated[tuple[str, ...], "block a URL that holds one as a whole word"] = ()
    soft_words: Annotated[tuple[str, ...], "whole words of which `max_soft_words` may stand in a URL"] = ()
    embedded: Annotated[bool, "use the built-in lists too"] = True
    max_soft_words: Annotated[int, "different ones"] = 1
    public_suffixes: Annotated[str, "or path or URI of another list"] = public_suffixes.EMBEDDED

    reads: ClassVar[tuple[str, ...]] = ("url",)
    limits: ClassVar[tuple[Limit, ...]] = (
        *(Limit(kind, most=0) for kind in ("domain", "host", "url", "expression", "subwords", "words")),
        Limit("soft_words", most="max_soft_words", between=COUNTS),
    )
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for kind in KINDS:
            if getattr(self, kind):
                url_lists.load(kind, self._entries(kind), ())  # raises for a bad entry before any work

    def assets(self) -> dict[str, Files]:
        """The list files by name, and the public suffixes. Raises InputError if one is missing."""
        files = url_lists.files_of(self.lists)
        url_lists.check(files)
        return {"lists": files, "public_suffixes": public_suffixes.locate(self.public_suffixes)}

    def signal_types(self) -> Signals:
        """A count for each kind of list, then what matched."""
        counts = ("domain", "host", "url", "expression", "subwords", "words", "soft_words")
        matched = ("list", "entry", "registered_domain")
        return {**dict.fromkeys(counts, pa.int64()), **dict.fromkeys(matched, pa.string())}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> int64[N] per kind of list: 1 if the URL is on one; for words, how many different ones
        match.

        Also string[N]: `list` and `entry`, the first match in the order of the rules ("adult.domains", "example.com";
        null for none), and `registered_domain`. All are null if the URL has no host.
        """
        column = batch.column("url")
        listed = {kind: self._listed(kind) for kind in KINDS}
        urls = parse_urls(column)
        split = split_words(urls)
        words = {kind: words_of(split, listed[kind].entries) for kind in ("words", "soft_words")}
        words["subwords"] = subwords_of(split, listed["subwords"].entries)
        hits = {
            "domains": domains_of(urls, listed["domains"].entries),
            "hosts": hosts_of(urls, listed["hosts"].entries),
            "urls": prefixes_of(urls, listed["urls"].entries),
            "expressions": _expressions_of(column, listed["expressions"]),
            **{kind: words[kind].first for kind in ("subwords", "words", "soft_words")},
        }
        missing = ~urls.have_host
        places = ("domains", "hosts", "urls", "expressions")
        counts = {kind.removesuffix("s"): (hits[kind] >= 0).astype(np.int64) for kind in places}
        counts |= {kind: words[kind].different for kind in ("subwords", "words", "soft_words")}
        hits = {kind: np.where(missing, -1, number) for kind, number in hits.items()}
        return {
            **{name: pa.array(count, mask=missing) for name, count in counts.items()},
            "list": pc.coalesce(*(listed[kind].list_names(hits[kind]) for kind in KINDS)),
            "entry": pc.coalesce(*(listed[kind].entries.names(hits[kind]) for kind in KINDS)),
            "registered_domain": public_suffixes.load(self.public_suffixes).registered(urls),
        }

    def _entries(self, kind: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        own = EMBEDDED.get(kind, ()) if self.embedded else ()
        return ((f"embedded.{kind}", own), (f"recipe.{kind}", getattr(self, kind)))

    def _listed(self, kind: str) -> UrlLists:
        """All entries of one of `url_lists.KINDS`."""
        files = url_lists.files_of(self.lists).items()
        chosen = tuple((name, path) for name, path in files if url_lists.kind_of(name) == kind)
        return url_lists.load(kind, self._entries(kind), chosen)


def _expressions_of(column: pa.Array, listed: UrlLists) -> Indices:
    """int64[N]: number of the first expression that each URL matches, -1 for none."""
    first = np.full(len(column), -1, np.int64)
    expressions = listed.entries.names(np.arange(listed.entries.total)).to_pylist()
    for number in reversed(range(len(expressions))):
        mask = pc.match_substring_regex(column, expressions[number], ignore_case=True)
        first[pc.fill_null(mask, False).to_numpy(zero_copy_only=False)] = number
    return first
