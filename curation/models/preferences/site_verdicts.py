"""What the files of a page's site say about the page: one verdict per document, of the file fetched nearest in time."""

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.models.preferences.robots_txt import SIGNAL, USAGE, PathRules, RobotsTxt
from curation.models.preferences.site_files import AI_TXT, ROBOTS_TXT, TDMREP, SiteFiles
from curation.text.kernels.buffers import Indices
from curation.text.urls.parse import Urls

_PAGE = ".html"  # ai.txt names types of files, and most pages have no suffix


@dataclass
class SiteVerdict:
    """The site's files about one page; None: no file, or nothing in it."""

    robots_txt_date: str | None = None
    disallowed: str | None = None  # the crawlers that may not fetch the page
    content_signal: bool = False  # whether training is refused, like the next two
    content_usage: bool = False
    ai_txt: bool = False
    content_signal_stated: str | None = None  # as written, like the next
    content_usage_stated: str | None = None
    tdm_reservation: bool | None = None
    tdm_policy: str | None = None
    licences: tuple[str, ...] = ()  # addresses of terms, as robots.txt names them


_Pages: TypeAlias = list[tuple[str, SiteVerdict]]  # the path of each, and what is known of it


def site_verdicts(
    site: SiteFiles,
    urls: Urls,
    dates: Indices,
    dated: npt.NDArray[np.bool_],
    agents: tuple[str, ...],
    max_days: int,
) -> tuple[list[SiteVerdict], Indices]:
    """Verdicts, and int64[N] which of them is that of each document of urls[N] with dates int64[N] in ms, where `dated`
    bool[N]. A file counts if it was fetched at most `max_days` before or after. Only pages with a file cost more than a
    look-up; a file is parsed once for all its pages."""
    verdicts: dict[int, SiteVerdict] = defaultdict(SiteVerdict)  # by document
    for kind, judge in ((ROBOTS_TXT, _robots_txt), (AI_TXT, _ai_txt), (TDMREP, _tdmrep)):
        rows = np.where(dated, site.nearest(urls, kind, dates, max_days), -1)
        order = np.argsort(rows, kind="stable")
        order = order[np.searchsorted(rows[order], 0) :]
        for row, documents in groupby(order.tolist(), rows.item):
            judge(site, row, agents, [(_path(urls, document), verdicts[document]) for document in documents])
    which = np.zeros(len(dates), np.int64)
    which[list(verdicts)] = np.arange(1, len(verdicts) + 1)
    return [SiteVerdict(), *verdicts.values()], which


def _path(urls: Urls, document: int) -> str:
    path = urls.data[urls.host_stops[document] : urls.stops[document]].tobytes().decode("utf-8", "replace")
    return path.partition("#")[0] or "/"


def _robots_txt(site: SiteFiles, row: int, agents: tuple[str, ...], pages: _Pages) -> None:
    rules = RobotsTxt(site.content(row), agents)
    date = datetime.fromtimestamp(int(site.dates[row]) / 1000, UTC).date().isoformat()
    for path, verdict in pages:
        verdict.robots_txt_date = date
        verdict.disallowed = ", ".join(rules.disallowed(path)) or None
        verdict.content_signal = rules.refuses_training(SIGNAL, path)
        verdict.content_usage = rules.refuses_training(USAGE, path)
        verdict.content_signal_stated = rules.stated[SIGNAL]
        verdict.content_usage_stated = rules.stated[USAGE]
        verdict.licences = rules.licences


def _ai_txt(site: SiteFiles, row: int, agents: tuple[str, ...], pages: _Pages) -> None:
    rules = RobotsTxt(site.content(row), agents)
    for path, verdict in pages:
        verdict.ai_txt = any(rules.disallowed(one) for one in (path, _as_page(path)))


def _tdmrep(site: SiteFiles, row: int, _: tuple[str, ...], pages: _Pages) -> None:
    """What the first rule that matches says, and its policy if it reserves."""
    rules = [
        (PathRules([f"disallow: {location}"]), reserved, policy)
        for location, reserved, policy in json.loads(site.content(row))
    ]
    for path, verdict in pages:
        first = next(((reserved, policy) for location, reserved, policy in rules if location.matches(path)), None)
        if first:
            verdict.tdm_reservation = first[0]
            verdict.tdm_policy = first[1] if first[0] else None


def _as_page(path: str) -> str:
    """The path with the suffix of a page, where its last part has none."""
    path, mark, query = path.partition("?")
    name = path.rpartition("/")[2]
    return f"{path}{'' if '.' in name else _PAGE}{mark}{query}"
