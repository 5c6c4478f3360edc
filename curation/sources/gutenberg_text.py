"""The book in a text file of Project Gutenberg, between its head and its licence.

Files of four ages are told apart by their marks, in any case:
- since 2003 `*** START OF THIS PROJECT GUTENBERG EBOOK EMMA ***`, later `THE` for `THIS`, and `END OF` likewise;
- before, `*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*` (or `*END THE SMALL PRINT!`) ends the head,
  and `End of the Project Gutenberg Etext of Emma` or `End of Project Gutenberg's Emma` the book;
- after the newer mark a paragraph may follow of who made the file: `Produced by …`, `E-text prepared by …`.
"""

import re
from typing import NamedTuple

from curation.sources.utf8 import legacy

HEAD = 60_000  # characters in which the head ends; the longest small print has about 20,000
TAIL = 30_000  # characters with the licence; marks before these are of parts of the book
_LINE = r"(?im)^[ \t>]{0,9}\*{0,9}[ \t]{0,9}"
_START = re.compile(  # a long title goes on in a second line
    _LINE + r"START(?: OF)?(?: (?:THE|THIS))? PROJECT GUTENBERG E-?(?:BOOK|TEXT)S?\b[^\n]*\n(?:[^\n]*\*{3}[ \t]*\n)?"
)
_SMALL_PRINT = re.compile(_LINE + r"END[* ]{0,9}THE SMALL PRINT![^\n]*\n")
_END = re.compile(
    _LINE + r"(?:END OF (?:THE|THIS) (?:COPYRIGHTED )?PROJECT GUTENBERG E-?(?:BOOK|TEXT)"
    r"|END OF (?:THE |THIS )?PROJECT GUTENBERG(?:'S|’S| E-?(?:BOOK|TEXT)|[ \t]{0,9}$)"
    r"|(?:ENDE DIESES|FIN D[EU]|EINDE VAN) PROJECT GUTENBERG|END OF THIS IS COPYRIGHTED)"
)
_MAKERS = re.compile(
    r"(?i)\s*(?:This e-?(?:book|text) was )?(?:Produced|E-?text prepared|Prepared|Transcribed|Scanned)\b[^\n]* ?by\b"
    r"[^\n]*(?:\n[^\n]+)*"
)
_COPYRIGHTED = re.compile(
    r"(?i)(?:This is a \**|END OF THIS (?:IS )?|SMALL PRINT! FOR )COPYRIGHT(?:ED| PROTECTED)\b"
    r"|Copyright Status:\s{0,9}Copyrighted|in copyright and may not be reproduced"
)
_ENCODING = re.compile(rb"(?m)^Character set encoding:[ \t]*((?:ISO-|windows-|CP|GB|Big5|EUC-|Shift|KOI8-)[\w-]{0,20})")


class BookFile(NamedTuple):
    """A book; `marked` unless nothing shows where it begins, `copyrighted` if it may be copied on terms only."""

    text: str
    marked: bool
    copyrighted: bool


def read_book(content: bytes) -> BookFile:
    """Any bytes; of such without marks all is text."""
    whole = decoded_book(content)
    mark = _START.search(whole, 0, HEAD)
    start = mark.end() if mark else 0
    for mark in _SMALL_PRINT.finditer(whole, start, HEAD):  # where both are, it comes last, or after the book
        start = start if _END.search(whole, start, mark.start()) else mark.end()
    end = _END.search(whole, max(start, len(whole) - TAIL))
    stop = end.start() if end else len(whole)
    makers = _MAKERS.match(whole, start, stop)
    return BookFile(
        text=whole[makers.end() if makers else start : stop].strip(),
        marked=start > 0,
        copyrighted=bool(_COPYRIGHTED.search(whole, 0, start) or _COPYRIGHTED.search(whole, stop)),
    )


def decoded_book(content: bytes) -> str:
    """The text with line feeds, by UTF-8, else by the encoding that its head states, else by what it seems to be in."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        stated = _ENCODING.search(content[:HEAD])
        try:
            text = content.decode(stated[1].decode(), "replace") if stated else legacy(content)
        except LookupError:
            text = legacy(content)
    return text.replace("\r\n", "\n").replace("\r", "\n")
