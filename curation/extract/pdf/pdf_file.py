"""One file of PDF to its text and what it says of itself, in the child process: PDFium may crash."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from curation.core.document import MAX_DOCUMENT_BYTES
from curation.extract.pdf.document_text import document_text
from curation.extract.pdf.line_numbers import without_line_numbers
from curation.extract.pdf.page_characters import PageCharacters, compose, page_characters
from curation.extract.pdf.page_lines import PageLine, page_lines
from curation.extract.pdf.page_runs import page_runs
from curation.extract.pdf.reading_order import LINES
from curation.extract.pdf.unmapped import is_unreadable

MARK = b"%PDF-"
MARKED = 1024  # bytes within which it begins, as readers have it
_DAMAGED = "damaged"  # a page without lines
_NO_UNICODE = "no_unicode"
MOST_ALIKE = 500  # streams without an end, or objects of one number, in a file
_OBJECT = re.compile(rb"\b(\d{1,10}) \d{1,5} obj")
LONGEST = 1_000  # characters of a title or a producer
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-]\d\d)'?(\d\d)?)?")


class _Unreadable(Exception):  # noqa: N818 - its first argument is the cause
    """A file without a text."""


def pdfium(*, max_pages: int) -> Callable[[bytes], bytes]:
    """From a file to JSON: `facts`, and `text` or the `cause` why there is none."""
    import pypdfium2

    _load(pypdfium2)

    def read(content: bytes) -> bytes:
        facts: dict[str, int | str | None] = {}
        found: dict[str, object] = {"facts": facts}
        try:
            found["text"] = _text(pypdfium2, content, max_pages, facts)
        except _Unreadable as error:
            found["cause"] = str(error)
        return json.dumps(found).encode()

    return read


def _load(pypdfium2: Any) -> None:
    """Kernels are loaded, or compiled, which takes ten seconds once on a machine, before the time of any file runs."""
    blank = pypdfium2.PdfDocument.new()
    page_characters(pypdfium2.raw, blank.new_page(1, 1))
    blank.close()
    codes = np.full(2 * LINES, 0xB4, np.uint32)
    page = PageCharacters(codes, np.zeros((len(codes), 4)), np.zeros(len(codes), np.bool_))
    compose(page)
    page_lines(page_runs(page))


def created(stated: str) -> int | None:
    """Milliseconds since 1970 of a date as a PDF states it (D:20200131120000+01'00'), None for what is no date."""
    match = _DATE.match(stated)
    if match is None:
        return None
    year, month, day, hour, minute, second, zone, minutes = match.groups()
    time = f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}"
    try:
        moment = datetime.fromisoformat(f"{time}{zone or '+00'}:{minutes or '00'}")
        return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 1000
    except ValueError:
        return None


def _text(pypdfium2: Any, content: bytes, max_pages: int, facts: dict[str, int | str | None]) -> str:
    """Fills in the facts as they come. Raises _Unreadable."""
    library = pypdfium2.raw
    counts: Counter[str] = Counter()
    if content.find(MARK, 0, MARKED) < 0:
        raise _Unreadable("not_pdf")
    if _is_pile(content):
        raise _Unreadable("damaged")
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (library.FPDF_ERR_PASSWORD, library.FPDF_ERR_SECURITY)
        raise _Unreadable("encrypted" if locked else "damaged") from error
    try:
        for key in ("Title", "Producer"):
            facts[key.lower()] = " ".join(_stated(document, key).split())[:LONGEST] or None
        facts["created"] = created(_stated(document, "CreationDate"))
        facts["pages"] = len(document)
        if len(document) > max_pages:
            raise _Unreadable("too_many_pages")
        pages = list(_pages(library, document, counts))
    finally:
        document.close()
    facts["pages_damaged"] = pages.count(_DAMAGED)
    facts["pages_no_unicode"] = pages.count(_NO_UNICODE)
    facts["pages_without_text"] = pages.count([])
    text, cut = document_text([page for page in pages if isinstance(page, list) and page])
    facts["lines_cut"] = cut + counts["line_numbers"]
    if not text:
        raise _Unreadable("no_unicode" if facts["pages_no_unicode"] else "no_text")
    return text


def _is_pile(content: bytes) -> bool:
    """Whether a file repeats a piece so often that PDFium takes minutes: it looks for the end of each stream up to the
    end of the file, and again for each object of the same number."""
    unclosed = content.count(b"stream\n") + content.count(b"stream\r") - 2 * content.count(b"endstream")
    if unclosed > MOST_ALIKE:
        return True
    if content.count(b" obj") <= MOST_ALIKE:
        return False
    return max(Counter(_OBJECT.findall(content)).values(), default=0) > MOST_ALIKE


def _stated(document: Any, key: str) -> str:
    """What the file says of itself; "" for what is no text."""
    try:
        value: str = document.get_metadata_value(key)
    except UnicodeDecodeError:  # half of a surrogate pair
        return ""
    return value


def _pages(library: Any, document: Any, counts: Counter[str]) -> Iterator[list[PageLine] | str]:
    """Lines of each page, or why it has none; `counts` takes numbers of lines that are left out. Raises _Unreadable
    once the texts are too long."""
    size = 0
    for number in range(len(document)):
        page = library.FPDF_LoadPage(document, number)
        if not page:
            yield _DAMAGED
            continue
        try:
            characters = page_characters(library, page)
        finally:
            library.FPDF_ClosePage(page)
        if is_unreadable(characters):
            yield _NO_UNICODE
            continue
        runs, numbers = without_line_numbers(page_runs(characters))
        counts["line_numbers"] += numbers
        lines = page_lines(runs)
        size += sum(len(line.text) for line in lines)
        if size > MAX_DOCUMENT_BYTES:
            raise _Unreadable("too_many_bytes")
        yield lines
