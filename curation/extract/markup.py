"""Counts a page's nodes, its nesting depth and the attributes of its fullest tag before any parser sees it.

Why: parsers take quadratic time or unbounded memory on hostile markup (200,000 nested <div>, a tag with 100,000
attributes, thousands of unclosed <font>), so what decides is counted in the bytes, in linear time and without a tree.
Source: WHATWG HTML Standard, "tokenization"; `nesting.py` and `tree.py` hold what of tree construction is followed.

Nodes are elements (also those that the page implies), attributes, comments and runs of text. Depth counts html and
body.
"""

import string
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic

from curation.extract.elements import FNV_OFFSET, FNV_PRIME, FOREIGN, FORMATTING, RAW, flags_of
from curation.extract.nesting import end_tag, start_tag, top_flags
from curation.extract.tree import (
    ACTIVE_LIST,
    ATTRIBUTES,
    DEEPEST,
    NODES,
    PLAINTEXT,
    ROOT_DEPTH,
    STACK,
    STATE,
    Active,
    Stack,
    State,
    reopen,
)
from curation.text.kernels.compiled import BYTES, kernel

_OFFSET, _PRIME = np.uint64(FNV_OFFSET), np.uint64(FNV_PRIME)
_SPACE, _ENDS_NAME, _EQUAL, _LETTER, _OPENS = 1, 2, 4, 8, 16  # classes of bytes
_CLASS = np.zeros(256, np.uint8)
_CLASS[list(b" \t\n\f\r")] |= _SPACE
_CLASS[list(b"/>")] |= _ENDS_NAME
_CLASS[list(b"=")] |= _EQUAL
_CLASS[list(string.ascii_letters.encode())] |= _LETTER | _OPENS
_CLASS[list(b"/!?")] |= _OPENS
_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8)
_LESS, _MORE, _SLASH, _BANG, _EQUALS, _DASH, _QUOTE, _APOSTROPHE = b"<>/!=-\"'"

Html: TypeAlias = npt.NDArray[np.uint8]
PAIR: Any = types.Tuple((types.int64, types.int64))  # type: ignore[no-untyped-call]
TRIPLE: Any = types.Tuple((types.int64, types.int64, types.int64))  # type: ignore[no-untyped-call]
NAMED: Any = types.Tuple((types.uint64, types.int64))  # type: ignore[no-untyped-call]


class Counts(NamedTuple):
    """What a page holds; where a limit was passed, the counts up to that tag."""

    nodes: int
    depth: int
    attributes: int


def count(html: bytes, *, max_nodes: int, max_depth: int, max_attributes: int) -> Counts:
    """Counts of a page in UTF-8 (or ASCII); counting ends at the first tag that passes a limit."""
    state = np.zeros(6, np.int64)
    state[DEEPEST] = ROOT_DEPTH
    stack = np.empty((max_depth + 4, 2), np.uint64)  # room for the parts of a table that one cell implies
    active = np.empty((4 * (max_depth + 4), 3), np.int64)
    _scan(np.frombuffer(html, np.uint8), state, stack, active, np.array([max_nodes, max_depth, max_attributes]))
    return Counts(int(state[NODES]), int(state[DEEPEST]), int(state[ATTRIBUTES]))


@kernel(PAIR(BYTES, types.int64))
def _skip_text(html: Html, start: int) -> Any:
    """End of the text that begins at `start`, and whether any of it is not white space."""
    printed = 0
    place = start
    while place < len(html):
        byte = html[place]
        if byte == _LESS:
            if place + 1 < len(html) and _CLASS[html[place + 1]] & _OPENS:
                break
            printed = 1
        elif byte > 32:
            printed = 1
            while place + 1 < len(html) and html[place + 1] != _LESS:
                place += 1
        place += 1
    return place, printed


@kernel(types.int64(BYTES, types.int64))
def _skip_comment(html: Html, start: int) -> Any:
    """End of the comment, doctype or other declaration that begins with "<!", "<?" or "</" at `start`."""
    place = start + 2
    if html[start + 1] == _BANG and place + 1 < len(html) and html[place] == _DASH and html[place + 1] == _DASH:
        place += 2
        if place < len(html) and html[place] == _MORE:
            return place + 1
        while place < len(html):
            if html[place] == _MORE and html[place - 1] == _DASH and html[place - 2] == _DASH:
                return place + 1
            if html[place] == _MORE and html[place - 1] == _BANG and html[place - 2] == _DASH:
                return place + 1
            place += 1
        return place
    while place < len(html) and html[place] != _MORE:
        place += 1
    return place + 1


@kernel(NAMED(BYTES, types.int64))
def _read_name(html: Html, start: int) -> Any:
    """Hash of the tag name at `start`, in lower case, and where it ends."""
    name = _OFFSET
    place = start
    while place < len(html):
        byte = html[place]
        if _CLASS[byte] & (_SPACE | _ENDS_NAME):
            break
        name = (name ^ np.uint64(_LOWER[byte])) * _PRIME
        place += 1
    return name, place


