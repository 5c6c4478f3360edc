"""Indexes what sites say about the use of their texts, by which `opt_outs` judges pages. It reads no corpus text.

    - fit: {site_preferences: {files: "robotstxt/*.warc.gz"}}
    - filter: {opt_outs: {honour: [robots_txt, tdm_reservation], site_preferences: "@site_preferences"}}

The files are web archives with answers to requests for /robots.txt, /ai.txt and /.well-known/tdmrep.json: Common
Crawl's subset (`winnow fetch commoncrawl --kind robotstxt`), or a crawl that holds them beside its pages. Terms of use
in RSL, to which robots.txt and pages link, are kept of any address, if they are served as application/rsl+xml or the
file is called rsl.xml. All other records are passed over. An answer is kept by host and date, whatever its scheme and
port.

Source: RFC 9309, section 2.3: a robots.txt that is not there (any status of 400 to 499) has no rule, and of a longer
one the first 500 KiB count. Left out, and so unknown, are redirects, which RFC 9309 lets crawlers follow (the file that
they lead to is there under its own host), answers of 500 and above, and bodies that cannot be decoded; an ai.txt, a
tdmrep.json and terms count with status 200 only. The filter tells these counts before its stage runs.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pyarrow as pa

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Indexes
from curation.core.needs import Needs
from curation.models.preferences.robots_txt import MAX_BYTES, essential
from curation.models.preferences.rsl import read_terms
from curation.models.preferences.rsl_links import is_rsl
from curation.models.preferences.site_files import MAIN, PLACES, ROBOTS_TXT, RSL, SCHEMA, TDMREP, to_bytes
from curation.sources.archive import Record
from curation.sources.dates import parse_date
from curation.sources.http import TooManyBytes, UndecodableBody, decode_body, parse_response
from curation.sources.wacz import read_archive
from curation.text.urls.parse import parse_urls

FILES = "files"
MAX_RECORD = 8 << 20  # bytes; of a longer one the first 64 KiB are there
HTTP_HEAD = 1 << 13  # bytes in which a response's header names its media type
MAX_RULES = 1_000  # of a tdmrep.json
ROWS = 10_000  # that are held as Python objects

_RSL_TYPE = b"rsl+xml"


@dataclass(frozen=True, kw_only=True)
class SitePreferences(Indexes):
    """Where the answers are."""

    files: Annotated[str | tuple[str, ...], "paths, folders, globs or URIs of WARC, ARC or WACZ files"]

    version: ClassVar[int] = 2
    asset: ClassVar[str] = MAIN
    reads: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not self.files:
            raise RecipeError("files is empty; name web archives with answers to requests for robots.txt")

    def needs(self) -> Needs:
        """About twice the rules of all hosts; those of most are some hundred bytes."""
        return Needs(memory=2 << 30)

    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        return {FILES: (self.files,) if isinstance(self.files, str) else self.files}

    def index(self, files: Mapping[str, Sequence[str]]) -> Mapping[str, bytes]:
        counts = Counter[str]()
        tables = [SCHEMA.empty_table(), *_tables(files[FILES], counts)]
        rows = pa.concat_tables(tables)
        if not len(rows):
            raise InputError(
                f"site_preferences: no answer to a request for {', '.join(PLACES)} in {len(files[FILES]):,} files; "
                "give Common Crawl's robotstxt subset, or archives of a crawl that stores them"
            )
        return {MAIN: to_bytes(rows, counts)}


def _tables(paths: Sequence[str], counts: Counter[str]) -> Iterator[pa.Table]:
    rows: list[dict[str, Any]] = []
    for path in paths:
        for _, record in read_archive(path, lambda *_: counts.update(["faults"]), max_block=MAX_RECORD):
            row = _row(record, counts)
            if row is not None:
                rows.append(row)
            if len(rows) == ROWS:
                yield _table(rows, counts)
                rows = []
    yield _table(rows, counts)


def _table(rows: list[dict[str, Any]], counts: Counter[str]) -> pa.Table:
    """The rows with canonical hosts; those without one are counted."""
    urls = parse_urls(pa.array([row.pop("url") for row in rows], pa.large_string()))
    hosts = [urls.data[a:b].tobytes().decode() for a, b in zip(urls.starts, urls.host_stops, strict=True)]
    found = [{"host": host, **row} for host, row in zip(hosts, rows, strict=True) if host]
    counts["left out: no host"] += len(rows) - len(found)
    counts.update(row["kind"] for row in found)
    return pa.Table.from_pylist(found, SCHEMA)


def _row(record: Record, counts: Counter[str]) -> dict[str, Any] | None:
    """None if the record is none of PLACES; also, and then counted, if it says nothing that can be used."""
    url = record.headers.get("warc-target-uri", "").strip("<> \t")
    kind = PLACES.get("/" + url.partition("?")[0].partition("://")[2].partition("/")[2])
    if kind is None and _may_be_rsl(record, url):
        kind = RSL
    if record.kind != "response" or kind is None:
        return None
    fetched = parse_date(record.headers.get("warc-date", ""))
    content = None if fetched is None else _content(record, kind, url, counts)
    if fetched is None:
        counts[f"left out: {kind} without a date"] += 1
    if content is None:
        return None
    return {"url": url, "kind": kind, "fetched_at": fetched, "content": content}


def _may_be_rsl(record: Record, url: str) -> bool:
    """Whether a response's header or its address says that it is RSL; most records have not even the word."""
    if record.kind != "response" or not (_RSL_TYPE in record.block[:HTTP_HEAD].lower() or is_rsl("", url)):
        return False
    return is_rsl(parse_response(record.block).headers.get("content-type", ""), url) or is_rsl("", url)


def _content(record: Record, kind: str, url: str, counts: Counter[str]) -> str | None:
    response = parse_response(record.block)
    if kind == ROBOTS_TXT and 400 <= response.status < 500:
        return ""
    if response.status != 200:
        counts[f"left out: {kind} with status {response.status or 'unknown'}"] += 1
        return None
    try:
        body = decode_body(response, MAX_RECORD)
    except (TooManyBytes, UndecodableBody):
        counts[f"left out: {kind} that cannot be decoded"] += 1
        return None
    if record.too_long or len(body) > MAX_BYTES:
        counts[f"{kind} longer than 500 KiB, read up to there"] += 1
    if kind == RSL:
        terms = read_terms(body)
        if terms is None:
            counts["left out: rsl that cannot be read"] += 1
        return (
            None if terms is None else json.dumps([_plain(url), [[_plain(one.pattern), one.verdict] for one in terms]])
        )
    if kind != TDMREP:
        return essential(body)
    rules = _reservations(body)
    if rules is None:
        counts["left out: tdmrep that is no list of rules"] += 1
    return rules


def _reservations(body: bytes) -> str | None:
    """The rules of a tdmrep.json as a JSON list of [location, reserved, policy]; None if it holds no list."""
    try:
        entries = json.loads(body[:MAX_BYTES])
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, list):
        return None
    rules = []
    for entry in entries[:MAX_RULES]:
        location, reserved, policy = (
            entry.get(name) if isinstance(entry, dict) else None
            for name in ("location", "tdm-reservation", "tdm-policy")
        )
        says = {"1": True, "0": False}.get(str(reserved))  # anything else is an error, and says nothing
        if isinstance(location, str) and says is not None:
            rules.append([_plain(location), says, _plain(policy) if isinstance(policy, str) else None])
    return json.dumps(rules)


def _plain(text: str) -> str:
    """Without white space and lone surrogates."""
    return "".join(text.split()).encode("utf-8", "replace").decode()
