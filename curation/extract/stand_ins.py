"""Stand-ins for characters of a page that our marks or a library would spoil, until its text has been read.

They are rare letters that the page does not have: hieroglyphs, and Chinese characters of Extension B.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from itertools import chain
from typing import TypeAlias

import numpy as np

from curation.extract.marks import MARKS
from curation.text.kernels.find import find, word_of

_LEAD = word_of(MARKS[0].encode()[:3])  # of each mark and of 59 letters more
_IN_REFERENCES = (word_of(b"8294"), word_of(b"1440"))  # decimal, hexadecimal
_REFERRED = re.compile(rb"&#(?:[xX]0*1440[0-4]|0*8294[4-8])(?![0-9a-fA-F])")
_REFERENCE = re.compile("&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z]{2,24});?")
_NUMBERED = re.compile(rb"&#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,9});?")
_ASCII = bytes(range(128))
# Format characters without a meaning of their own for the text: soft hyphens, zero-width spaces, marks of direction.
_NO_MEANING = frozenset("\u00ad\u061c\u180e\u200b\u200e\u200f\ufeff") | frozenset(
    map(chr, (*range(0x202A, 0x202F), *range(0x2060, 0x2070)))
)

_LETTERS = (range(0x14405, 0x14647), range(0x20000, 0x2A6D7))  # stand-ins: hieroglyphs, then CJK of Extension B

StandIns: TypeAlias = dict[int, str]  # as `str.translate` takes them: the code point of a stand-in, what it stands for
Protect: TypeAlias = Callable[[bytes], tuple[bytes, StandIns]]


def without_marks(page: bytes) -> tuple[bytes, StandIns]:
    """A page in UTF-8 without MARKS, and what puts them back into its text."""
    return _stood_in(page, lambda one: False) if _may_hold_marks(page) else (page, {})


def without_unprintable(page: bytes) -> tuple[bytes, StandIns]:
    """The same, and without characters that `str.isprintable` denies and that carry meaning (U+200C, new emoji).

    References to what XML has no place for, such as `&#11;` and `&#xFFFE;`, become these characters, because
    Trafilatura finds no text in a page with one of them.
    """
    return _stood_in(_NUMBERED.sub(_character, page) if b"&#" in page else page, _is_unprintable)


def _character(reference: re.Match[bytes]) -> bytes:
    """The character of a reference that Python takes for none, a space for a tab or feed; others stay."""
    written = reference[0].decode()
    if html.unescape(written) not in ("", "\f"):
        return reference[0]
    digits = written[2:].rstrip(";")
    character = chr(int(digits[1:], 16) if digits[0] in "xX" else int(digits))
    return b" " if character in "\v\f" else character.encode()


def _may_hold_marks(page: bytes) -> bool:
    data = np.frombuffer(page, np.uint8)
    if find(data, _LEAD, 0, len(page)) >= 0:
        return True
    referred = any(find(data, word, 0, len(page)) >= 0 for word in _IN_REFERENCES)
    return referred and _REFERRED.search(page) is not None


def _is_unprintable(one: str) -> bool:
    return not one.isprintable() and unicodedata.category(one) in ("Cf", "Cn") and one not in _NO_MEANING


def _stood_in(page: bytes, is_dropped: Callable[[str], bool]) -> tuple[bytes, StandIns]:
    present = set(page.translate(None, _ASCII).decode("utf-8", "replace"))
    text = page.decode("utf-8", "replace")
    references = {one: html.unescape(one) for one in set(_REFERENCE.findall(text))}
    present.update(*references.values())
    unsafe = sorted(one for one in present if one in MARKS or (one > "\x7f" and is_dropped(one)))
    free = (letter for letter in map(chr, chain.from_iterable(_LETTERS)) if letter not in present)
    letters = dict(zip(unsafe, free, strict=False))  # a page that holds all letters keeps its marks
    if not letters:
        return page, {}
    table = str.maketrans(letters)
    changed = {one: value.translate(table) for one, value in references.items() if letters.keys() & set(value)}
    text = text.translate(table)
    if changed:
        text = _REFERENCE.sub(lambda match: changed.get(match[0], match[0]), text)
    return text.encode(), {ord(letter): one for one, letter in letters.items()}
