"""The book in a text file of Project Gutenberg, between its head and its licence.

Files of four ages are told apart by their marks, in any case:
- since 2003 `*** START OF THIS PROJECT GUTENBERG EBOOK EMMA ***`, later `THE` for `THIS`, and `END OF` likewise;
- before, `*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*` (or `*END THE SMALL PRINT!`) ends the head,
  and `End of the Project Gutenberg Etext of Emma` or `End of Project Gutenberg's Emma` the book;
- after the mark paragraphs may follow of who made the file, and of its other forms: `Produced by …`, `Note: Project
  Gutenberg also has …`;
- a few files of 2002 have the small print behind the book; some of 2023 have the mark of the end far to the right.
"""

import re
from typing import NamedTuple

from curation.sources.utf8 import WINDOWS, legacy

HEAD = 60_000  # characters in which the head ends; the longest small print has about 20,000
TAIL = 30_000  # characters with the licence; marks before these are of parts of the book
_LINE = r"(?im)^[ \t>]{0,60}\*{0,9}[ \t]{0,9}"
_START = re.compile(  # a long title goes on in a second line
    _LINE + r"START(?: OF)?(?: (?:THE|THIS))? PROJECT GUTENBERG E-?(?:BOOK|TEXT)S?\b[^\n]*\n(?:[^\n]*\*{3}[ \t]*\n)?"
)
_SMALL_PRINT = re.compile(_LINE + r"END[* ]{0,9}THE SMALL PRINT![^\n]*\n")
_END = re.compile(
    _LINE + r"(?:END OF (?:THE|THIS) (?:COPYRIGHTED )?PROJECT GUTENBERG E-?(?:BOOK|TEXT)"
    r"|END OF (?:THE |THIS )?PROJECT GUTENBERG(?:'S|’S| E-?(?:BOOK|TEXT)|[ \t]{0,9}$)"
    r"|(?:ENDE DIESES|FIN D[EU]|EINDE VAN) PROJECT GUTENBERG|END OF THIS IS COPYRIGHTED)"
)
_NUMBER = re.compile(r"\[e-?(?:book|text) {0,2}#? {0,2}(\d{1,7})\]", re.IGNORECASE | re.ASCII)
_HEAD_BEHIND = re.compile(_LINE + r"THE PROJECT GUTENBERG E-?(?:TEXT|BOOK) OF\b")
_PRINT_BEHIND = re.compile(_LINE + r"(?:THE LEGAL SMALL PRINT|START[* ]{1,9}THE SMALL PRINT!)")
_CREDITS = re.compile(  # a paragraph
    r"""(?imx)\s*+[\[(]?(?:
      This\ (?:e-?text|e-?book|file|html\ edition)\ (?:was|is|has\ been)\ (?:\w+\ )?
        (?:produced|prepared|transcribed|scanned|created|converted|typed|edited|proofread)\b
      |(?:Produced|E-?text\ prepared|Prepared|Transcribed|Scanned|Typed|Proofread|Entered|Digiti[sz]ed|HTML\ version)\b
        [^\n]{0,200}\bby\b
      |Note:\ (?:Project\ Gutenberg\ also\ has|Images\ of\ the\ original\ pages)
      |(?:Special\ |Many\ )?thanks\ (?:are\ due\ )?to\b|We\ thank\b
      |The\ Project\ Gutenberg\ E-?(?:text|book)\ of\b|\*{3,9}[ \t]*$
      |[^\n]{0,200}\b(?:Distributed|Online)\ Proofread(?:ing|ers)\b
    )[^\n]*(?:\n[^\n]+)*"""
)
LATIN = {b"iso-8859-1": WINDOWS, b"iso-latin-1": WINDOWS}  # files of Windows have its quotation marks all the same
MAX_CREDITS = 8  # paragraphs
_COPYRIGHTED = re.compile(
    r"(?i)(?:This is a \**|END OF THIS (?:IS )?|SMALL PRINT! FOR )COPYRIGHT(?:ED| PROTECTED)\b"
    r"|Copyright Status:\s{0,9}Copyrighted|in copyright and may not be reproduced"
)
_ENCODING = re.compile(rb"(?m)^Character set encoding:[ \t]*((?:ISO-|windows-|CP|GB|Big5|EUC-|Shift|KOI8-)[\w-]{0,20})")


class BookFile(NamedTuple):
    """A book; `marked` unless nothing shows where it begins, `copyrighted` if it may be copied on terms only; `number`
    as its head tells it, 0 if it does not."""

    text: str
    marked: bool
    copyrighted: bool
    number: int


def read_book(content: bytes) -> BookFile:
    """Any bytes; of such without marks all is text."""
    whole = decoded_book(content)
    mark = _START.search(whole, 0, HEAD)
    start = mark.end() if mark else 0
    for mark in _SMALL_PRINT.finditer(whole, start, HEAD):  # where both are, it comes last, or after the book
        start = start if _END.search(whole, start, mark.start()) else mark.end()
    stop = _end(whole, max(start, len(whole) - TAIL))
    begin = start
    for _ in range(MAX_CREDITS if start else 0):
        credits = _CREDITS.match(whole, begin, stop)
        begin = credits.end() if credits else begin
    return BookFile(
        text=whole[begin:stop].strip(),
        marked=start > 0,
        copyrighted=bool(_COPYRIGHTED.search(whole, 0, start) or _COPYRIGHTED.search(whole, stop)),
        number=int(number[1]) if (number := _NUMBER.search(whole, 0, start)) else 0,
    )


def _end(whole: str, tail: int) -> int:
    """Where the book ends: at a mark behind `tail`, or at a head that stands behind the book."""
    small_print = _PRINT_BEHIND.search(whole, tail)
    head = _HEAD_BEHIND.search(whole, tail, small_print.start()) if small_print else None
    marks = (_END.search(whole, tail), small_print, head)
    return min((mark.start() for mark in marks if mark), default=len(whole))


def decoded_book(content: bytes) -> str:
    """The text with line feeds, by UTF-8, else by the encoding that its head states, else by what it seems to be in."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        stated = _ENCODING.search(content[:HEAD])
        try:
            codec = LATIN.get(stated[1].lower(), stated[1].decode()) if stated else ""
            text = content.decode(codec, "replace") if codec else legacy(content)
        except LookupError:
            text = legacy(content)
    return text.replace("\r\n", "\n").replace("\r", "\n")
