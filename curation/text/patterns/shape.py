"""What every match of a regular expression must look like: enough to look for it in windows instead of whole texts.

A pattern of personal data nearly always holds characters that are rare in prose: digits, an `@`, colons. Such a
character is an anchor. From a pattern's syntax follows how many anchors a match has at least, how far apart they are
at most, and how far a match reaches before the first and after the last. A text can then be cut to windows around
chains of anchors, and the pattern finds in them exactly what it finds in the text: a match holds a chain, lies in the
window of that chain, and sees in it all that its assertions look at.

Whitespace is not counted in any distance, so that `\\s*` has a bound.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

UNBOUNDED = 1 << 20  # characters, of which none is whitespace
NEVER = -(1 << 40)
DIGITS = "0123456789"
ANCHORS = (DIGITS, ":", "@", "-", ":-", ".")  # the first one that a pattern must have is taken

_WORD = frozenset("_" + DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ASCII = [chr(code) for code in range(128)]
_SPACES = frozenset(filter(str.isspace, _ASCII))


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What holds of every match of a pattern. Lengths are in characters, whitespace not counted."""

    anchor: str  # one of ANCHORS
    anchors: int  # at least
    gap: int  # at most, between one anchor and the next
    lead: int  # at most, before the first anchor; UNBOUNDED: up to whitespace
    trail: int  # at most, after the last one
    before: int  # that assertions look at before the match …
    after: int  # … and after it
    shortest: int  # of a run of word characters that holds the match; 0 if it may hold other characters
    longest: int  # of a run of word characters that touches it; UNBOUNDED if it may be a part of a run


@dataclass(frozen=True)
class _Part:
    """The same of a part of a pattern. `length` is of a match without an anchor; NEVER if each has one. The distances
    are NEVER where no match has an anchor."""

    anchors: int = 0
    gap: int = NEVER
    lead: int = NEVER
    trail: int = NEVER
    length: int = 0
    least: int = 0  # characters, whitespace counted
    most: int = 0
    spaced: bool = False  # may hold whitespace
    word: bool = True  # holds only characters that \w matches


class _NoBoundError(Exception):
    """A part that may be of any length and hold whitespace."""


@lru_cache(maxsize=1024)
def shape_of(pattern: str, *, ignore_case: bool = True) -> Shape | None:
    """The shape of what `pattern` matches; None if that has no bound, so that the whole text must be searched."""
    flags = re.IGNORECASE if ignore_case else 0
    tree = parser.parse(pattern.replace("(?i)", ""), flags | re.DOTALL | re.MULTILINE)
    shapes = [shape for anchor in ANCHORS if (shape := _shape(tree, anchor))]
    return shapes[0] if shapes else None


def _shape(tree: Any, anchor: str) -> Shape | None:
    groups: dict[int, _Part] = {}
    try:
        part = _sequence(tree, frozenset(anchor), groups)
        before = _looks(tree, behind=True)
        after = _looks(tree, behind=False)
    except _NoBoundError:
        return None
    unbounded = max(part.gap, before, after) >= UNBOUNDED
    if not part.anchors or unbounded or (part.spaced and max(part.lead, part.trail) >= UNBOUNDED):
        return None
    closed = _is_boundary(tree[0]) and _is_boundary(tree[-1])
    return Shape(
        anchor=anchor,
        anchors=part.anchors,
        gap=max(part.gap, 0),
        lead=part.lead,
        trail=part.trail,
        before=before,
        after=after,
        shortest=part.least if part.word else 0,
        longest=part.most if closed else UNBOUNDED,
    )


def _is_boundary(item: Any) -> bool:
    return bool(item == (op.AT, op.AT_BOUNDARY))


def _sequence(items: Any, anchor: frozenset[str], groups: dict[int, _Part]) -> _Part:
    whole = _Part()
    for item in items:
        whole = _then(whole, _part(item, anchor, groups))
    return whole


