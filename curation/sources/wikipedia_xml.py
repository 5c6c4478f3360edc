"""XML dumps of Wikipedia (`…-pages-articles-multistream.xml.bz2`) and of other wikis of MediaWiki: one document an
article, as plain text made of its wikitext.

    - read: {wikipedia_xml: {paths: ["dumps/frwiki-*-pages-articles-multistream.xml.bz2"]}}

Where there is a dump of HTML, `wikipedia_html` loses less: there MediaWiki has rendered all templates. Here those that
stand for words are shown (`mediawiki/templates`), and others dropped. The column `wikipedia_xml` holds the title, the
number of the revision, how many templates were dropped, and how many `gaps` these left: " of ,", "( )". The dropped
templates of a unit are counted by name, the `MAX_NAMES` most frequent (`lenient.template.infobox person`), and others
together (`lenient.other_templates`). `origin_offset` is the page's id.

A large file with `multistream` in its name is cut at its bzip2 streams, which are found by their marks; the index
beside it is not needed and not read. Passed over and counted are pages of other namespaces (`skipped.namespace.14`),
redirects (`skipped.redirect`), disambiguation pages (`skipped.disambiguation`), pages of no wikitext (`skipped.model`)
and damaged ones (`skipped.damaged`). A page that would keep the parser busy for minutes has the reason
`extract:unparsable` (`mediawiki/unclosed`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import quote

import pyarrow as pa

from curation.core.component import Signals
from curation.core.document import MAX_DOCUMENT_BYTES, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.dates import parse_date
from curation.sources.mediawiki.dump import WikiPage, WikiSite, pages, read_site
from curation.sources.units import group, row_batches

HIDDEN = (6, 14)  # namespaces of files and categories
MAX_NAMES = 100
CHECKED = 100  # files that are looked at before work
_MULTISTREAM = re.compile(r"multistream[^/]*$")
_INDEX = re.compile(r"multistream-index[^/]*$")
_IN_ADDRESS = "/:@!$()*,;~'"  # characters that MediaWiki leaves as they are
_NAME = re.compile(r"[\w #!?'’:/().&+-]{1,60}")


@dataclass(frozen=True, kw_only=True)
class WikipediaXml(Source):
    """Dumps of pages as XML; each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    licence: Annotated[str | None, "written to every row; Wikipedia's by default"] = "CC-BY-SA-4.0"
    max_document_bytes: Annotated[int, "of wikitext; tasks need up to 60 times as much memory"] = MAX_DOCUMENT_BYTES

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("mwparserfromhell",)

    def __post_init__(self) -> None:
        if self.max_document_bytes < 1:
            raise ValueError(f"max_document_bytes is {self.max_document_bytes}; give 1 or more")

    def signal_types(self) -> Signals:
        """Of each article."""
        return {"title": pa.string(), "revision": pa.int64(), "templates_dropped": pa.int64(), "gaps": pa.int64()}

    def list_inputs(self, pattern: str) -> list[InputFile]:
        """Files, without the indexes of dumps."""
        return [file for file in super().list_inputs(pattern) if not _INDEX.search(file.path)]

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError where one of the first files does not begin like a dump."""
        for path in paths[:CHECKED]:
            read_site(path)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a large one of many streams in ranges, each with the streams that begin there."""
        pieces: list[tuple[Piece, int]] = []
        for file in files:
            many = _MULTISTREAM.search(file.path) is not None
            cuts = [*range(0, file.size, split_bytes)] if many and file.size > split_bytes else [0]
            pieces += [(Piece.of(file, start, stop), file.size // len(cuts)) for start, stop in pairwise([*cuts, -1])]
        return group(pieces, group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing, or no dump."""
        dropped: Counter[str] = Counter()
        rows = (row for piece in unit for row in self._rows(piece, source, tally, dropped))
        yield from row_batches(rows, self.schema())
        named = [name for name in dropped if _NAME.fullmatch(name)]  # which are the wiki's, so their number is bounded
        for name in sorted(named, key=lambda name: (-dropped[name], name))[:MAX_NAMES]:
            tally.records[f"lenient.template.{name}"] += dropped.pop(name)
        if others := dropped.total():
            tally.records["lenient.other_templates"] += others

    def _rows(self, piece: Piece, source: str, tally: ReadTally, dropped: Counter[str]) -> Iterator[dict[str, Any]]:
        from curation.sources.mediawiki.wikitext import PlainWikitext, is_disambiguation  # of an extra

        site = read_site(piece.path)
        hidden = {site.namespaces.get(number, "").lower() for number in HIDDEN} | {"file", "image", "category"}
        wikitext = PlainWikitext(site.language or "", hidden)
        for page in pages(piece, tally):
            if skipped := _not_an_article(page, site) or (is_disambiguation(page.text) and "disambiguation"):
                tally.records[f"skipped.{skipped}"] += 1
                continue
            too_long = len(page.text.encode()) > self.max_document_bytes
            made = None if too_long else wikitext.plain(page.text)
            dropped.update(made.dropped if made else ())
            yield {
                "doc_id": document_id(source, piece.name, page.stream, f"{page.place} {page.number}"),
                "url": f"{site.base}/{quote(page.title.replace(' ', '_'), safe=_IN_ADDRESS)}",
                "source": source,
                "crawled_at": parse_date(page.timestamp),
                "licence": self.licence,
                "declared_language": site.language,
                "origin": piece.path,
                "origin_offset": page.number,
                "text": made and made.text,
                "drop_reason": None if made else extract_reason("too_many_bytes" if too_long else "unparsable"),
                "wikipedia_xml": {
                    "title": page.title,
                    "revision": page.revision,
                    "templates_dropped": made and made.dropped.total(),
                    "gaps": made and made.gaps,
                },
            }


def _not_an_article(page: WikiPage, site: WikiSite) -> str | None:
    if page.namespace != 0:
        return f"namespace.{page.namespace}" if page.namespace in site.namespaces else "namespace.unknown"
    if page.redirect:
        return "redirect"
    return None if page.model == "wikitext" else "model"
