"""Articles in JATS: single files of XML, plain or compressed, and tar archives of them, with one article or many.

Translations, replies and reviews within an article are documents of their own, by their `kind`. What is no article is
passed over and counted: `skipped.not_xml` (pictures and other files in an archive), `skipped.damaged` (also noted as a
fault), `skipped.not_jats`, `skipped.no_body` (a scan, or an abstract alone), `skipped.retraction` (the notice, not the
article), and `skipped.entities`, of a file that declares and uses entities, which may stand for any amount of text. The
address is that of the DOI, else of the article at PubMed Central. The column `jats` holds `doi`, `pmcid`, `journal` and
`kind`.

Written here rather than with `litdown`, which loses tables without a head; see `articles/article_text.py` for what is
text.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.core.component import Signals
from curation.core.file_start import FileStart, Guess
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.documents.articles.article import Article, read_article
from curation.sources.documents.articles.article_files import NoArticleError, articles_in
from curation.sources.documents.articles.elements import Element
from curation.sources.documents.articles.file_kind import recognised

DAMAGED = "damaged"
_NAMED_XML = re.compile(r"xml(?:\.\w{2,3})?\Z", re.IGNORECASE)
_BEFORE_XML = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # byte order marks and white space, also in UTF-16


@dataclass(frozen=True, kw_only=True)
class Jats(ArchivedFiles):
    """Articles of PubMed Central."""

    version: ClassVar[int] = 3

    def signal_types(self) -> Signals:
        """Those that the front of an article states."""
        return dict.fromkeys(("doi", "pmcid", "journal", "kind"), pa.string())

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the first elements of the file, or of the files in an archive."""
        return recognised(start)

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """The articles of a file, each followed by its translations, replies and reviews."""
        if file.member and not _NAMED_XML.search(file.member) and not file.content.lstrip(_BEFORE_XML).startswith(b"<"):
            tally.records["skipped.not_xml"] += 1
            return
        digest = hashlib.blake2b(file.content, digest_size=16).hexdigest()
        try:
            for article in articles_in(file.content):
                yield from self._document(article, digest, tally)
        except NoArticleError as error:
            cause = str(error)
            tally.records[f"skipped.{cause}"] += 1
            if cause == DAMAGED:
                tally.fault(file.path, file.number, f"{file.name} is damaged XML: {error.__cause__}")

    def _document(self, element: Element, digest: str, tally: ReadTally) -> Iterator[FileDocument]:
        try:
            article = read_article(element)
        except NoArticleError as error:
            tally.records[f"skipped.{error}"] += 1
            return
        yield FileDocument(
            article.text,
            article.doi or article.pmcid or digest,
            {field: getattr(article, field) for field in self.signal_types()},
            url=_address(article),
            date=parse_date(article.date) if article.date else None,
            licence=article.licence,
            language=article.language,
        )


def _address(article: Article) -> str | None:
    if article.doi:
        return f"https://doi.org/{article.doi}"
    if article.pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/PMC{article.pmcid.removeprefix('PMC')}/"
    return None
