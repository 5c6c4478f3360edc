"""The programming language of a file by its name, as pygments has it; where several share a name, by its content.

Names are those of pygments ("Python", "C++", "Text only").
"""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cache, lru_cache

from pygments.lexers import find_lexer_class, get_all_lexers

ANALYSED = 4096  # characters of a text by which candidates are compared
MAX_NAME = 255  # characters of a file's name that are looked at, the last ones; no file system has longer names
UNKNOWN = frozenset(("go.mod", "go.work"))  # which have endings of other languages
_MAGIC = set("*?[")
_BLANKS = re.compile(r"\s{9,}")


def language_of(path: str, text: str) -> str | None:
    """The language of a file with this path and text; None if the name says nothing."""
    candidates = _candidates(path[-MAX_NAME:].rpartition("/")[2])
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    head = _BLANKS.sub("\n\n", text[:ANALYSED])  # long ones take some analysers 0.7 s
    return max(candidates, key=lambda name: (_likeness(name, head), _priority(name)))


def _likeness(name: str, text: str) -> float:
    lexer = find_lexer_class(name)
    return float(lexer.analyse_text(text)) if lexer else 0.0


def _priority(name: str) -> float:
    lexer = find_lexer_class(name)
    return float(lexer.priority) if lexer else 0.0


@lru_cache(maxsize=1 << 14)
def _candidates(name: str) -> tuple[str, ...]:
    """By the whole name, else its longest known ending, else a pattern."""
    if name in UNKNOWN:
        return ()
    if name in _table():
        return _table()[name]
    dots = [at for at, letter in enumerate(name) if letter == "."]
    endings = (found for at in dots if (found := _table().get("*" + name[at:])))
    matching = (names for pattern, names in _patterns() if pattern.match(name))
    return next(endings, None) or next(matching, ())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """Pattern -> languages, in the order of their names; plugins, which may be anything, are not asked."""
    found: dict[str, set[str]] = {}
    for name, _, patterns, _ in get_all_lexers(plugins=False):
        for pattern in patterns:
            found.setdefault(pattern, set()).add(name)
    return {pattern: tuple(sorted(names)) for pattern, names in found.items()}


@cache
def _patterns() -> Iterable[tuple[re.Pattern[str], tuple[str, ...]]]:
    """Those that are neither a name nor an ending."""
    return [
        (re.compile(translate(pattern)), names)
        for pattern, names in _table().items()
        if _MAGIC & set(pattern.removeprefix("*"))
    ]
