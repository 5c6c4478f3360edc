"""URL blocklist: drop documents by where they are from, before anything reads their text.

Source: Penedo et al. 2023, "The RefinedWeb Dataset" (arXiv:2306.01116), appendix G.1: a list of domains and URLs, then
words in the URL: parts of words wherever they stand, whole words, and soft words, of which two are too many.
It blocks by categories of the lists of the University of Toulouse (UT1); a few of our own are built in, the others are
read from files: UT1 folders, hosts files, ad blockers' lists, plain ones (see `curation.models.lists.url_lists`):

    - filter: {url_blocklist: {lists: [lists/ut1/adult, lists/ut1/gam*/domains, lists/mine.urls.txt]}}

A listed domain drops itself and everything below it, also where it is a public suffix (`blogspot.com`, `xxx`); a host
only itself, with or without "www."; a URL itself and what continues it at one of / ? # & ;, whatever scheme and port.
Choices the paper leaves open: a URL is judged in canonical form (`curation.text.urls.parse`), so escapes, capitals,
ports, user names and Unicode spellings hide nothing; soft words count once each. A document without a URL, or with one
that has no host, is unmeasured.

What others do differently:
- RefinedWeb also drops sites that it wants to add from elsewhere (Wikipedia, arXiv, …): give those as `domains`. Of UT1
  it takes chosen categories, weighing none; it keeps no word list public.
- datatrove (0.10) looks up the registered domain and the whole host, none of the names between; a URL only as it is
  written, scheme and all, which is not how UT1 writes them; words only where the URL has them in small letters. It
  tries soft words before parts of words, and fails where there is no URL. The threshold of soft words is the same.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.protocols import Files
from curation.core.rules import COUNTS, Rule
from curation.models.lists import public_suffixes, url_lists
from curation.models.lists.url_lists import KINDS, Listed
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
class UrlBlocklist:
    """Lists to judge URLs by, from files and given here, and the limit on soft words, which is the paper's."""

    lists: Files = ()  # files, folders, globs, or files by name; a name ends in what is listed: `adult.domains`
    domains: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()  # RE2, anywhere in the URL as it is written
    subwords: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    soft_words: tuple[str, ...] = ()
    embedded: bool = True  # whether the built-in lists count
    max_soft_words: int = 1  # different ones
    public_suffixes: str = public_suffixes.EMBEDDED  # or the path or URI of another list

    reads: ClassVar[tuple[str, ...]] = ("url",)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for kind in KINDS:
            url_lists.load(kind, self._given(kind), ())  # names what is wrong with an entry before any work

    def assets(self) -> dict[str, Files]:
        """The list files by name, and the public suffixes. Raises InputError where one is missing."""
        files = url_lists.files_of(self.lists)
        url_lists.check(files)
        return {"lists": files, "public_suffixes": public_suffixes.locate(self.public_suffixes)}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> int64[N] per kind of list: 1 where the URL is on one, for words how many different.

        Also string[N]: `list` and `entry`, the first that hits in the order of the rules ("adult.domains",
        "example.com"; null for none), and `registered_domain`. All are null where the URL has no host.
        """
        column, listed = batch.column("url"), {kind: self.listed(kind) for kind in KINDS}
        urls = parse_urls(column)
        split = split_words(urls)
        words = {kind: words_of(split, listed[kind].entries) for kind in ("words", "soft_words")}
        words["subwords"] = subwords_of(split, listed["subwords"].entries)
        found = {
            "domains": domains_of(urls, listed["domains"].entries),
            "hosts": hosts_of(urls, listed["hosts"].entries),
            "urls": prefixes_of(urls, listed["urls"].entries),
            "expressions": _expressions_of(column, listed["expressions"]),
            **{kind: words[kind].first for kind in ("subwords", "words", "soft_words")},
        }
        missing = ~urls.have_host
        places = ("domains", "hosts", "urls", "expressions")
        counts = {kind.removesuffix("s"): (found[kind] >= 0).astype(np.int64) for kind in places}
        counts |= {kind: words[kind].different for kind in ("subwords", "words", "soft_words")}
        found = {kind: np.where(missing, -1, number) for kind, number in found.items()}
        return {
            **{name: pa.array(count, mask=missing) for name, count in counts.items()},
            "list": pc.coalesce(*(listed[kind].list_names(found[kind]) for kind in KINDS)),
            "entry": pc.coalesce(*(listed[kind].entries.names(found[kind]) for kind in KINDS)),
            "registered_domain": public_suffixes.load(self.public_suffixes).registered(urls),
        }

    def rules(self) -> tuple[Rule, ...]:
        none = ("domain", "host", "url", "expression", "subwords", "words")
        return (
            *(Rule(name, at_most=0) for name in none),
            Rule("soft_words", at_most=self.max_soft_words, between=COUNTS),
        )

    def _given(self, kind: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        own = EMBEDDED.get(kind, ()) if self.embedded else ()
        return ((f"embedded.{kind}", own), (f"recipe.{kind}", getattr(self, kind)))

    def listed(self, kind: str) -> Listed:
        """Everything that is listed of one of `url_lists.KINDS`."""
        files = url_lists.files_of(self.lists).items()
        return url_lists.load(
            kind, self._given(kind), tuple((name, path) for name, path in files if url_lists.kind_of(name) == kind)
        )


def _expressions_of(column: pa.Array, listed: Listed) -> Indices:
    """int64[N]: the first expression that each URL matches, -1 for none."""
    found = np.full(len(column), -1, np.int64)
    expressions = listed.entries.names(np.arange(listed.entries.total)).to_pylist()
    for number in reversed(range(len(expressions))):
        mask = pc.match_substring_regex(column, expressions[number], ignore_case=True)
        found[pc.fill_null(mask, False).to_numpy(zero_copy_only=False)] = number
    return found
