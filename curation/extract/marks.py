"""The characters by which our own steps mark positions in a page's text, and stand-ins for those of the page.

A step that changes a page before a library parses it marks positions with a character of its own, and takes it out of
the library's text afterwards. No two steps share one. They have four bytes, because Resiliparse drops some texts of
three, and are printable, because Trafilatura drops what is not: letters of the Anatolian hieroglyphs, U+14400 and the
next. A page that holds one of them, or a character that a library drops, gets other rare letters in its place until
its text has been read, so that nothing is lost.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

MARKS = "".join(map(chr, range(0x14400, 0x14405)))
GUARD, CODE_OPENS, CODE_CLOSES, NUMBER_OPENS, NUMBER_CLOSES = tuple(MARKS)

_LEAD = MARKS[0].encode()[:3]  # of each mark and of 59 letters more
_REFERRED = re.compile(rb"&#(?:[xX]0*1440[0-4]|0*8294[4-8])(?![0-9a-fA-F])")
_REFERENCE = re.compile("&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z]{2,24});?")
_ASCII = bytes(range(128))
# Format characters without a meaning of their own for the text: soft hyphens, zero-width spaces, marks of direction.
_NO_MEANING = frozenset("\u00ad\u061c\u180e\u200b\u200e\u200f\ufeff") | frozenset(
    map(chr, (*range(0x202A, 0x202F), *range(0x2060, 0x2070)))
)

_LETTERS = (*range(0x14405, 0x14647), *range(0x20000, 0x2A6D7))  # stand-ins: hieroglyphs, then CJK of Extension B

StandIns: TypeAlias = dict[int, str]  # as `str.translate` takes them: the code point of a stand-in, what it stands for
Protect: TypeAlias = Callable[[bytes], tuple[bytes, StandIns]]


def without_marks(page: bytes) -> tuple[bytes, StandIns]:
    """A page in UTF-8 without MARKS, and what puts them back into its text."""
    held = _LEAD in page or _REFERRED.search(page)
    return _stood_in(page, lambda one: False) if held else (page, {})


def without_unprintable(page: bytes) -> tuple[bytes, StandIns]:
    """The same, and without characters that `str.isprintable` denies and that carry meaning (U+200C, new emoji)."""
    return _stood_in(page, _is_unprintable)


def _is_unprintable(one: str) -> bool:
    return not one.isprintable() and unicodedata.category(one) in ("Cf", "Cn") and one not in _NO_MEANING


def _stood_in(page: bytes, is_dropped: Callable[[str], bool]) -> tuple[bytes, StandIns]:
    present = set(page.translate(None, _ASCII).decode("utf-8", "replace"))
    text = page.decode("utf-8", "replace")
    references = {one: html.unescape(one) for one in set(_REFERENCE.findall(text))}
    present.update(*references.values())
    unsafe = sorted(one for one in present if one in MARKS or (one > "\x7f" and is_dropped(one)))
    free = (letter for letter in map(chr, _LETTERS) if letter not in present)
    letters = dict(zip(unsafe, free, strict=False))  # a page that holds all letters keeps its marks
    if not letters:
        return page, {}
    table = str.maketrans(letters)
    changed = {one: value.translate(table) for one, value in references.items() if letters.keys() & set(value)}
    text = text.translate(table)
    if changed:
        text = _REFERENCE.sub(lambda match: changed.get(match[0], match[0]), text)
    return text.encode(), {ord(letter): one for one, letter in letters.items()}
