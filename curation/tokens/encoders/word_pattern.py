r"""Says in one regular expression how a tokenizer.json cuts text into the pieces within which bytes are merged.

The `tokenizers` library applies its cuts one after the other, each to the pieces of the one before; tiktoken takes one
expression. A cut at runs of a character class, before another cut, is expressed by giving the later one a version for
inside the class and one for outside of it (`[\p{L}&&D]`, `[\p{L}--D]`), so that no match crosses a border of the class
and a look-ahead sees the border as the end of the text.

The two libraries have different engines of regular expressions. What is taken here is what both read alike: classes,
literals, groups, greedy and possessive repetition, look-ahead. Everything else is refused (`Inexpressible`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

# What `ByteLevel` cuts by when it is told to use its own expression: that of GPT-2.
BYTE_LEVEL = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_ESCAPE = r"\\(?:[sSdDrnt]|[pP]\{[A-Z][a-z]?\}|[!-/:;=?@\[-^`{-~])"
_LEXEMES = re.compile(
    rf"""(?P<open>\((?:\?(?:i?:|!|=))?)(?!\?) | (?P<close>\)) | (?P<bar>\|)
    | (?P<repeat>[?*+]\+?(?![?+*]) | \{{\d+(?:,\d*)?\}}(?![?+*{{]))
    | (?P<atom>\[\^?(?:{_ESCAPE}|(?!&&|--|~~)[^\\\[\]])+\] | {_ESCAPE} | [^\\.^$?*+{{}}()\[\]|])""",
    re.VERBOSE,
)
_ONE_OR_MORE = re.compile(r"|\+\+?|\{1,\d+\}")


class Inexpressible(Exception):  # noqa: N818 - a finding, not a fault
    """Why tiktoken cannot stand in for a tokenizer."""


@dataclass(frozen=True)
class Item:
    """A class or literal, or a group of alternatives in brackets; then how often."""

    atom: str = ""
    opening: str = ""  # of a group
    group: "Alternatives" = ()
    repeat: str = ""
    ignoring_case: bool = False

    def __str__(self) -> str:
        return (f"{self.opening}{written(self.group)})" if self.opening else self.atom) + self.repeat

    @property
    def looks(self) -> bool:
        return self.opening in ("(?!", "(?=")

    @property
    def optional(self) -> bool:
        least = re.match(r"[?*]|\{0", self.repeat) is not None
        return least or self.looks or any(map(_may_be_empty, self.group))


Alternative = tuple[Item, ...]
Alternatives = tuple[Alternative, ...]


def written(alternatives: Alternatives) -> str:
    """As a regular expression."""
    return "|".join("".join(map(str, items)) for items in alternatives)


def parse(pattern: str) -> Alternatives:
    """Raises Inexpressible for anything that the two engines may read differently, and for one that matches nothing."""
    lexemes = _lexemes(pattern)
    found, closing = _alternatives(lexemes, False)
    if closing:
        raise Inexpressible(f"its expression {pattern!r} has a bracket too many")
    if any(map(_may_be_empty, found)):
        raise Inexpressible(f"its expression {pattern!r} can match an empty text")
    return found


def _lexemes(pattern: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(pattern):
        found = _LEXEMES.match(pattern, at)
        if found is None:
            raise Inexpressible(f"its expression {pattern!r} has {pattern[at : at + 5]!r}, which is not read here")
        yield str(found.lastgroup), found[0]
        at = found.end()


def _alternatives(lexemes: Iterator[tuple[str, str]], ignoring_case: bool) -> tuple[Alternatives, bool]:
    """Up to the closing bracket or the end, and which of the two it was."""
    found: list[list[Item]] = [[]]
    for kind, text in lexemes:
        if kind == "close":
            return tuple(map(tuple, found)), True
        if kind == "bar":
            found.append([])
        elif kind == "repeat":
            if not found[-1] or found[-1][-1].repeat or found[-1][-1].looks:
                raise Inexpressible(f"its expression repeats by {text!r} what cannot be repeated")
            found[-1][-1] = replace(found[-1][-1], repeat=text)
        elif kind == "open":
            inner = ignoring_case or text == "(?i:"
            group, closed = _alternatives(lexemes, inner)
            if not closed:
                raise Inexpressible("its expression lacks a closing bracket")
            found[-1].append(Item(opening="(?:" if text == "(" else text, group=group))
        else:
            found[-1].append(Item(atom=text, ignoring_case=ignoring_case))
    return tuple(map(tuple, found)), False


def _may_be_empty(items: Alternative) -> bool:
    return all(item.optional for item in items)


def atoms(alternatives: Alternatives) -> Iterator[Item]:
    """Every class and literal, as often as it stands there."""
    for item in chain.from_iterable(alternatives):
        if item.opening:
            yield from atoms(item.group)
        else:
            yield item


def sequences(alternatives: Alternatives) -> Iterator[str]:
    """Every run of literals in which case is ignored."""
    for items in alternatives:
        letters = "".join(item.atom if item.ignoring_case and not item.repeat else "\0" for item in items)
        yield from (run for run in letters.split("\0") if len(run) > 1)
        for item in items:
            yield from sequences(item.group)


def covering(alternatives: Alternatives) -> list[str]:
    """Classes of which every character begins a match, whatever follows it."""
    found = []
    for items in alternatives:
        needed = [item for item in items if not item.optional]
        sure = not any(item.looks or re.fullmatch(r"[?*]\+", item.repeat) for item in items)
        if sure and len(needed) == 1 and needed[0].atom and _ONE_OR_MORE.fullmatch(needed[0].repeat):
            found.append(needed[0].atom)
    return found


def with_rest(alternatives: Alternatives) -> Alternatives:
    """The expression, and as a last alternative what lies between its matches."""
    character = Item(opening="(?!", group=alternatives), Item(atom=r"[\s\S]")
    return (*alternatives, (Item(opening="(?:", group=(character,), repeat="+"),))


def cut_before(first: Alternatives, then: Alternatives) -> Alternatives:
    """One expression for two cuts, of which the first is at a class: D, D+ or D{1,n}.

    With D{1,n} the second cut must leave every run of up to n characters of D whole; that is for the caller to see.
    """
    (item,) = first[0] if len(first) == 1 and len(first[0]) == 1 else (Item(),)
    if not item.atom or item.ignoring_case or not _ONE_OR_MORE.fullmatch(item.repeat):
        raise Inexpressible(f"it cuts at {written(first)!r} before it cuts otherwise")
    outside = _restricted(then, lambda atom: f"[{_nested(atom)}--{_nested(item.atom)}]")
    if item.repeat.startswith("+"):
        return (*_restricted(then, lambda atom: f"[{_nested(atom)}&&{_nested(item.atom)}]"), *outside)
    return (*first, *outside)


def _restricted(alternatives: Alternatives, change: Callable[[str], str]) -> Alternatives:
    return tuple(
        tuple(
            replace(item, group=_restricted(item.group, change))
            if item.opening
            else replace(item, atom=change(item.atom))
            for item in items
        )
        for items in alternatives
    )


def _nested(atom: str) -> str:
    return atom if atom.startswith("[") else f"[{atom}]"


def cuts(stated: dict[str, Any] | None) -> tuple[list[str], bool]:
    """The expressions, in order, of a pre-tokenizer that ends in `ByteLevel`, as tokenizer.json states it; and whether
    text that the last of them does not match is kept."""
    parts = list(_parts(stated or {}))
    if not parts or parts[-1]["type"] != "ByteLevel":
        raise Inexpressible("it is not of bytes (no ByteLevel at the end of its pre-tokenizer)")
    if parts[-1].get("add_prefix_space", True):
        raise Inexpressible("it puts a space before the text (add_prefix_space)")
    found = [_cut(part) for part in parts[:-1]]
    if parts[-1].get("use_regex", True):
        found.append((BYTE_LEVEL, True))
    if not found:
        raise Inexpressible("it does not cut text into words")
    if not all(kept for _, kept in found[:-1]):
        raise Inexpressible("it removes text before it cuts the rest")
    return [pattern for pattern, _ in found], found[-1][1]


def _parts(stated: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if stated.get("type") == "Sequence":
        for part in stated["pretokenizers"]:
            yield from _parts(part)
    elif stated:
        yield stated


def _cut(part: dict[str, Any]) -> tuple[str, bool]:
    if part["type"] == "Digits":
        return (r"\p{N}" if part.get("individual_digits") else r"\p{N}+"), True
    if part["type"] != "Split":
        raise Inexpressible(f"its pre-tokenizer has a {part['type']}")
    behaviour = part["behavior"], part.get("invert", False)
    if behaviour not in (("Isolated", False), ("Removed", True)):
        raise Inexpressible(f"it splits in a way of its own (behavior {behaviour[0]}, invert {behaviour[1]})")
    pattern = part["pattern"]
    text = pattern["Regex"] if "Regex" in pattern else re.sub(r"[\\.^$|?*+(){}\[\]]", r"\\\g<0>", pattern["String"])
    return str(text), not behaviour[1]
