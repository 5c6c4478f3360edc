"""PDF files, plain or compressed, and tar and zip archives of them; `extract: {pdfium: {}}` makes texts of them.

    - read: {pdf: {paths: [papers/, "books-*.zip"], licence: CC-BY-4.0}}
    - extract: {pdfium: {}}

What does not begin like one is passed over and counted (`skipped.not_pdf`), and noted as a fault where its name says
that it is one. The `origin` of a file in an archive is the archive's path, `#` and its name, and `origin_offset` its
number among those read. PDF files in web archives are read by `warc: {media: pdf}`.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from curation.core.document import RAW, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.http import PDF_TYPES, looks_like_pdf
from curation.sources.tars import tar_texts
from curation.sources.units import group, row_batches
from curation.sources.zips import is_zip, zip_files


@dataclass(frozen=True, kw_only=True)
class Pdf(Source):
    """PDF files; each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    licence: Annotated[str | None, "written to every row"] = None
    max_file_bytes: Annotated[int, "of a PDF file, decompressed; a longer one is dropped"] = 64 << 20

    yields: ClassVar[Literal["html", "text"]] = "html"
    version: ClassVar[int] = 1
    media = "pdf"

    def __post_init__(self) -> None:
        if self.max_file_bytes < 1:
            raise ValueError(f"max_file_bytes is {self.max_file_bytes}; give 1 or more")

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a file is never cut."""
        return group(((Piece.of(file), file.size) for file in files), group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """RAW batches. Raises InputError for a file that is missing."""
        yield from row_batches(self._rows(unit, source, tally), RAW)

    def _rows(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        for piece in unit:
            most = self.max_file_bytes
            zipped = is_zip(piece.path)
            files = zip_files(piece.path, tally, most) if zipped else tar_texts(piece.path, tally, most, alone=True)
            for number, (name, content) in enumerate(files):
                named = ".pdf" in (name or piece.path).lower()
                if not (named if content is None else looks_like_pdf(content)):
                    tally.records["skipped.not_pdf"] += 1
                    if named:
                        tally.fault(piece.path, number, f"{name or 'this file'} does not begin like a PDF file")
                    continue
                own = hashlib.blake2b(content or b"", digest_size=16).hexdigest()
                yield {
                    "doc_id": document_id(source, piece.name, number, own),
                    "source": source,
                    "licence": self.licence,
                    "origin": f"{piece.path}#{name}" if name else piece.path,
                    "origin_offset": number,
                    "content": content,
                    "content_type": PDF_TYPES[0],
                    "drop_reason": extract_reason("too_many_bytes") if content is None else None,
                }