@kernel(types.int64(BYTES, types.int64))
def _skip_value(html: Html, start: int) -> Any:
    """Place after the attribute's value, quoted or not."""
    place = start
    while place < len(html) and _CLASS[html[place]] & _SPACE:
        place += 1
    if place < len(html) and (html[place] == _QUOTE or html[place] == _APOSTROPHE):
        quote = html[place]
        place += 1
        while place < len(html) and html[place] != quote:
            place += 1
        return place + 1
    while place < len(html) and not (_CLASS[html[place]] & _SPACE or html[place] == _MORE):
        place += 1
    return place


@kernel(TRIPLE(BYTES, types.int64))
def _read_attributes(html: Html, start: int) -> Any:
    """Number of attributes, whether the tag ends in "/>", and the place after it; past the end if it never ends."""
    attributes, place, size = 0, start, len(html)
    closed: Any = 0
    while place < size:
        byte = html[place]
        if byte == _MORE:
            return attributes, closed, place + 1
        closed = np.int64(byte == _SLASH)
        place += 1
        if _CLASS[byte] & (_SPACE | _ENDS_NAME):
            continue
        attributes += 1
        while place < size and not _CLASS[html[place]] & (_SPACE | _ENDS_NAME | _EQUAL):
            place += 1
        while place < size and _CLASS[html[place]] & _SPACE:
            place += 1
        if place < size and html[place] == _EQUALS:
            place = _skip_value(html, place + 1)
    return attributes, closed, size + 1


@kernel(types.int64(BYTES, types.int64, types.uint64))
def _skip_raw(html: Html, start: int, name: Any) -> Any:
    """Where the end tag of a script, style or the like begins; the page's end where there is none."""
    place = start
    while place + 1 < len(html):
        while place + 1 < len(html) and html[place] != _LESS:
            place += 1
        if place + 1 < len(html) and html[place + 1] == _SLASH:
            found, _ = _read_name(html, place + 2)
            if found == name:
                return place
        place += 1
    return len(html)


@kernel(types.int64(BYTES, types.int64, types.int64))
def _hash_bytes(html: Html, start: int, end: int) -> Any:
    value = _OFFSET
    for place in range(start, min(end, len(html))):
        value = (value ^ np.uint64(html[place])) * _PRIME
    return np.int64(value)


@kernel(types.int64(BYTES, types.int64, STATE, STACK, ACTIVE_LIST))
def _read_tag(html: Html, start: int, state: State, stack: Stack, active: Active) -> Any:
    """Apply the start or end tag at `start`; the place after it, and after the content of a raw element."""
    ends = html[start + 1] == _SLASH
    name, place = _read_name(html, start + 1 + ends)
    attributes, closed, place = _read_attributes(html, place)
    if place > len(html):
        return len(html)  # a tag that never ends is no tag
    flags = flags_of(name)
    if ends:
        end_tag(state, stack, active, name, flags)
        return place
    state[NODES] += attributes
    state[ATTRIBUTES] = max(state[ATTRIBUTES], attributes)
    raw = flags & RAW and not top_flags(state, stack) & FOREIGN
    tag = _hash_bytes(html, start, place) if flags & FORMATTING else 0
    start_tag(state, stack, active, name, flags, closed != 0, tag)
    if name == PLAINTEXT:
        return len(html)
    return _skip_raw(html, place, name) if raw else place


@kernel(types.void(BYTES, STATE, STACK, ACTIVE_LIST, STATE))
def _scan_unowned(html: Html, state: State, stack: Stack, active: Active, limits: State) -> None:
    """Count into `state`, up to the limits on nodes, depth and attributes."""
    place = 0
    while place < len(html):
        if state[NODES] > limits[0] or state[DEEPEST] > limits[1] or state[ATTRIBUTES] > limits[2]:
            return
        text_end, printed = _skip_text(html, place)
        if text_end > place:
            state[NODES] += 1
            if printed:
                reopen(state, stack, active)
            place = text_end
        elif _CLASS[html[place + 1]] & _LETTER or (
            html[place + 1] == _SLASH and place + 2 < len(html) and _CLASS[html[place + 2]] & _LETTER
        ):
            place = _read_tag(html, place, state, stack, active)
        else:
            state[NODES] += 1
            place = _skip_comment(html, place)


def _to_pointer(context: Any, address: Any) -> Any:
    return types.voidptr(address), lambda _, builder, __, values: builder.inttoptr(values[0], cgutils.voidptr_t)


_pointer: Any = intrinsic(_to_pointer)  # an address as a pointer


@kernel(types.void(BYTES, STATE, STACK, ACTIVE_LIST, STATE))
def _scan(html: Html, state: State, stack: Stack, active: Active, limits: State) -> None:
    """The scan over views that own nothing: counting references at every call made it three times slower."""
    _scan_unowned(
        carray(_pointer(html.ctypes.data), html.shape, np.uint8),
        carray(_pointer(state.ctypes.data), state.shape, np.int64),
        carray(_pointer(stack.ctypes.data), stack.shape, np.uint64),
        carray(_pointer(active.ctypes.data), active.shape, np.int64),
        limits,
    )
