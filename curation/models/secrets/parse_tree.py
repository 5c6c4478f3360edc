"""What the parse tree of a pattern says of its matches: the bytes that they begin with, and how long they can be."""

import re
from collections.abc import Iterable, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]  # without a public name since Python 3.11
from typing import Any, TypeAlias

Node: TypeAlias = tuple[Any, Any]
ByteSet: TypeAlias = frozenset[int]

codes: Any = _constants
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
RUN = 32  # characters that each repeat without an end counts for, see `reach`
_FOLLOWING = 8  # bytes that are looked at, at most
_BEYOND_ASCII = frozenset(range(0x80, 0x100))
_ALL = frozenset(range(0x100))
_CATEGORIES = {
    codes.CATEGORY_DIGIT: frozenset(b"0123456789"),
    codes.CATEGORY_SPACE: frozenset(b" \t\n\r\f\v"),
    codes.CATEGORY_WORD: frozenset(b"0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
}
_CATEGORIES |= {
    codes.CATEGORY_NOT_DIGIT: _ALL - _CATEGORIES[codes.CATEGORY_DIGIT],
    codes.CATEGORY_NOT_SPACE: _ALL - _CATEGORIES[codes.CATEGORY_SPACE],
    codes.CATEGORY_NOT_WORD: _ALL - _CATEGORIES[codes.CATEGORY_WORD],
}


def parsed(pattern: re.Pattern[str]) -> Sequence[Node]:
    """The parts of a pattern, in order."""
    tree: Sequence[Node] = _parser.parse(pattern.pattern, pattern.flags)
    return tree


def bytes_of(node: Node) -> ByteSet | None:
    """The bytes of the one character that a part matches, and more (both cases); None for a part of another kind."""
    kind, value = node
    if kind is codes.LITERAL:
        return _of_codes(value, value)
    if kind is codes.NOT_LITERAL or kind is codes.ANY:
        return _ALL - ({value} & set(range(0x80)) if kind is codes.NOT_LITERAL else {ord("\n")})
    if kind is codes.ANY_ALL:
        return _ALL
    if kind is codes.IN:
        negated = value[0][0] is codes.NEGATE
        found = frozenset[int]().union(*map(_of_item, value[1:] if negated else value))
        return _negated(value[1:]) if negated else found
    return None


def first_bytes(node: Node) -> tuple[ByteSet, int]:
    """A set and a number: whatever a part matches begins with so many bytes of the set."""
    kind, value = node
    if kind is codes.SUBPATTERN and len(value[3]) > 0:
        return first_bytes(value[3][0])
    if kind in REPEATS and value[0] > 0 and len(value[2]) == 1:
        inner = bytes_of(value[2][0])
        return (inner, min(value[0], _FOLLOWING)) if inner is not None else (frozenset(), 0)
    inner = bytes_of(node)
    return (inner, 1) if inner is not None else (frozenset(), 0)


def reach(tree: Iterable[Node]) -> tuple[int, ByteSet] | None:
    """The most characters that a sequence can match if each repeat without an end counts for RUN of them, and the bytes
    that those repeats match. None if one is of more than a character, or inside another."""
    width = 0
    free = frozenset[int]()
    for node in tree:
        part = _reach(node)
        if part is None:
            return None
        width = width + part[0]
        free = free | part[1]
    return width, free


def _reach(node: Node) -> tuple[int, ByteSet] | None:
    kind, value = node
    if kind in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        return 0, frozenset()
    if kind is codes.SUBPATTERN:
        return reach(value[3])
    if kind is codes.BRANCH:
        each = [reach(branch) for branch in value[1]]
        known = [part for part in each if part is not None]
        if len(known) < len(each):
            return None
        return max(width for width, _ in known), frozenset[int]().union(*(free for _, free in known))
    if kind in REPEATS:
        least, most, inside = value
        if most is codes.MAXREPEAT:
            inner = bytes_of(inside[0]) if len(inside) == 1 else None
            return None if inner is None else (max(RUN, int(least)), inner)
        part = reach(inside)
        return None if part is None else (int(most) * part[0], part[1])
    return (1, frozenset()) if bytes_of(node) is not None else None


def _negated(items: Iterable[Node]) -> ByteSet:
    """The bytes of characters that are none of the items; both cases of a letter, unless both are among them."""
    excluded = frozenset[int]()
    for kind, value in items:
        if kind is codes.LITERAL:
            excluded |= {value} if value < 0x80 else frozenset()
        elif kind is codes.RANGE:
            excluded |= frozenset(range(value[0], min(value[1], 0x7F) + 1))
        else:
            excluded |= _CATEGORIES[value] - _BEYOND_ASCII
    return _ALL - excluded


def _of_item(item: Node) -> ByteSet:
    kind, value = item
    if kind is codes.LITERAL:
        return _of_codes(value, value)
    return _of_codes(*value) if kind is codes.RANGE else _CATEGORIES[value]


def _of_codes(first: int, last: int) -> ByteSet:
    """The bytes of the code points from first to last, in both cases."""
    plain = {chr(code) for code in range(first, min(last, 0x7F) + 1)}
    found = frozenset(ord(form) for char in plain for form in (char, char.swapcase()))
    return found | _BEYOND_ASCII if last > 0x7F else found
