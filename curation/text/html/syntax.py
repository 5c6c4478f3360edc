"""The syntax of HTML's tags, comments and text, read from bytes without a tree.

Source: WHATWG HTML Standard, "tokenization".
"""

import string
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import BLOCK, REACH
from curation.text.kernels.compiler.instructions import address_of, equal, lowest
from curation.text.kernels.compiler.kernel import Int, kernel

FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3
_OFFSET = np.uint64(FNV_OFFSET)
_PRIME = np.uint64(FNV_PRIME)
# classes of bytes, by which CLASS has each
SPACE = 1
ENDS_NAME = 2
EQUAL = 4
LETTER = 8
_OPENS = 16
CLASS = np.zeros(256, np.uint8)
CLASS[list(b" \t\n\f\r")] |= SPACE
CLASS[list(b"/>")] |= ENDS_NAME
CLASS[list(b"=")] |= EQUAL
CLASS[list(string.ascii_letters.encode())] |= LETTER | _OPENS
CLASS[list(b"/!?")] |= _OPENS
LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8)
LESS, MORE, SLASH, _BANG, EQUALS, _DASH, _QUOTE, _APOSTROPHE = b"<>/!=-\"'"

Html: TypeAlias = npt.NDArray[np.uint8]


def name_hash(name: str) -> np.uint64:
    """FNV-1a, 64 bits, of a lower-case name."""
    value = FNV_OFFSET
    for byte in name.encode():
        value = ((value ^ byte) * FNV_PRIME) % (1 << 64)
    return np.uint64(value)


@kernel
def find_less(html: Html, start: Int) -> Int:
    """Where the first "<" is from `start` on; the page's end if there is none. Compares 64 bytes at a time."""
    place = start
    while place + REACH <= len(html):
        bits = equal(address_of(html) + np.uint64(place), LESS)
        if bits:
            return place + lowest(bits)
        place += BLOCK
    while place < len(html) and html[place] != LESS:
        place += 1
    return place


@kernel
def skip_text(html: Html, start: Int) -> Int:
    """End of the text that begins at `start`."""
    place = find_less(html, start)
    while place + 1 < len(html) and not CLASS[html[place + 1]] & _OPENS:
        place = find_less(html, place + 1)
    return place if place + 1 < len(html) else np.int64(len(html))


@kernel
def skip_comment(html: Html, start: Int) -> Int:
    """End of the comment, doctype or other declaration that begins with "<!", "<?" or "</" at `start`."""
    place = start + 2
    if html[start + 1] == _BANG and place + 1 < len(html) and html[place] == _DASH and html[place + 1] == _DASH:
        place += 2
        if place < len(html) and html[place] == MORE:
            return place + 1
        while place < len(html):
            if html[place] == MORE and html[place - 1] == _DASH and html[place - 2] == _DASH:
                return place + 1
            if html[place] == MORE and html[place - 1] == _BANG and html[place - 2] == _DASH:
                return place + 1
            place += 1
        return place
    while place < len(html) and html[place] != MORE:
        place += 1
    return place + 1


@kernel
def read_name(html: Html, start: Int) -> tuple[np.uint64, Int]:
    """Hash of the tag name at `start`, in lower case, and its end."""
    name = _OFFSET
    place = start
    while place < len(html):
        byte = html[place]
        if CLASS[byte] & (SPACE | ENDS_NAME):
            break
        name = (name ^ np.uint64(LOWER[byte])) * _PRIME
        place += 1
    return name, place


@kernel
def skip_value(html: Html, start: Int) -> Int:
    """Place after the attribute's value, quoted or not."""
    place = start
    while place < len(html) and CLASS[html[place]] & SPACE:
        place += 1
    if place < len(html) and (html[place] == _QUOTE or html[place] == _APOSTROPHE):
        quote = html[place]
        place += 1
        while place < len(html) and html[place] != quote:
            place += 1
        return place + 1
    while place < len(html) and not (CLASS[html[place]] & SPACE or html[place] == MORE):
        place += 1
    return place


@kernel
def read_attributes(html: Html, start: Int) -> tuple[Int, Int, Int]:
    """Number of attributes, whether the tag ends in "/>", and the place after it, which is past the end if it never
    ends."""
    attributes = 0
    place = start
    size = len(html)
    closed: Int = 0
    while place < size:
        byte = html[place]
        if byte == MORE:
            return attributes, closed, place + 1
        closed = np.int64(byte == SLASH)
        place += 1
        if CLASS[byte] & (SPACE | ENDS_NAME):
            continue
        attributes += 1
        while place < size and not CLASS[html[place]] & (SPACE | ENDS_NAME | EQUAL):
            place += 1
        while place < size and CLASS[html[place]] & SPACE:
            place += 1
        if place < size and html[place] == EQUALS:
            place = skip_value(html, place + 1)
    return attributes, closed, size + 1


@kernel
def begins_tag(html: Html, place: Int) -> bool:
    """Whether the "<" at `place`, which is no text, begins a start or end tag."""
    name = place + 1 + (html[place + 1] == SLASH)
    return bool(name < len(html) and CLASS[html[name]] & LETTER)


@kernel
def skip_raw(html: Html, start: Int, name: np.uint64) -> Int:
    """Where the end tag of a script, style or the like begins; the page's end if there is none."""
    place = start
    while place + 1 < len(html):
        place = find_less(html, place)
        if place + 1 < len(html) and html[place + 1] == SLASH:
            closing, _ = read_name(html, place + 2)
            if closing == name:
                return place
        place += 1
    return len(html)
