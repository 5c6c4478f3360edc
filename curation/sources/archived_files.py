"""The base of sources that make documents of whole files: plain or compressed, alone or in tar archives.

A source says in `documents` what is in a file. `origin_offset` is the document's number in the archive, where a file of
none counts as one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.document import MAX_DOCUMENT_BYTES, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.tars import tar_texts
from curation.sources.units import group, row_batches
from curation.sources.zips import ZIP


class ArchivedFile(NamedTuple):
    """A file: `path` is the archive's or its own, `member` its name in the archive, "" if it is in none, and `number`
    that of its first document. Faults are noted with `path` and `number`."""

    path: str
    member: str
    number: int
    content: bytes

    @property
    def name(self) -> str:
        """The one by which people know it."""
        return self.member or self.path


class FileDocument(NamedTuple):
    """A document: its text, "" if there is none and None if that would be too long; what tells it from others of its
    number (an id of its own, or a name); its signals; and what the file says of it."""

    text: str | None
    id: str
    signals: Mapping[str, Any]
    url: str | None = None
    date: int | None = None  # milliseconds since 1970
    licence: str | None = None
    language: str | None = None


@dataclass(frozen=True, kw_only=True)
class ArchivedFiles(Source):
    """Each `paths` entry is a file, a folder or a glob. Signals are in the column that is named as the source."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    default_licence: Annotated[str | None, "the licence of documents without one: a value"] = None
    max_document_bytes: Annotated[int, "of UTF-8 text; tasks need up to 60 times as much memory"] = MAX_DOCUMENT_BYTES

    yields: ClassVar[Literal["html", "text"]] = "text"
    max_file: ClassVar[int] = 64 << 20  # bytes of a file; a larger one is a document without a text

    def __post_init__(self) -> None:
        if self.max_document_bytes < 1:
            raise ValueError(f"max_document_bytes is {self.max_document_bytes}; give 1 or more")

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterable[FileDocument]:
        """Those of a file, in order; what is passed over is counted by its cause."""
        raise NotImplementedError

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a file is never cut."""
        return group(((Piece.of(file), file.size) for file in files), group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing."""
        rows = (row for piece in unit for row in self._rows(piece, source, tally))
        yield from row_batches(rows, self.schema())

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        first = 0
        for name, content in tar_texts(piece.path, tally, self.max_file, alone=True):
            documents: Iterable[FileDocument] = [FileDocument(None, name, {})]
            if content is not None:
                documents = self.documents(ArchivedFile(piece.path, name, first, content), tally)
            number = first - 1
            for number, document in enumerate(documents, first):
                yield self._row(document, number, piece, source)
            if number < first and (content or b"").startswith(ZIP):
                tally.fault(piece.path, first, f"{name or 'this file'} is a zip archive; unpack it")
            first = max(number, first) + 1

    def _row(self, document: FileDocument, number: int, piece: Piece, source: str) -> dict[str, Any]:
        text = document.text
        cause = None if text else "no_text"
        if text is None or len(text.encode(errors="replace")) > self.max_document_bytes:
            cause = "too_many_bytes"
        return {
            "doc_id": document_id(source, piece.name, number, document.id),
            "url": document.url,
            "source": source,
            "crawled_at": document.date,
            "licence": document.licence or self.default_licence,
            "declared_language": document.language,
            "origin": piece.path,
            "origin_offset": number,
            "text": None if cause else text,
            "drop_reason": extract_reason(cause) if cause else None,
            key_of(type(self)): document.signals,
        }
