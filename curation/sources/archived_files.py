"""The base of sources that make documents of whole files: plain or compressed, alone or in tar archives.

A source says in `documents` what is in a file. `origin_offset` is the document's number in the archive, where a file of
none counts as one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.document import document_id
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import each
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.source_files import TextSource
from curation.sources.tars import tar_texts
from curation.sources.units import row_batches
from curation.sources.zips import ZIP

MAX_SHOWN = 80  # characters of a line in a message


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

    def note_unknown(self, tally: ReadTally, what: str, lines: Iterable[str]) -> None:
        """Notes that nothing in the file is of a known form, and its first line. Zip archives are noted elsewhere."""
        first = next((shown for line in lines if (shown := line.strip("\ufeff\ufffd\0 \t\r\n"))), "")
        if first and not self.content.startswith(ZIP):
            error = f"no {what} of a known form; the first line is {first[:MAX_SHOWN]!r}"
            tally.fault(self.path, self.number, f"{self.member}: {error}" if self.member else error)


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
class ArchivedFiles(TextSource):
    """Each `paths` entry is a file, a folder or a glob. Signals are in the column that is named as the source."""

    default_licence: Annotated[str | None, "the licence of documents without one: a value"] = None

    max_file: ClassVar[int] = 64 << 20  # bytes of a file; a larger one is a document without a text

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterable[FileDocument]:
        """Those of a file, in order; what is passed over is counted by its cause."""
        raise NotImplementedError

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
            for number, document in enumerate(each(documents), first):
                if isinstance(document, Overrun):
                    row = self._row(FileDocument(None, name, {}), number, piece, source)
                    yield row | {"drop_reason": error_reason(key_of(type(self)), document)}
                else:
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
