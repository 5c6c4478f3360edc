"""Texts on which a pattern is slowest, made from its syntax, and whether its time on them grows faster than they do.

For each repeat without a bound: what leads to it, what it repeats many times (the pump), and an end at which the match
fails. The pump is also what leads to it and what it repeats together, so that each try that begins anywhere eats what
the next ones eat again.
"""

import itertools
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
LARGE = 5_000  # a bound above this is none
TINY = (16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 192, 256, 384, 512, 1024)  # lengths that show exponential growth
SHORT = 4096  # characters; what is quadratic takes many times QUICK there
SHORTEST = 256
QUICK = 0.0006  # seconds
FLOOR = 0.02  # seconds, from which growth is measured
LONGEST = 1 << 19
RATIO = 3.0  # of the seconds for twice the length: 2 where they grow with it, 4 where with its square
ENDS = ("", "\0", "\n\0")
MOST_TEXTS = 200  # of a pattern
SOME = 8
COMMON = " \n\t\r\xa0aAzé中0_-.,:;/\\<>\"'()[]{}=#*|&!?\0"

Call = Callable[[Any], object]
Make = Callable[[int], Any]  # a text of a length
Text = tuple[str, str, str]  # what stands before, the pump, and the end


def slow_text(pattern: re.Pattern[Any], uses: frozenset[str]) -> Text | None:
    """A text on which the seconds of a pattern grow faster than its length; None if none was found."""
    nested = _nested(_parsed(pattern), 0)
    for call in _calls(pattern, uses):
        for text in texts(pattern):
            make = partial(made, pattern, text)
            if (nested and _explodes(call, make)) or is_quadratic(call, make):
                return text
    return None


def is_quadratic(call: Call, make: Make) -> bool:
    """Whether four times the length takes over eight times the seconds, and where they are many, twice takes RATIO."""
    length = SHORT
    if _seconds(call, make(length)) < QUICK or (seconds := _seconds(call, make(length), times=2)) < QUICK:
        return False
    while seconds > 8 * QUICK and length > SHORTEST:
        length //= 2
        seconds = _seconds(call, make(length), times=2)
    if _seconds(call, make(4 * length), times=2) < 8 * seconds:
        return False
    while seconds < FLOOR and length < LONGEST:
        length *= 2
        seconds = _seconds(call, make(length))
    seconds = _seconds(call, make(length), times=3)
    return all(_seconds(call, make(2 * length)) > RATIO * seconds for _ in range(2))


