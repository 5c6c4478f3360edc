"""Articles in JATS, as PubMed Central gives them: single files of XML, plain or compressed, and tar archives of them.

What is no article is passed over and counted: `skipped.damaged` (also noted as a fault), `skipped.not_jats`,
`skipped.no_body` (a scan, or an abstract alone), `skipped.retraction` (the notice, not the article), and
`skipped.entities`, of a file that declares entities, which may stand for any amount of text. The address is that of
the DOI, else of the article at PubMed Central; the date is the first on which it came out; the licence is the address
that it names, else its words. The column `jats` holds `doi`, `pmcid`, `journal` and `kind`.

Written here rather than with `litdown`, which loses tables without a head; see `jats_article.py` for what is text.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from curation.core.component import Signals, struct_type
from curation.core.document import DOCUMENT, MAX_DOCUMENT_BYTES, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.dates import parse_date
from curation.sources.jats_article import Article, NoArticleError, read_article
from curation.sources.tars import tar_texts
from curation.sources.units import batched, group

MAX_ARTICLE = 64 << 20  # bytes of XML
DAMAGED = "damaged"


@dataclass(frozen=True, kw_only=True)
class Jats(Source):
    """Articles of PubMed Central; each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    default_licence: Annotated[str | None, "the licence of articles without one"] = None
    max_document_bytes: Annotated[int, "of UTF-8 text; tasks need up to 60 times as much memory"] = MAX_DOCUMENT_BYTES

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.max_document_bytes < 1:
            raise ValueError(f"max_document_bytes is {self.max_document_bytes}; give 1 or more")

    def signal_types(self) -> Signals:
        """What the front of an article says."""
        return dict.fromkeys(("doi", "pmcid", "journal", "kind"), pa.string())

    def schema(self) -> pa.Schema:
        """DOCUMENT with the column `jats`."""
        return DOCUMENT.append(pa.field("jats", struct_type(self.signal_types())))

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a file is never cut."""
        return group(((Piece.of(file), file.size) for file in files), group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing."""
        for rows in batched(self._articles(unit, source, tally)):
            yield pa.RecordBatch.from_pylist(rows, schema=self.schema())

    def _articles(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[tuple[dict[str, Any], int]]:
        """Rows, with the sizes of their texts."""
        for piece in unit:
            for number, (name, content) in enumerate(tar_texts(piece.path, tally, MAX_ARTICLE, alone=True)):
                row = self._row(content, piece, number, name, source, tally)
                if row is not None:
                    yield row, len(row["text"] or "")

    def _row(
        self, content: bytes | None, piece: Piece, number: int, name: str, source: str, tally: ReadTally
    ) -> dict[str, Any] | None:
        article: Article | None = None
        if content is not None:
            try:
                article = read_article(content)
            except NoArticleError as error:
                cause = str(error)
                tally.records[f"skipped.{cause}"] += 1
                if cause == DAMAGED:
                    tally.fault(piece.path, number, f"{name or 'this file'} is damaged XML: {error.__cause__}")
                return None
        too_long = article is None or len(article.text.encode()) > self.max_document_bytes
        facts = {field: getattr(article, field, None) for field in self.signal_types()}
        own = (article and (article.doi or article.pmcid)) or hashlib.blake2b(
            content or b"", digest_size=16
        ).hexdigest()
        return {
            "doc_id": document_id(source, piece.name, number, own),
            "url": _address(article),
            "source": source,
            "crawled_at": parse_date(article.date) if article and article.date else None,
            "licence": (article and article.licence) or self.default_licence,
            "declared_language": article and article.language,
            "origin": piece.path,
            "origin_offset": number,
            "text": None if too_long else article and article.text,
            "drop_reason": extract_reason("too_many_bytes") if too_long else None,
            "jats": facts,
        }


def _address(article: Article | None) -> str | None:
    if article and article.doi:
        return f"https://doi.org/{article.doi}"
    if article and article.pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/PMC{article.pmcid.removeprefix('PMC')}/"
    return None
