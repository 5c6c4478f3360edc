"""Counts a page's nodes, its nesting depth, the attributes of its fullest tag, and what forms and links it has, before
any parser sees it.

Parsers take quadratic time or unbounded memory on hostile markup (200,000 nested <div>, a tag with 100,000 attributes,
thousands of unclosed <font>), so the bytes are counted first, in linear time and without a tree.
Source: WHATWG HTML Standard, "tokenization"; `nesting.py` says how much of tree construction is followed.

Nodes are elements (formatting cut off by blocks counts as often as it may be reopened), attributes, comments and runs
of text. Depth counts html and body. Fields are <input> (hidden ones and buttons too), <select> and <textarea>.
"""

import string
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.nesting import (
    ATTRIBUTES,
    DEEPEST,
    FIELDS,
    FNV_OFFSET,
    FNV_PRIME,
    FORMATTING,
    LABELS,
    LINKS,
    NODES,
    RAW,
    VOID,
    Nesting,
    begin,
    end_tag,
    flags_of,
    in_foreign,
    name_hash,
    start_tag,
)
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hashing import hash_bytes

_OFFSET = np.uint64(FNV_OFFSET)
_PRIME = np.uint64(FNV_PRIME)
_PLAINTEXT = name_hash("plaintext")
_INPUT = name_hash("input")
_SELECT = name_hash("select")
_TEXTAREA = name_hash("textarea")
_LABEL = name_hash("label")
_LINK = name_hash("a")
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


class MarkupCounts(NamedTuple):
    """What a page holds; if a limit was passed, the counts up to that tag."""

    nodes: int
    depth: int
    attributes: int
    fields: int
    labels: int
    links: int


def count(html: bytes, *, max_nodes: int, max_depth: int, max_attributes: int) -> MarkupCounts:
    """Counts of a page in UTF-8 (or ASCII); stops at the first tag that passes a limit."""
    nesting = begin(max_depth)
    _scan(np.frombuffer(html, np.uint8), nesting, max_nodes, max_depth, max_attributes)
    return counts_of(nesting)


def counts_of(nesting: Nesting) -> MarkupCounts:
    return MarkupCounts(*(int(nesting.state[of]) for of in (NODES, DEEPEST, ATTRIBUTES, FIELDS, LABELS, LINKS)))


@kernel
def skip_text(html: Html, start: Int) -> Int:
    """End of the text that begins at `start`."""
    place = start
    while place < len(html):
        if html[place] == LESS and place + 1 < len(html) and CLASS[html[place + 1]] & _OPENS:
            break
        place += 1
    return place


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
def skip_raw(html: Html, start: Int, name: np.uint64) -> Int:
    """Where the end tag of a script, style or the like begins; the page's end if there is none."""
    place = start
    while place + 1 < len(html):
        while place + 1 < len(html) and html[place] != LESS:
            place += 1
        if place + 1 < len(html) and html[place + 1] == SLASH:
            closing, _ = read_name(html, place + 2)
            if closing == name:
                return place
        place += 1
    return len(html)


@kernel
def count_start(
    html: Html, start: Int, place: Int, name: np.uint64, attributes: Int, closed: Int, nesting: Nesting
) -> Int:
    """Count the start tag html[start:place]. Returns its flags, VOID for one that "/>" closes in SVG or MathML."""
    flags = flags_of(name)
    state = nesting.state
    state[NODES] += attributes
    state[ATTRIBUTES] = max(state[ATTRIBUTES], attributes)
    state[FIELDS] += name in (_INPUT, _SELECT, _TEXTAREA)
    state[LABELS] += name == _LABEL
    state[LINKS] += name == _LINK
    if (closed or flags & RAW) and in_foreign(nesting):
        flags = VOID if closed else 0
    start_tag(nesting, name, flags, hash_bytes(html, start, place) if flags & FORMATTING else np.uint64(0))
    return flags


@kernel
def _read_tag(html: Html, start: Int, nesting: Nesting) -> Int:
    """Count the start or end tag at `start`; returns the place after it and after a raw element's content."""
    ends = html[start + 1] == SLASH
    name, place = read_name(html, start + 1 + ends)
    attributes, closed, place = read_attributes(html, place)
    if place > len(html):
        return len(html)  # an unfinished tag does not count
    if ends:
        end_tag(nesting, name, flags_of(name))
        return place
    flags = count_start(html, start, place, name, attributes, closed, nesting)
    return after_content(html, place, name, flags)


@kernel
def after_content(html: Html, place: Int, name: np.uint64, flags: Int) -> Int:
    """Where the markup goes on after the start tag that ends at `place`: past the text of a raw element."""
    if name == _PLAINTEXT:
        return len(html)
    return skip_raw(html, place, name) if flags & RAW else place


@kernel
def past_limits(nesting: Nesting, max_nodes: int, max_depth: int, max_attributes: int) -> bool:
    state = nesting.state
    return bool(state[NODES] > max_nodes or state[DEEPEST] > max_depth or state[ATTRIBUTES] > max_attributes)


@kernel
def begins_tag(html: Html, place: Int) -> bool:
    """Whether the "<" at `place`, which is no text, begins a start or end tag."""
    name = place + 1 + (html[place + 1] == SLASH)
    return bool(name < len(html) and CLASS[html[name]] & LETTER)


@kernel
def _scan(html: Html, nesting: Nesting, max_nodes: int, max_depth: int, max_attributes: int) -> None:
    """Count into `nesting.state`, up to the limits."""
    state = nesting.state
    place: Int = 0
    while place < len(html) and not past_limits(nesting, max_nodes, max_depth, max_attributes):
        text_end = skip_text(html, place)
        if text_end > place:
            state[NODES] += 1
            place = text_end
        elif begins_tag(html, place):
            place = _read_tag(html, place, nesting)
        else:
            state[NODES] += 1
            place = skip_comment(html, place)