def seconds_at(pattern: re.Pattern[Any], uses: frozenset[str], length: int) -> float:
    """The CPU seconds that a pattern takes for the slowest of SOME of its texts at a length."""
    some = [made(pattern, text, length) for text in texts(pattern)]
    calls = _calls(pattern, uses)
    times = (_seconds(call, text) for call in calls for text in some[:: 1 + len(some) // SOME])
    return max(times, default=0.0)


def made(pattern: re.Pattern[Any], text: Text, length: int) -> Any:
    """The text with as many pumps as fill the length, in bytes for a pattern of bytes."""
    before, pump, end = text
    whole = before + pump * (length // len(pump)) + end
    return whole.encode("latin-1") if isinstance(pattern.pattern, bytes) else whole


def _calls(pattern: re.Pattern[Any], uses: frozenset[str]) -> list[Call]:
    """The ways to run a pattern over a text; all matches are looked for unless it is only tried at the start."""
    if uses <= {"match", "fullmatch"}:
        return [getattr(pattern, use) for use in sorted(uses)]
    return [lambda text: sum(1 for _ in pattern.finditer(text))]


def _seconds(call: Call, text: Any, *, times: int = 1) -> float:
    """CPU seconds of this thread, the least of several runs."""
    least = float("inf")
    for _ in range(times):
        start = time.thread_time()
        call(text)
        least = min(least, time.thread_time() - start)
    return least


def _explodes(call: Call, make: Make) -> bool:
    """Whether a short text takes seconds."""
    slow = (length for length in TINY if _seconds(call, make(length)) > FLOOR)
    return any(_seconds(call, make(length), times=2) > FLOOR for length in slow)


def _nested(items: Any, repeats: int) -> bool:
    """Whether a repeat or a choice stands in a repeat without a bound, so that time may double with each character."""
    for item in items:
        kind, value = item
        unbounded = kind in REPEATS and value[1] > LARGE
        if repeats and (unbounded or kind is op.BRANCH):
            return True
        if any(_nested(inner, repeats + unbounded) for inner in _inside(item)):
            return True
    return False


def _parsed(pattern: re.Pattern[Any]) -> Any:
    flags = pattern.flags & ~re.DEBUG
    return parser.parse(pattern.pattern, flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else flags)


def texts(pattern: re.Pattern[Any]) -> list[Text]:
    """What may be slow, at most MOST_TEXTS, drawn evenly."""
    tree = _parsed(pattern)
    found: dict[Text, None] = {}
    for before, pump in _Sampler(pattern, tree).pumps(tree, ""):
        if pump:
            leads = dict.fromkeys(("", before))
            found.update(dict.fromkeys((lead, pump, end) for lead in leads for end in ENDS))
    return list(found)[:: 1 + len(found) // MOST_TEXTS]


class _Sampler:
    """Texts that parts of a pattern match."""

    def __init__(self, pattern: re.Pattern[Any], tree: Any) -> None:
        self._flags = pattern.flags
        self._bytes = isinstance(pattern.pattern, bytes)
        self._sets: dict[str, str] = {}
        literals = "".join(dict.fromkeys(_literals(tree)))
        characters = dict.fromkeys(COMMON + literals)
        self._alphabet = [one for one in characters if not self._bytes or ord(one) < 256]
        self._kinds = self._one_of_each(list(_atoms(tree)))

    def pumps(self, items: Any, before: str) -> Iterator[tuple[str, str]]:
        """What leads to each repeat without a bound, and what it repeats."""
        begun = before
        reached: list[int] = []  # the repeats before
        for at, item in enumerate(items):
            kind, value = item
            if kind in REPEATS and value[1] > LARGE:
                yield from self._of_repeat(begun, value[2])
                for one in reached:  # from one to the next, as what a lazy one goes over
                    yield begun, self.sample(items[one + 1 : at + 1], 0)
                reached.append(at)
            for inner in _inside(item):
                yield from self.pumps(inner, begun)
            begun += self.sample([item], 0)
        if reached:
            yield "", begun
            yield "", begun[:-1]

    def _of_repeat(self, before: str, body: Any) -> Iterator[tuple[str, str]]:
        alone = len(body) == 1 and _is_atom(body[0])
        rounds = list(self._members(body[0])) if alone else [self.sample(body, choice) for choice in range(24)]
        for once in dict.fromkeys(rounds):
            yield before, once
            yield "", before + once
        yield "", before

    def sample(self, items: Any, choice: int) -> str:
        """A text that a sequence matches; another one for each choice."""
        return "".join(self._one(item, choice) for item in items)

    def _one(self, item: Any, choice: int) -> str:
        kind, value = item
        if _is_atom(item):
            members = self._members(item)
            return members[choice % len(members)] if members else ""
        if kind in REPEATS:
            return self.sample(value[2], choice) * max(value[0], 1 if value[1] else 0)
        if kind is op.BRANCH:
            return self.sample(value[1][choice % len(value[1])], choice // len(value[1]) or choice)
        if kind is op.SUBPATTERN:
            return self.sample(value[-1], choice)
        if kind is op.ATOMIC_GROUP:
            return self.sample(value, choice)
        return ""

    def _members(self, item: Any) -> str:
        """Characters of one set, one of each kind."""
        return "".join(one for one in self._kinds if self._matches(item, one))

    def _matches(self, item: Any, character: str) -> bool:
        return character in self._set(item)

    def _set(self, item: Any) -> str:
        key = repr(item)
        if key not in self._sets:
            parsed = parser.SubPattern(parser.State(), [item])
            parsed.state.flags = self._flags
            parsed.state.str = b"" if self._bytes else ""
            alone = compiler.compile(parsed, self._flags & ~re.DEBUG)
            encoded = [(one, one.encode("latin-1") if self._bytes else one) for one in self._alphabet]
            self._sets[key] = "".join(one for one, written in encoded if alone.fullmatch(written))
        return self._sets[key]

    def _one_of_each(self, atoms: list[Any]) -> list[str]:
        """Of the characters that no set tells apart, the first."""
        first: dict[tuple[bool, ...], str] = {}
        for one in self._alphabet:
            first.setdefault(tuple(self._matches(atom, one) for atom in atoms), one)
        return list(first.values())


def _is_atom(item: Any) -> bool:
    return item[0] in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)


def _inside(item: Any) -> list[Any]:
    """The sequences inside of an item."""
    kind, value = item
    if kind in REPEATS:
        return [value[2]]
    if kind is op.BRANCH:
        return list(value[1])
    if kind is op.SUBPATTERN:
        return [value[-1]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    if kind is op.GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    return []


def _atoms(items: Any) -> Iterator[Any]:
    for item in items:
        if _is_atom(item):
            yield item
        yield from itertools.chain.from_iterable(map(_atoms, _inside(item)))


def _literals(items: Any) -> Iterator[str]:
    for kind, value in _atoms(items):
        if kind in (op.LITERAL, op.NOT_LITERAL):
            yield chr(value)
        elif kind is op.IN:
            for one, inner in value:
                if one is op.LITERAL:
                    yield chr(inner)
                elif one is op.RANGE:
                    yield chr(inner[0])
