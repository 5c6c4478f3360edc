"""PDF files, plain or compressed, and tar and zip archives of them; `extract: {pdfium: {}}` makes texts of them.

    - read: {pdf: {paths: [papers/, "books-*.zip"], licence: CC-BY-4.0}}
    - extract: {pdfium: {}}

What does not begin like one is passed over and counted (`skipped.not_pdf`), and noted as a fault where its name says
that it is one. The `origin` of a file in an archive is the archive's path, `#` and its name, and `origin_offset` its
number among those read. PDF files in web archives are read by `warc: {media: pdf}`.
"""

from dataclasses import dataclass
from typing import ClassVar

from curation.core.file_start import FileStart, Guess
from curation.core.protocols import ReadTally
from curation.sources.http import PDF_TYPES, looks_like_pdf
from curation.sources.source_files import PageFiles


@dataclass(frozen=True, kw_only=True)
class Pdf(PageFiles):
    """PDF files; each `paths` entry is a file, a folder or a glob."""

    version: ClassVar[int] = 1
    media = "pdf"
    content_type: ClassVar[str] = PDF_TYPES[0]

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the first bytes of the file, or of most files in an archive."""
        if start.archive:
            found = sum(looks_like_pdf(member.start) for member in start.members)
            if not found or found * 2 <= len(start.members):
                return None
            seen = f"{found} of its first {len(start.members)} files begin with %PDF-"
            return Guess(kind=f"{start.archive} archive of PDF files", sure="certain", seen=seen)
        if start.content.startswith(b"%PDF-"):
            return Guess(kind="PDF file", sure="certain", seen="it begins with %PDF-")
        if looks_like_pdf(start.content) and b"\0" in start.content:
            return Guess(kind="PDF file", sure="likely", seen="it has %PDF- near its beginning")
        return None

    def takes(self, path: str, member: str, number: int, content: bytes | None, tally: ReadTally) -> bool:
        """True of what begins like a PDF file, and of one that is too long if its name says so."""
        named = ".pdf" in (member or path).lower()
        if named if content is None else looks_like_pdf(content):
            return True
        tally.records["skipped.not_pdf"] += 1
        if named:
            tally.fault(path, number, f"{member or 'this file'} does not begin like a PDF file")
        return False
