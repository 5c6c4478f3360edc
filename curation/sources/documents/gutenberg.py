"""Books of Project Gutenberg by its catalogue: plain text as its mirrors hold it (`1/2/3/1234/1234-0.txt`,
`cache/epub/1234/pg1234.txt`), also in tar archives. One document a book, without header and licence.

    - read: {gutenberg: {paths: ["mirror"], catalogue: pg_catalog.csv}}

Of several encodings of a book in a folder, UTF-8 is taken before Latin-1 and that before ASCII. The column `gutenberg`
holds `book`, `title` and `authors` as the catalogue has them; the date is that on which the book was issued there, and
the licence is its rights, which the RDF files tell and pg_catalog.csv does not.

Passed over and counted are files of which neither the name nor the head tells a book (`skipped.not_a_book`), books that
the catalogue does not list (`skipped.not_in_catalogue`), recordings, pictures and data (`skipped.not_text`), scores of
music (`skipped.music`), indexes of Project Gutenberg's own works (`skipped.index`), books of which the catalogue or the
text says that they are under copyright (`skipped.copyrighted`), and files that do not say where the book begins, nor
what its rights are (`skipped.unmarked`).

Source: https://www.gutenberg.org/help/mirroring.html (layout); Library of Congress Classification, class M (music).
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.component import Files, Signals
from curation.core.file_start import FileStart, Guess
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason
from curation.core.watchdog import Overrun
from curation.sources.archived_files import ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.documents.books.catalogue import RIGHTS, Entry, read_catalogue
from curation.sources.documents.books.file_kind import recognised
from curation.sources.documents.books.gutenberg_text import BookFile, read_book
from curation.sources.tars import tar_texts

LICENCE = "Public domain in the USA"  # as Project Gutenberg says of every book that is not under copyright
RANKS = ("-0", "pg", "-8", "-5", "")  # the best encoding first, by the end or beginning of the name

_NAME = re.compile(r"(pg)?(\d{1,7})(-[058])?\.txt(?:\.utf-?8)?(?:\.gz)?", re.IGNORECASE)
_INDEX = re.compile(r"(?:an? |the )?index (?:of|to) (?:the )?project gutenberg", re.IGNORECASE)
_COPYRIGHTED = re.compile(r"(?:in )?copyright", re.IGNORECASE)
_SCORE = re.compile(r"(?:^|;)\s*M\d*\s*(?:;|$)")


@dataclass(frozen=True, kw_only=True)
class Gutenberg(ArchivedFiles):
    """Texts of books; each `paths` entry is a file, a folder or a glob."""

    catalogue: Annotated[str, "pg_catalog.csv or rdf-files.tar.bz2; a file or URI"]
    default_licence: Annotated[str | None, "the licence of books whose rights the catalogue lacks: a value"] = LICENCE

    version: ClassVar[int] = 3

    def signal_types(self) -> Signals:
        """As the catalogue has them; several authors with semicolons between them."""
        return {"book": pa.int64(), "title": pa.string(), "authors": pa.string()}

    def assets(self) -> Mapping[str, Files]:
        """The catalogue."""
        return {"catalogue": self.catalogue}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """Books by the marks around them; the catalogue by its columns."""
        return recognised(start)

    def list_inputs(self, pattern: str) -> list[InputFile]:
        """Files, of the encodings of a book in one folder the best."""
        files = sorted(super().list_inputs(pattern), key=_rank, reverse=True)
        best = {(posixpath.dirname(file.path), _number(file.path) or file.path): file for file in files}
        return sorted(best.values(), key=lambda file: file.path)

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError where the catalogue is missing or is none."""
        read_catalogue(self.catalogue)

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        entries = read_catalogue(self.catalogue)
        for place, (name, content) in enumerate(tar_texts(piece.path, tally, self.max_document_bytes, alone=True)):
            number = _number(name or piece.path)
            book = None if content is None else converted(partial(read_book, content))
            if isinstance(book, BookFile):
                number = number or book.number
            entry = entries.get(number)
            if isinstance(book, Overrun):
                reason = error_reason(key_of(type(self)), book)
                yield self._row(FileDocument(None, str(number), {}), place, piece, source) | {"drop_reason": reason}
                continue
            skipped = _passed_over(number, entry, book)
            if skipped or entry is None:
                tally.records[f"skipped.{skipped}"] += 1
                continue
            yield self._row(_document(number, entry, book), place, piece, source)


def _document(number: int, entry: Entry, book: BookFile | None) -> FileDocument:
    return FileDocument(
        book and book.text,
        str(number),
        {"book": number, "title": entry["Title"] or None, "authors": entry["Authors"] or None},
        url=f"https://www.gutenberg.org/ebooks/{number}",
        date=parse_date(entry["Issued"]),
        licence=entry[RIGHTS].rstrip(". ") or None,
        language=entry["Language"].partition(";")[0].strip() or None,
    )


def _number(path: str) -> int:
    """The book that a file is of, by its name; 0 where it is none."""
    match = _NAME.fullmatch(posixpath.basename(path))
    return int(match[2]) if match else 0


def _rank(file: InputFile) -> int:
    match = _NAME.fullmatch(posixpath.basename(file.path))
    return RANKS.index(match[3] or match[1] or "") if match else 0


def _passed_over(number: int, entry: Entry | None, book: BookFile | None) -> str | None:
    """What a file is counted as; None for a book that is read."""
    if not number:
        return "not_a_book"
    if not entry:
        return "not_in_catalogue"
    if entry["Type"].lower() != "text":
        return "not_text"
    if _SCORE.search(entry["LoCC"]):
        return "music"
    if _INDEX.match(entry["Title"]):
        return "index"
    if _COPYRIGHTED.match(entry[RIGHTS]):
        return "copyrighted"
    if book and not book.marked:
        return "unmarked"
    return "copyrighted" if book and book.copyrighted else None
