"""Opt-outs: drop pages whose site, header or metadata refuses that language models are trained on them.

    - fit: {site_preferences: {files: "robotstxt/*.warc.gz"}}
    - filter: {opt_outs: {honour: [robots_txt, noai, tdm_reservation], site_preferences: "@site_preferences"}}

All rules are measured, and their statements kept as written; only those under `honour` drop:

    robots_txt      the page's site refuses it to one of `agents`, by default crawlers that train models
    ai_txt          the same in the site's ai.txt, also where that names only the types of pages (*.html)
    content_signal  ai-train=no, in robots.txt or in a header
    content_usage   train-ai=n, in robots.txt or in a header
    noai, noimageai in the page's robots metadata or its header X-Robots-Tag
    tdm_reservation "1" in the page's metadata, else in its header, else by the first rule of the site's tdmrep.json
    rsl             terms of use in RSL prohibit training on the page, do not permit it, or permit it for a payment
    rsl_unread      such terms are linked and not among the files, and no others are about the page
    domain_list     the site's domain or one above it is in a file of your own

Source: RFC 9309, "Robots Exclusion Protocol"; Longpre et al. 2024, "Consent in Crisis" (arXiv:2407.14933), who asked
robots.txt for the crawlers that train models; Spawning 2023, "ai.txt"; W3C Community Group 2024, "TDM Reservation
Protocol"; RSL Collective 2025, "Really Simple Licensing 1.0"; see `curation/models/preferences` for the others.

Choices these leave open: the file that counts was fetched from the page's host nearest to the page's date, at most
`max_days` before or after it (30: about twice the length of a crawl). A page without a date, or a host without such a
file, is unknown to robots_txt: `unknown: drop` drops it. What is not stated is no refusal. Header and metadata are read
where a source of web archives is extracted; a filter that could learn nothing without them is refused elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Generic, Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Files, Signals
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.models.lists import url_lists
from curation.models.preferences import rsl_files, site_files
from curation.models.preferences.agents import TRAINING
from curation.models.preferences.rsl_verdicts import RslVerdict, TermsFinder, rsl_verdicts
from curation.models.preferences.site_verdicts import SiteVerdict, site_verdicts
from curation.models.preferences.statements import Statement, read_statement
from curation.text.kernels.buffers import Indices
from curation.text.urls.list_matches import domains_of
from curation.text.urls.parse import Urls, parse_urls

Verdict = TypeVar("Verdict")
EXTRACT = "extract"  # the column of what extraction found, and its field of statements
STATED = "preferences"

Refusal: TypeAlias = Literal[
    "robots_txt",
    "ai_txt",
    "content_signal",
    "content_usage",
    "noai",
    "noimageai",
    "tdm_reservation",
    "rsl",
    "rsl_unread",
    "domain_list",
]
RULES: tuple[str, ...] = get_args(Refusal)
OF_SITES = ("robots_txt", "ai_txt")  # which only files of sites state
OF_PAGES = ("noai", "noimageai")  # which only pages state
OF_BOTH = ("content_signal", "content_usage", "tdm_reservation", "rsl", "rsl_unread")
LIST = "domain_list"
WRITTEN = (  # strings, as stated
    "disallowed",
    "robots_txt_date",
    "content_signal_stated",
    "content_usage_stated",
    "tdm_policy",
    "rsl_terms",
    "listed_domain",
)


@dataclass(frozen=True, kw_only=True)
class OptOuts(Filter):
    """Which refusals are honoured, and where those of sites are."""

    honour: Annotated[tuple[Refusal, ...], "rules whose refusals drop a document; empty: none"]
    site_preferences: Annotated[str, "output of `fit: {site_preferences: …}`: its path, or @ and the stage's name"] = ""
    domain_list: Annotated[str, "path or URI of a file with one domain a line; each stands for all below it"] = ""
    rsl_files: Annotated[tuple[str, ...], "paths or URIs of files in RSL, about the hosts that they name"] = ()
    agents: Annotated[tuple[str, ...], "names of crawlers as robots.txt has them"] = TRAINING
    max_days: Annotated[int, "between the fetch of a page and that of its site's file"] = 30
    unknown: Annotated[Literal["keep", "drop"], "pages of sites without a robots.txt of that time"] = "keep"

    reads: ClassVar[tuple[str, ...]] = ("url", "crawled_at")
    reads_if_there: ClassVar[tuple[str, ...]] = (EXTRACT,)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("robots_txt_known", least=1, when={"unknown": ("drop",), "honour": ("robots_txt",)}),
        *(Limit(rule, most=0, when={"honour": (rule,)}) for rule in RULES),
    )
    deciding: ClassVar[tuple[str, ...]] = ("honour", "unknown")
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("protego",)

    def __post_init__(self) -> None:
        if not self.agents or not all(self.agents):
            raise RecipeError(
                "agents is empty, or names an empty one; give names as robots.txt has them, such as CCBot"
            )
        if self.max_days < 0:
            raise RecipeError(f"max_days is {self.max_days}; give 0 or more")
        asked = next((rule for rule in self.honour if rule in OF_SITES), None)
        if asked and not self.site_preferences:
            made_by = "the output of `fit: {site_preferences: …}`"
            raise RecipeError(f"{asked} stands in files of sites: give `site_preferences`, {made_by}")
        if LIST in self.honour and not self.domain_list:
            raise RecipeError("domain_list is to be honoured and names no file; give its path")
        if self._needs_pages():
            object.__setattr__(self, "reads", (*OptOuts.reads, EXTRACT))
            object.__setattr__(self, "reads_if_there", ())

    def _needs_pages(self) -> bool:
        """Whether a rule could learn nothing without the statements of pages."""
        known = (*(OF_BOTH if self.site_preferences else ()), *(("rsl",) if self.rsl_files else ()))
        return any(rule in (*OF_PAGES, *OF_BOTH) and rule not in known for rule in self.honour)

    def check_columns(self, columns: Mapping[str, pa.DataType]) -> None:
        """Raises RecipeError if extraction left no statements."""
        kind = columns.get(EXTRACT)
        if kind is not None and (not pa.types.is_struct(kind) or STATED not in [field.name for field in kind]):
            raise RecipeError(f"opt_outs: the extractor keeps no field {STATED!r} of what pages state")

    def assets(self) -> dict[str, Files]:
        """The files that are given. Raises InputError if one is missing or cannot be read."""
        files: dict[str, Files] = {}
        if self.site_preferences:
            site_files.load(self.site_preferences)
            files["site_preferences"] = self.site_preferences
        if self.rsl_files:
            rsl_files.load(self.rsl_files)
            files["rsl_files"] = self.rsl_files
        if self.domain_list:
            url_lists.check({LIST: self.domain_list})
            files["domain_list"] = self.domain_list
        return files

    def notes(self) -> tuple[str, ...]:
        """What is known of sites, and what was left out, once it is there."""
        if not self.site_preferences or self.site_preferences.startswith("@"):
            return ()
        site = site_files.load(self.site_preferences)
        counts = ", ".join(f"{count:,} {name}" for name, count in site.counts.items() if count)
        return (f"site preferences of {site.hosts.total:,} hosts: {counts}",)

    def signal_types(self) -> Signals:
        """A flag for each rule, whether robots.txt is known, then what is stated."""
        flags = dict.fromkeys((*RULES, "robots_txt_known"), pa.int64())
        return {**flags, **dict.fromkeys(WRITTEN, pa.string())}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> int64[N] per rule, 1 where it is refused, and `robots_txt_known`, 1 where its host
        has a robots.txt of its time; and string[N], null where nothing is stated.

        `disallowed` lists the crawlers to which robots.txt refuses the page, `robots_txt_date` is the day on which it
        was fetched; `content_signal_stated` and `content_usage_stated` are the site's lines as written, `tdm_policy`
        the address of a policy, `rsl_terms` what terms in RSL say and where they stand, `listed_domain` the entry of
        the list.
        """
        urls = parse_urls(batch.column("url"))
        listed = self._listed(urls)
        site = self._sites(urls, batch.column("crawled_at"))
        page = self._pages(batch)
        terms = self._terms(batch, urls, site, page)
        own = page.numbers("tdm_reservation")
        refused = {
            "robots_txt": site.texts("disallowed").is_valid(),
            "ai_txt": site.numbers("ai_txt") == 1,
            "content_signal": (site.numbers("content_signal") == 1) | (page.numbers("content_signal") == 0),
            "content_usage": (site.numbers("content_usage") == 1) | (page.numbers("content_usage") == 0),
            "noai": page.numbers("noai") == 1,
            "noimageai": page.numbers("noimageai") == 1,
            "tdm_reservation": pa.array(np.where(own < 0, site.numbers("tdm_reservation"), own) == 1),
            "rsl": terms.numbers("refused") == 1,
            "rsl_unread": terms.numbers("unread") == 1,
            LIST: listed.is_valid(),
        }
        policies = (page.texts("tdm_policy"), site.texts("tdm_policy"))
        written = {name: site.texts(name) for name in WRITTEN[:4]}
        return {
            **{rule: pa.array(refused[rule]).cast(pa.int64()) for rule in RULES},
            "robots_txt_known": written["robots_txt_date"].is_valid().cast(pa.int64()),
            **written,
            "tdm_policy": pc.if_else(refused["tdm_reservation"], pc.coalesce(*policies), pa.scalar(None, pa.string())),
            "rsl_terms": terms.texts("written"),
            "listed_domain": listed,
        }

    def _listed(self, urls: Urls) -> pa.Array:
        """string[N]: the entry of the list that each URL's host is or is below."""
        if not self.domain_list:
            return pa.nulls(len(urls.starts), pa.string())
        entries = url_lists.load("domains", (), ((LIST, self.domain_list),)).entries
        return entries.names(domains_of(urls, entries))

    def _sites(self, urls: Urls, crawled_at: pa.Array) -> "_Verdicts[SiteVerdict]":
        if not self.site_preferences:
            return _Verdicts([SiteVerdict()], np.zeros(len(crawled_at), np.int64))
        dated = np.asarray(crawled_at.is_valid())
        dates: Indices = np.asarray(pc.fill_null(crawled_at.cast(pa.int64()), 0), np.int64)
        site = site_files.load(self.site_preferences)
        return _Verdicts(*site_verdicts(site, urls, dates, dated, self.agents, self.max_days))

    def _terms(
        self, batch: pa.RecordBatch, urls: Urls, site: "_Verdicts[SiteVerdict]", page: "_Verdicts[Statement]"
    ) -> "_Verdicts[RslVerdict]":
        """Verdicts of terms in RSL; each pair of statements of page and robots.txt is judged once."""
        pairs, which = np.unique(page.which * len(site.several) + site.which, return_inverse=True)
        stated = [
            (page.several[pair // len(site.several)], site.several[pair % len(site.several)].licences)
            for pair in pairs.tolist()
        ]
        files = site_files.load(self.site_preferences) if self.site_preferences else None
        dates = pc.fill_null(batch.column("crawled_at").cast(pa.int64()).cast(pa.float64()), np.nan)
        finder = TermsFinder(files, rsl_files.load(self.rsl_files) if self.rsl_files else None, self.max_days)
        return _Verdicts(*rsl_verdicts(finder, batch.column("url"), urls, np.asarray(dates), stated, which))

    def _pages(self, batch: pa.RecordBatch) -> "_Verdicts[Statement]":
        """What header and metadata state; each distinct statement is read once."""
        if EXTRACT not in batch.schema.names:
            return _Verdicts([Statement()], np.zeros(len(batch), np.int64))
        stated = pc.dictionary_encode(pc.fill_null(pc.struct_field(batch.column(EXTRACT), STATED), ""))
        distinct = [read_statement(lines, self.agents) for lines in stated.dictionary.to_pylist()]
        return _Verdicts(distinct, np.asarray(stated.indices, np.int64))


@dataclass(frozen=True)
class _Verdicts(Generic[Verdict]):
    """Several verdicts, and int64[N] which of them each document has."""

    several: Sequence[Verdict]
    which: Indices

    def numbers(self, name: str) -> npt.NDArray[np.int8]:
        """int8[N]: a field that is true, false or None as 1, 0 or -1."""
        values = (getattr(one, name) for one in self.several)
        return np.array([-1 if value is None else value for value in values], np.int8)[self.which]

    def texts(self, name: str) -> pa.Array:
        """string[N]: a field."""
        return pa.array([getattr(one, name) for one in self.several], pa.string()).take(pa.array(self.which))
