"""Reads the attributes of a start tag: their number, the classes, whether the element is not shown, and hints for
`curation.extract.prepare`."""

import numpy as np

from curation.text.html.syntax import (
    CLASS,
    ENDS_NAME,
    EQUAL,
    EQUALS,
    FNV_OFFSET,
    FNV_PRIME,
    LOWER,
    MORE,
    SLASH,
    SPACE,
    Html,
    name_hash,
    skip_value,
)
from curation.text.kernels.compiler.kernel import Int, kernel

_OFFSET = np.uint64(FNV_OFFSET)
_PRIME = np.uint64(FNV_PRIME)
_CLASS = name_hash("class")
_STYLE = name_hash("style")
_HIDDEN = name_hash("hidden")
_START = name_hash("start")
_TYPE = name_hash("type")
_REVERSED = name_hash("reversed")
_VALUE = name_hash("value")
_OL = name_hash("ol")
_LI = name_hash("li")
_TD = name_hash("td")
_TH = name_hash("th")
# hints: a list that says how it is numbered, a cell whose class has "code", "line_content", "lines" or "lntd"
NUMBERED = 1
CODE_CELL = 2
_MOST = 100  # bytes of classes that count
_NONE = np.frombuffer(b"display:none", np.uint8)
_CODE_WORDS = tuple(np.frombuffer(word, np.uint8) for word in (b"code", b"line_content", b"lines", b"lntd"))


@kernel
def _with_classes(html: Html, start: Int, stop: Int, signature: np.uint64) -> np.uint64:
    """The signature with the letters of the classes; digits number what is alike otherwise."""
    for place in range(start, min(stop, start + _MOST)):
        byte = html[place]
        if not 48 <= byte <= 57:
            signature = (signature ^ np.uint64(byte)) * _PRIME
    return signature


@kernel
def _is_not_shown(html: Html, start: Int, stop: Int) -> bool:
    """Whether a style has "display:none", in any case and with any white space."""
    matched: Int = 0
    for place in range(start, stop):
        byte = LOWER[html[place]]
        if CLASS[byte] & SPACE:
            continue
        matched = matched + 1 if byte == _NONE[matched] else np.int64(byte == _NONE[0])
        if matched == _NONE.size:
            return True
    return False


@kernel
def _has_word(html: Html, start: Int, stop: Int, word: Html) -> bool:
    """Whether a word in small letters is in a value, in any case."""
    matched: Int = 0
    for place in range(start, stop):
        byte = LOWER[html[place]]
        matched = matched + 1 if byte == word[matched] else np.int64(byte == word[0])
        if matched == word.size:
            return True
    return False


@kernel
def _says_number(name: np.uint64, key: np.uint64) -> bool:
    """Whether an attribute of an element says how a list is numbered."""
    if name == _LI:
        return bool(key == _VALUE)
    return bool(name == _OL and key in (_START, _TYPE, _REVERSED))


@kernel
def read_start(html: Html, start: Int, name: np.uint64) -> tuple[Int, Int, Int, np.uint64, Int, Int]:
    """As `markup.read_attributes`; then the signature of the element, whose name has the hash `name`, 1 if it says that
    it is not shown, and its hints."""
    attributes = 0
    place = start
    size = len(html)
    closed: Int = 0
    signature = name
    hidden: Int = 0
    hints: Int = 0
    while place < size:
        byte = html[place]
        if byte == MORE:
            return attributes, closed, place + 1, signature, hidden, hints
        closed = np.int64(byte == SLASH)
        if CLASS[byte] & (SPACE | ENDS_NAME):
            place += 1
            continue
        attributes += 1
        key = (_OFFSET ^ np.uint64(LOWER[byte])) * _PRIME
        place += 1
        while place < size and not CLASS[html[place]] & (SPACE | ENDS_NAME | EQUAL):
            key = (key ^ np.uint64(LOWER[html[place]])) * _PRIME
            place += 1
        while place < size and CLASS[html[place]] & SPACE:
            place += 1
        hidden |= key == _HIDDEN
        if _says_number(name, key):
            hints |= NUMBERED
        if place < size and html[place] == EQUALS:
            value = place + 1
            place = skip_value(html, value)
            stop = min(place, size)
            if key == _CLASS:
                signature = _with_classes(html, value, stop, signature)
                if name in (_TD, _TH):
                    for word in _CODE_WORDS:
                        if _has_word(html, value, stop, word):
                            hints |= CODE_CELL
            elif key == _STYLE:
                hidden |= _is_not_shown(html, value, stop)
    return attributes, closed, size + 1, signature, hidden, hints
