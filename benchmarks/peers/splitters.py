"""Words and sentences in plain Python, as our kernels find them; datatrove uses them in place of spaCy.

It runs in datatrove's environment, so it imports only the standard library.
"""

import re
import sys
import unicodedata
from collections.abc import Set

_CLOSING = ("Pe", "Pi", "Pf")  # categories of closing brackets and quotation marks
_WIDE = frozenset("。！．？｡")  # need no whitespace after them


def words(text: str) -> list[str]:
    return text.split()


def sentence_ends(terminals: Set[str]) -> re.Pattern[str]:
    """What may end a sentence: a line break, or `terminals` with the closing marks that follow the first of them."""
    characters = map(chr, range(sys.maxunicode + 1))
    closing = {mark for mark in characters if mark in "\"'" or unicodedata.category(mark) in _CLOSING}
    first, more = (re.escape("".join(sorted(marks))) for marks in (terminals, terminals | closing))
    return re.compile(f"\n|[{first}][{more}]*")


def sentence_spans(text: str, ends: re.Pattern[str]) -> list[tuple[int, int]]:
    """(start, stop) of each sentence in characters."""
    spans = []
    begin = 0
    for match in ends.finditer(text):
        stop = match.end()
        if match[0] == "\n" or stop == len(text) or text[stop].isspace() or not _WIDE.isdisjoint(match[0]):
            spans += _trimmed(text, begin, stop)
            begin = stop
    return spans + _trimmed(text, begin, len(text))


def _trimmed(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    while start < stop and text[start].isspace():
        start += 1
    while start < stop and text[stop - 1].isspace():
        stop -= 1
    return [(start, stop)] if start < stop else []