def _then(one: _Part, two: _Part) -> _Part:
    """One part and then another."""
    return _Part(
        one.anchors + two.anchors,
        _sum(max(one.gap, two.gap, one.trail + two.lead)),
        _sum(max(one.lead, one.length + two.lead)),
        _sum(max(two.trail, two.length + one.trail)),
        _sum(one.length + two.length),
        one.least + two.least,
        _sum(one.most + two.most),
        one.spaced or two.spaced,
        one.word and two.word,
    )


def _sum(length: int) -> int:
    return NEVER if length < 0 else min(length, UNBOUNDED)


def _either(parts: list[_Part]) -> _Part:
    """One of several parts."""
    return _Part(
        min(part.anchors for part in parts),
        max(part.gap for part in parts),
        max(part.lead for part in parts),
        max(part.trail for part in parts),
        max(part.length for part in parts),
        min(part.least for part in parts),
        max(part.most for part in parts),
        any(part.spaced for part in parts),
        all(part.word for part in parts),
    )


def _repeat(part: _Part, least: int, most: int) -> _Part:
    """A part `least` to `most` times."""
    if most >= UNBOUNDED and part.spaced and part.length:
        raise _NoBoundError
    if least == 0:
        nothing = _Part(word=part.word)
        return _either([nothing, _repeat(part, 1, most)]) if most else nothing
    # Before the first anchor of a repetition, after its last and between two, any number of rounds may be without one.
    slack = max(part.length, 0) * (most - 1)
    between = part.trail + part.lead + slack if most > 1 else NEVER
    return replace(
        part,
        anchors=part.anchors * least,
        gap=_sum(max(part.gap, between)),
        lead=_sum(part.lead + slack),
        trail=_sum(part.trail + slack),
        length=_sum(part.length * most),
        least=part.least * least,
        most=_sum(part.most * most),
    )


def _part(item: Any, anchor: frozenset[str], groups: dict[int, _Part]) -> _Part:
    kind, value = item
    if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return _Part()
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, inner = value
        return _repeat(_sequence(inner, anchor, groups), least, UNBOUNDED if most is op.MAXREPEAT else most)
    if kind is op.SUBPATTERN:
        groups[value[0]] = _sequence(value[-1], anchor, groups)
        return groups[value[0]]
    if kind is op.GROUPREF:
        return groups[value]
    if kind is op.BRANCH:
        return _either([_sequence(branch, anchor, groups) for branch in value[1]])
    return _one(_characters(item), anchor)


def _one(characters: frozenset[str], anchor: frozenset[str]) -> _Part:
    """One character of a set."""
    spaces = characters & _SPACES
    one = _Part(least=1, most=1, spaced=bool(spaces), word=characters <= _WORD)
    if characters <= anchor:
        return replace(one, anchors=1, lead=0, trail=0, length=NEVER)
    # Only what is nothing but whitespace has no length: a set of whitespace and more may be more.
    return replace(one, length=0 if characters <= _SPACES else 1)


def _characters(item: Any) -> frozenset[str]:
    """The ASCII characters that an item matches."""
    assert item[0] in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN), f"no rule for {item[0]}"
    alone = compiler.compile(parser.SubPattern(parser.State(), [item]), re.DOTALL)
    return frozenset(filter(alone.match, _ASCII))


def _looks(items: Any, *, behind: bool) -> int:
    """Characters that the assertions of a pattern look at, at most, before the match or after it; 1 for a boundary."""
    most = 1
    for kind, value in items:
        if kind in (op.ASSERT, op.ASSERT_NOT):
            if (value[0] < 0) == behind:
                part = _sequence(value[1], frozenset(), {})
                most = max(most, 1 + part.length)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            most = max(most, _looks(value[2], behind=behind))
        elif kind is op.SUBPATTERN:
            most = max(most, _looks(value[-1], behind=behind))
        elif kind is op.BRANCH:
            most = max([most, *(_looks(branch, behind=behind) for branch in value[1])])
    return most
