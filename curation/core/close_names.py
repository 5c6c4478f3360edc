"""The known names that are closest to one that nobody knows, in a time that no name makes long."""

import difflib
from bisect import bisect_left
from collections.abc import Iterable

LONGEST = 100  # characters of a name that are compared
COMPARED = 5_000  # names; of more those that stand nearest in the alphabet
LISTED = 4_000  # characters of all known names in a message


def close_names(word: str, known: Iterable[str], count: int = 1, *, cutoff: float = 0.6) -> list[str]:
    """Up to `count` known names, the closest first."""
    names = sorted(known)
    first = max(0, min(bisect_left(names, word) - COMPARED // 2, len(names) - COMPARED))
    by_beginning = {name[:LONGEST]: name for name in reversed(names[first : first + COMPARED])}
    close = difflib.get_close_matches(word[:LONGEST], by_beginning, n=count, cutoff=cutoff)
    return [by_beginning[name] for name in close]


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" for the closest known word, else "; known: …"."""
    names = sorted(known)
    close = close_names(word, names)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {_listed(names)}" if names else ""


def _listed(names: list[str]) -> str:
    listed = ", ".join(names)
    return listed if len(listed) <= LISTED else f"{listed[:LISTED]}…"
