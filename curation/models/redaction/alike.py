"""Surrogates of any value: other letters and digits in the same places, everything else as it was.

A surrogate of enough characters ends in a mark, which is a keyed hash of its other characters. So with the same key it
is known for a surrogate, and a second redaction leaves it as it is. A value that is no surrogate is taken for one with
a probability of 10^-7 at most. Shorter values get no mark, and a second redaction gives them another surrogate.
"""

import string
from collections.abc import Sequence
from math import prod

from curation.models.redaction.keyed import Keyed

_MARK, _LEAST_MARK = 1 << 40, 10**7  # a mark has as many values if there is room for it, and at least
_FREE = 4  # characters before the mark, at least
_HEXADECIMAL = "abcdef"


def alike(value: str, kind: str, key: Keyed, *, keep: int = 0) -> str:
    """A surrogate that begins with the value's first `keep` characters. Letters stay letters of the same case, and of
    the alphabet a to f if the value has no others beside digits; letters beyond ASCII become ASCII letters."""
    places, alphabets = _places(value, keep)
    split = len(places) - _mark_length(alphabets)
    made = list(value)
    if split < len(places):
        _mark(made, kind, key, places, alphabets, split)
        if "".join(made) == value:
            return value
    _fill(made, places[:split], alphabets, key.stream("value", kind, value, size=2 * split))
    _mark(made, kind, key, places, alphabets, split)
    return "".join(made)


def drawn(shape: str, kind: str, key: Keyed, *, seed: str) -> str:
    """As `alike`, of a value that `seed` tells apart from others of the same shape; without a mark."""
    places, alphabets = _places(shape, 0)
    made = list(shape)
    _fill(made, places, alphabets, key.stream("value", kind, seed, size=2 * len(places)))
    return "".join(made)


def _mark(made: list[str], kind: str, key: Keyed, places: Sequence[int], alphabets: Sequence[str], split: int) -> None:
    """Sets the places from number `split` on to a hash of those before."""
    free = "".join(made[at] for at in places[:split])
    stream = key.stream("mark", kind, free, size=2 * (len(places) - split))
    _fill(made, places[split:], alphabets[split:], stream)


def _places(value: str, keep: int) -> tuple[list[int], list[str]]:
    """Where a value's letters and digits stand, and what may stand there."""
    places = [at for at in range(keep, len(value)) if value[at].isalnum()]
    held = {value[at].lower() for at in places}
    letters = {char for char in held if not char.isdecimal()}
    small = _HEXADECIMAL if letters and letters < held and letters <= set(_HEXADECIMAL) else string.ascii_lowercase
    alphabets = [
        string.digits if value[at].isdecimal() else small.upper() if value[at].isupper() else small for at in places
    ]
    return places, alphabets


def _mark_length(alphabets: Sequence[str]) -> int:
    """How many of the last places the mark takes; 0 where it has no room."""
    room, length = alphabets[_FREE:], 0
    while length < len(room) and prod(map(len, room[len(room) - length :])) < _MARK:
        length += 1
    return length if prod(map(len, room[len(room) - length :])) >= _LEAST_MARK else 0


def _fill(made: list[str], places: Sequence[int], alphabets: Sequence[str], stream: bytes) -> None:
    """Sets each place to a character of its alphabet, by two bytes of the stream."""
    for number, at in enumerate(places):
        alphabet = alphabets[number]
        made[at] = alphabet[int.from_bytes(stream[2 * number : 2 * number + 2], "little") % len(alphabet)]
