"""Removes the marks for bold and italics from wikitext, and tells which apostrophe is a letter.

Source: https://www.mediawiki.org/wiki/Help:Formatting, and `Parser::doQuotes` of MediaWiki.
"""

import re

_QUOTES = re.compile(r"'{2,5}")
_FOUR = re.compile(r"(?<!')''''(?!')")


def without_quotes(text: str) -> str:
    """Text without marks for bold and italics; of four apostrophes one is a letter (`l''''Aude`)."""
    if "'''" in text:
        text = "\n".join(_with_apostrophe(line) if "'''" in line else line for line in text.split("\n"))
    return _QUOTES.sub("", _FOUR.sub("'", text) if "''''" in text else text)


def _with_apostrophe(line: str) -> str:
    """Where neither bold nor italics end in a line, one of three apostrophes is a letter (`l'''uomo''`): as MediaWiki
    has it, one behind a word of one letter, else the first, but rather within a word than beside it."""
    marks = [(mark.start(), len(mark[0])) for mark in _QUOTES.finditer(line)]
    bold = sum(length > 2 for _, length in marks)
    italics = sum(length in (2, 5) for _, length in marks)
    places = [place for place, length in marks if length == 3]
    if not (bold % 2 and italics % 2 and places):
        return line
    place = min(places, key=lambda one: _unlikely(line[max(one - 2, 0) : one].rjust(2), line[one + 3 : one + 4]))
    return f"{line[:place]}'{line[place + 3 :]}"


def _unlikely(before: str, after: str) -> int:
    """Tells how unlikely an apostrophe is between two characters and one."""
    if before[1] == " ":
        return 3
    return 0 if before[0] == " " else 1 if before[1].isalpha() and after.isalpha() else 2
