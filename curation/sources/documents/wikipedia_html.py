"""HTML dumps of Wikimedia Enterprise (`enwiki-NS0-20240301-ENTERPRISE-HTML.json.tar.gz`): an article per line of JSON.

    - read: {wikipedia_html: {paths: ["dumps/enwiki-NS0-*-ENTERPRISE-HTML.json.tar.gz"]}}
    - extract: resiliparse

MediaWiki has rendered the templates of these pages, so numbers and units are in them, and formulas with their TeX. The
title is made their heading, and footnotes, navigation and notes of editors are cut out (`mediawiki/page_html`). The
lines may also lie without an archive, and an article in many lines, as the API answers. `origin_offset` is the number
of its first line.

Counted as passed over are lines that are no JSON (`skipped.bad_json`) or have no page (`skipped.no_html`), pages of
other namespaces (`skipped.namespace.14`), redirects (`skipped.redirect`), and disambiguation pages
(`skipped.disambiguation`). A dump may hold several versions of an article; `dedup` finds them.

Source: https://enterprise.wikimedia.com/docs/data-dictionary/ (fields); https://www.mediawiki.org/wiki/Specs/HTML (how
a page says that it is a redirect or for disambiguation).
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.document import RAW, document_id
from curation.core.file_start import FileStart, Guess
from curation.core.names import whole_text
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.dates import parse_date
from curation.sources.documents.mediawiki.file_kind import recognised_html
from curation.sources.documents.mediawiki.json_values import json_values
from curation.sources.documents.mediawiki.page_html import without_furniture
from curation.sources.mapping import MAX_VALUE_BYTES
from curation.sources.source_files import FileSource
from curation.sources.tars import tar_lines
from curation.sources.units import row_batches

MAX_LINE = 128 << 20  # bytes of JSON; a longer article is dropped unread
_BODY = re.compile(r"<body[^<>]{0,4000}>")
_SPACES = range(-2, 10_000)  # numbers of namespaces
_NOT_ARTICLES = {"mw:PageProp/redirect": "redirect", "mw:PageProp/disambiguation": "disambiguation"}


@dataclass(frozen=True, kw_only=True)
class WikipediaHtml(FileSource):
    """Dumps of pages as HTML; each `paths` entry is a file, a folder or a glob."""

    default_licence: Annotated[str | None, "the licence of pages that state none: a value, not a field"] = None
    max_page_bytes: Annotated[int, "of a page's HTML; a longer page is dropped"] = 32 << 20

    yields: ClassVar[Literal["html", "text"]] = "html"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.max_page_bytes < 1:
            raise ValueError(f"max_page_bytes is {self.max_page_bytes}; give 1 or more")

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the fields of the first line, alone or in a tar archive."""
        return recognised_html(start)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """RAW batches. Raises InputError if a file is missing."""
        rows = (row for piece in unit for row in self._rows(piece, source, tally))
        yield from row_batches(rows, RAW)

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        for number, line in json_values(tar_lines(piece.path, tally, MAX_LINE), MAX_LINE):
            found = [] if line is None else converted(partial(_parsed, line))
            if isinstance(found, Overrun):
                yield self._row({}, number, piece, source) | {"drop_reason": error_reason(key_of(type(self)), found)}
                continue
            for page in found or [{}]:
                if line is not None and (skipped := _not_an_article(page)):
                    tally.records[f"skipped.{skipped}"] += 1
                    if not page:
                        tally.fault(piece.path, number, "no article in this line")
                    continue
                yield self._row(page, number, piece, source)

    def _row(self, page: dict[str, Any], number: int, piece: Piece, source: str) -> dict[str, Any]:
        """The page is empty where its line is too long."""
        body = without_furniture(_at(page, "article_body", "html") or "")
        content = whole_text(_titled(body, _text(page, "name"))).encode()
        too_long = not content or len(content) > self.max_page_bytes
        url = _text(page, "url")
        return {
            "doc_id": document_id(source, piece.name, number, str(page.get("identifier") or url)),
            "url": url,
            "source": source,
            "crawled_at": parse_date(_text(page, "date_modified") or ""),
            "licence": _licence(page) or self.default_licence,
            "declared_language": _text(page, "in_language", "identifier"),
            "origin": piece.path,
            "origin_offset": number,
            "content": None if too_long else content,
            "content_type": "text/html; charset=utf-8",
            "drop_reason": extract_reason("too_many_bytes") if too_long else None,
        }


def _parsed(value: bytes) -> list[dict[str, Any]]:
    """An object, or those of an array; nothing where it is no JSON, or has none."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return [page for page in (found if isinstance(found, list) else [found]) if isinstance(page, dict)]


def _at(page: Any, *path: str) -> Any:
    """The value at a path; None if there is none."""
    for name in path:
        page = page.get(name) if isinstance(page, dict) else None
    return page


def _text(page: Any, *path: str) -> str | None:
    """The string at a path, no longer than a value of a document may be; None if there is none."""
    value = _at(page, *path)
    encoded = whole_text(value).encode() if isinstance(value, str) else b""
    return encoded.decode() if 0 < len(encoded) <= MAX_VALUE_BYTES else None


def _licence(page: dict[str, Any]) -> str | None:
    """Identifiers (`CC-BY-SA-3.0`), else names, of all licences, joined by AND."""
    entries = _at(page, "license")
    listed = entries if isinstance(entries, list) else ()
    stated = (_text(entry, "identifier") or _text(entry, "name") for entry in listed)
    return " AND ".join(dict.fromkeys(filter(None, stated))) or None


def _not_an_article(page: dict[str, Any]) -> str | None:
    space = _at(page, "namespace", "identifier") or 0
    if space != 0:
        return f"namespace.{space if space in _SPACES else 'unknown'}"
    body = _at(page, "article_body", "html")
    if not isinstance(body, str) or not body:
        return "no_html" if page else "bad_json"
    return next((cause for mark, cause in _NOT_ARTICLES.items() if mark in body), None)


def _titled(body: str, title: str | None) -> str:
    """The page with its title as heading, which MediaWiki leaves to the skin."""
    heading = f"<h1>{html.escape(title)}</h1>" if title else ""
    return _BODY.sub(lambda begin: begin[0] + heading, body, count=1)
