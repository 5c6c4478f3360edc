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
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, ClassVar
from urllib.parse import quote

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.component import Signals
from curation.core.document import document_id
from curation.core.file_start import FileStart, Guess
from curation.core.first_look import looked_at
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.dates import parse_date
from curation.sources.documents.mediawiki.dump import WikiSite, pages, read_site
from curation.sources.documents.mediawiki.file_kind import recognised_xml
from curation.sources.documents.mediawiki.page_kinds import not_an_article
from curation.sources.source_files import TextSource
from curation.sources.units import group, row_batches

HIDDEN = (6, 14)  # namespaces of files and categories
MAX_NAMES = 100
MAX_HELD = 100_000  # names of templates; those of more are counted together
_OTHER = ""
CHECKED = 100  # files that are looked at before work
_MULTISTREAM = re.compile(r"multistream[^/]*$")
_INDEX = re.compile(r"multistream-index[^/]*$")
_IN_ADDRESS = "/:@!$()*,;~'"  # characters that MediaWiki leaves as they are
_NAME = re.compile(r"[\w #!?'’:/().&+-]{1,60}")


@dataclass(frozen=True, kw_only=True)
class WikipediaXml(TextSource):
    """Dumps of pages as XML; each `paths` entry is a file, a folder or a glob."""

    licence: Annotated[str | None, "written to every row; Wikipedia's by default"] = "CC-BY-SA-4.0"

    version: ClassVar[int] = 3
    libraries: ClassVar[tuple[str, ...]] = ("mwparserfromhell",)

    def signal_types(self) -> Signals:
        """Of each article."""
        return {"title": pa.string(), "revision": pa.int64(), "templates_dropped": pa.int64(), "gaps": pa.int64()}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """A dump by its first element; the index of one by its first lines."""
        return recognised_xml(start)

    def list_inputs(self, pattern: str) -> list[InputFile]:
        """Files, without the indexes of dumps."""
        return [file for file in super().list_inputs(pattern) if not _INDEX.search(file.path)]

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError where one of the first files does not begin like a dump."""
        for path in paths[:CHECKED]:
            looked_at(path, partial(read_site, path))

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
        from curation.sources.documents.mediawiki.wikitext import PlainWikitext  # of an extra

        site = read_site(piece.path)
        hidden = {site.namespaces.get(number, "").lower() for number in HIDDEN}
        wikitext = PlainWikitext(site.language or "", hidden, wiktionary="wiktionary" in site.base)
        for page in pages(piece, site, tally):
            if skipped := not_an_article(page, site):
                tally.records[f"skipped.{skipped}"] += 1
                continue
            too_long = len(page.text.encode()) > self.max_document_bytes
            cause = extract_reason("too_many_bytes" if too_long else "unparsable")
            made = None if too_long else converted(partial(wikitext.plain, page.text, page.title))
            if isinstance(made, Overrun):
                cause = error_reason(key_of(type(self)), made)
                made = None
            for name, count in made.dropped.items() if made else ():
                dropped[name if name in dropped or len(dropped) < MAX_HELD else _OTHER] += count
            yield {
                "doc_id": document_id(source, piece.name, page.stream, f"{page.place} {page.number}"),
                "url": _address(page.title, site),
                "source": source,
                "crawled_at": parse_date(page.timestamp),
                "licence": self.licence,
                "declared_language": site.language,
                "origin": piece.path,
                "origin_offset": page.number,
                "text": made and made.text,
                "drop_reason": None if made else cause,
                "wikipedia_xml": {
                    "title": page.title,
                    "revision": page.revision,
                    "templates_dropped": made and made.dropped.total(),
                    "gaps": made and made.gaps,
                },
            }


def _address(title: str, site: WikiSite) -> str | None:
    return f"{site.base}/{quote(title.replace(' ', '_'), safe=_IN_ADDRESS)}" if site.base else None
