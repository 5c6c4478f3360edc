"""Surrogates of any value: other letters and digits in the same places, everything else as it was.

A surrogate of enough characters ends in a mark, which is a keyed hash of its other characters. So with the same key it
is known for a surrogate, and a second redaction leaves it as it is. A value that is no surrogate is taken for one with
a probability of 10^-7 at most. Shorter values get no mark, and a second redaction gives them another surrogate.
"""

import string
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TypeAlias

from curation.models.redaction.keyed import KeyedDraws

# a mark has as many values if there is room for it, and at least
_MARK = 1 << 40
_LEAST_MARK = 10**7
# With a date and check digits one in some thousand of the same shape is valid; with letters before them, such as CLM-,
# only if these stay.
_TRIES = {False: 1_000, True: 20_000}
_Places: TypeAlias = tuple[list[int], list[str]]
_LEAST_FREE = 10**9  # values of the characters before the mark, so that no two surrogates become one
_HEXADECIMAL = "abcdef"


def alike(
    value: str, kind: str, key: KeyedDraws, *, keep: int = 0, is_valid: Callable[[str], bool] | None = None
) -> str:
    """A surrogate that begins with the value's first `keep` characters. Letters stay letters of the same case, and of
    the alphabet a to f if the value has no others beside digits; letters beyond ASCII become ASCII letters.

    With `is_valid` it is the first of many that is valid, of those with the value's own letters if of no others; where
    none is, the first. The value itself is none, unless it is a surrogate or has no letter and no digit."""
    first = ""
    for digits_only, tries in _TRIES.items():
        where = _places(value, keep, digits_only=digits_only)
        known = _is_surrogate(value, kind, key, where)
        for made in [value] if known else _others(value, kind, key, where, tries):
            if _places(made, keep, digits_only=digits_only) != where:
                continue  # no letter beyond f is left: it would be taken for hexadecimal, and not known again
            first = first or made
            if is_valid is None or is_valid(made):
                return made
    return first or value


def _is_surrogate(value: str, kind: str, key: KeyedDraws, where: _Places) -> bool:
    places, alphabets = where
    split = len(places) - _mark_length(alphabets)
    marked = list(value)
    _mark(marked, kind, key, places, alphabets, split)
    return split < len(places) and "".join(marked) == value


def _others(value: str, kind: str, key: KeyedDraws, where: _Places, tries: int) -> Iterator[str]:
    """Values of the same shape, each drawn by its number; what is drawn may be the value itself, and is left out."""
    places, alphabets = where
    split = len(places) - _mark_length(alphabets)
    for attempt in range(tries if places else 0):
        made = list(value)
        seed = ("value", kind, value, *([str(attempt)] if attempt else []))
        _fill(made, places[:split], alphabets, key.stream(*seed, size=2 * split))
        _mark(made, kind, key, places, alphabets, split)
        if "".join(made) != value:
            yield "".join(made)


def drawn(shape: str, kind: str, key: KeyedDraws, *, seed: str) -> str:
    """As `alike`, of a value that `seed` tells apart from others of the same shape; without a mark."""
    places, alphabets = _places(shape, 0)
    made = list(shape)
    _fill(made, places, alphabets, key.stream("value", kind, seed, size=2 * len(places)))
    return "".join(made)


def _mark(
    made: list[str], kind: str, key: KeyedDraws, places: Sequence[int], alphabets: Sequence[str], split: int
) -> None:
    """Sets the places from number `split` on to a hash of those before."""
    free = "".join(made[at] for at in places[:split])
    stream = key.stream("mark", kind, free, size=2 * (len(places) - split))
    _fill(made, places[split:], alphabets[split:], stream)


def _places(value: str, keep: int, *, digits_only: bool = False) -> _Places:
    """Where a value's letters and digits stand, and what may stand there."""
    places = [at for at in range(keep, len(value)) if (value[at].isdecimal() if digits_only else value[at].isalnum())]
    held = {value[at].lower() for at in places}
    letters = {char for char in held if not char.isdecimal()}
    small = _HEXADECIMAL if letters and letters < held and letters <= set(_HEXADECIMAL) else string.ascii_lowercase
    alphabets = [
        string.digits if value[at].isdecimal() else small.upper() if value[at].isupper() else small for at in places
    ]
    return places, alphabets


def _mark_length(alphabets: Sequence[str]) -> int:
    """How many of the last places the mark takes; 0 where it has no room."""
    # All letters count alike, because a surrogate may have none beyond f by chance.
    sizes = [len(a if a == string.digits else string.ascii_lowercase) for a in alphabets]
    length = 0
    while prod(sizes[: len(sizes) - length - 1]) >= _LEAST_FREE and prod(sizes[len(sizes) - length :]) < _MARK:
        length += 1
    return length if prod(sizes[len(sizes) - length :]) >= _LEAST_MARK else 0


def _fill(made: list[str], places: Sequence[int], alphabets: Sequence[str], stream: bytes) -> None:
    """Sets each place to a character of its alphabet, by two bytes of the stream."""
    for number, at in enumerate(places):
        alphabet = alphabets[number]
        made[at] = alphabet[int.from_bytes(stream[2 * number : 2 * number + 2], "little") % len(alphabet)]
