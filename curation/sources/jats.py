"""Articles in JATS, as PubMed Central gives them: single files of XML, plain or compressed, and tar archives of them.

What is no article is passed over and counted: `skipped.damaged` (also noted as a fault), `skipped.not_jats`,
`skipped.no_body` (a scan, or an abstract alone), `skipped.retraction` (the notice, not the article), and
`skipped.entities`, of a file that declares entities, which may stand for any amount of text. The address is that of
the DOI, else of the article at PubMed Central; the date is the first on which it came out; the licence is the address
that it names, else its words. The column `jats` holds `doi`, `pmcid`, `journal` and `kind`.

Written here rather than with `litdown`, which loses tables without a head; see `jats_article.py` for what is text.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.core.component import Signals
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.jats_article import Article, NoArticleError, read_article

DAMAGED = "damaged"


@dataclass(frozen=True, kw_only=True)
class Jats(ArchivedFiles):
    """Articles of PubMed Central."""

    version: ClassVar[int] = 2

    def signal_types(self) -> Signals:
        """What the front of an article says."""
        return dict.fromkeys(("doi", "pmcid", "journal", "kind"), pa.string())

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """The article, if it is one."""
        try:
            article = read_article(file.content)
        except NoArticleError as error:
            cause = str(error)
            tally.records[f"skipped.{cause}"] += 1
            if cause == DAMAGED:
                tally.fault(file.path, file.number, f"{file.name} is damaged XML: {error.__cause__}")
            return
        yield FileDocument(
            article.text,
            article.doi or article.pmcid or hashlib.blake2b(file.content, digest_size=16).hexdigest(),
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
