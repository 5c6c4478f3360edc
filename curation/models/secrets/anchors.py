"""Words of which every match of a pattern holds one, and how far around them a match can reach.

Only where such a word stands can the pattern match, so only those windows of a text must be searched. Read off the
pattern's parse tree: a run of parts that can only be a few strings each, such as `(?:pass|pwd)_?key`, must be one of
their combinations.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from curation.models.secrets.parse_tree import REPEATS, ByteSet, Node, codes, first_bytes, parsed, reach

Words: TypeAlias = frozenset[str]

_MOST_WORDS = 48
_LONGEST = 24
_LEAST = 2  # characters of a word; shorter ones stand everywhere
_FAR = 1 << 30
_OPTIONAL = re.compile(
    r"^((?:\(\?[a-z]*:)*)\[[^]\\]*(?:\\.[^]\\]*)*\]\{0,\d+\}\??"
)  # a class of characters, 0 to n times
_NOTHING: Words = frozenset([""])


@dataclass(frozen=True)
class Anchor:
    """Words in lower case, to be found in any case, and how far a match may reach around them.

    Right after the word come `following` bytes of the set `followed_by`. A match has at most `before` characters before
    the word's first one, and `after` from there on, not counting bytes of the set `free` that follow RUN others of that
    set: so far any of its repeats without an end may reach.
    """

    words: tuple[str, ...]
    followed_by: ByteSet
    following: int
    before: int
    after: int
    free: ByteSet


@dataclass(frozen=True)
class _Run:
    """A place in a pattern: the words that may stand there, the characters before it, and the part after it."""

    words: Words
    before: int
    next: ByteSet
    following: int

    @property
    def rank(self) -> tuple[int, int]:
        """Longer words stand in fewer places, and so do those that certain bytes must follow."""
        return min(map(len, self.words)) + self.following // 2, -len(self.words)


def beginning_at(anchor: Anchor, pattern: re.Pattern[str]) -> re.Pattern[str] | None:
    """A pattern that matches right where a word of the pattern's anchor stands if the pattern matches around it: the
    pattern itself, or what follows its first part if that may be empty. None if there is none."""
    rest = re.compile(_OPTIONAL.sub(r"\1", pattern.pattern, count=1), pattern.flags)
    own = anchor_of(rest)
    return rest if own is not None and own.before == 0 and own.words == anchor.words else None


def anchor_of(pattern: re.Pattern[str]) -> Anchor | None:
    """The anchor whose words stand in the fewest places. None if matches need hold none of a few words, or if a repeat
    without an end is inside another."""
    tree = parsed(pattern)
    best = _best(_runs(tree))
    widest = reach(tree)
    if best is None or widest is None:
        return None
    after, free = widest
    words = tuple(sorted(best.words))
    return Anchor(words, best.next, best.following, best.before, after, free)


def _best(runs: Iterable[_Run]) -> _Run | None:
    good = [run for run in runs if min(map(len, run.words)) >= _LEAST]
    return max(good, key=lambda run: run.rank, default=None)


def _runs(tree: Sequence[Node]) -> list[_Run]:
    """The places in a sequence: between parts that are no words, and within them."""
    found: list[_Run] = []
    run = _NOTHING
    began = 0
    passed = 0
    for node in tree:
        words = _words(node)
        longer = _joined(run, words) if words is not None else None
        width = _width(node)
        if longer is None:
            found.append(_Run(run, began, *first_bytes(node)))
            run = words or _NOTHING
            began = passed if words else passed + width
            found += [replace(inner, before=passed + inner.before) for inner in _inside(node)]
        else:
            run = longer
        passed += width
    return [*found, _Run(run, began, frozenset(), 0)]


def _inside(node: Node) -> list[_Run]:
    """The places within one part."""
    kind, value = node
    if kind is codes.SUBPATTERN:
        return _runs(value[3])
    if kind in REPEATS and value[0] > 0:
        return _runs(value[2])
    if kind is codes.BRANCH:
        each = [_best(_runs(branch)) for branch in value[1]]
        found = [run for run in each if run is not None]
        if len(found) == len(each):
            following = min(run.following for run in found)
            next_bytes = frozenset[int]().union(*(run.next for run in found if following))
            words = frozenset[str]().union(*(run.words for run in found))
            return [_Run(words, max(run.before for run in found), next_bytes, following)]
    return []


def _words(node: Node) -> Words | None:
    """All strings that a part can match, in lower case; None for too many."""
    kind, value = node
    if kind is codes.LITERAL:
        return frozenset([chr(value).lower()]) if value < 0x80 else None
    if kind is codes.AT:
        return _NOTHING
    if kind is codes.IN:
        plain = all(item is codes.LITERAL and code < 0x80 for item, code in value)
        return frozenset(chr(code).lower() for _, code in value) if plain and len(value) <= 6 else None
    if kind is codes.SUBPATTERN:
        return _all_words(value[3])
    if kind is codes.BRANCH:
        each = [_all_words(branch) for branch in value[1]]
        known = [words for words in each if words is not None]
        made = frozenset[str]().union(*known)
        return made if len(known) == len(each) and len(made) <= _MOST_WORDS else None
    if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[1] == 1:
        words = _all_words(value[2])
        return None if words is None else words if value[0] else words | _NOTHING
    return None


def _all_words(tree: Sequence[Node]) -> Words | None:
    """All strings that a sequence can match, None for too many."""
    made: Words | None = _NOTHING
    for node in tree:
        words = _words(node)
        made = None if words is None or made is None else _joined(made, words)
    return made


def _joined(left: Words, right: Words) -> Words | None:
    """Each string of the left followed by each of the right; None for too many or too long ones."""
    made = frozenset(map("".join, product(left, right)))
    return made if len(made) <= _MOST_WORDS and max(map(len, made)) <= _LONGEST else None


def _width(node: Node) -> int:
    """The most characters that a part can match, RUN for each of its repeats without an end."""
    widest = reach([node])
    return _FAR if widest is None else widest[0]
