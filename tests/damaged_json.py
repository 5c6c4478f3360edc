"""JSON as it may be after damage, or as somebody else may write it."""

import json
import random
from collections.abc import Iterator
from typing import Any

DEEP = 100_000  # levels
VALUES: tuple[Any, ...] = (None, "x", -1, 1.5, [], {}, 10**30, True, [1], {"a": 1}, float("nan"), "\ud800")
WHOLE = {  # what may stand in a file's place
    "empty": b"",
    "blanks": b" " * 1000,
    "lists without end": b"[" * DEEP,
    "deep mappings": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "digits": b"9" * 4400,
    "not UTF-8": b"\xff\xfe{}",
    "null": b"null",
    "a list": b"[1]",
}
Place = tuple[str | int, ...]


def damages(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Every damage to the content, with words for it: of the whole, and of each place in it."""
    yield "cut short", content[: len(content) // 2]
    yield from WHOLE.items()
    value = json.loads(content)
    for place in _places(value):
        if place:
            yield f"without {place}", json.dumps(_changed(value, place)).encode()
        for wrong in VALUES:
            yield f"{place} is {wrong!a}", json.dumps(_changed(value, place, wrong)).encode()
        marked = json.dumps(_changed(value, place, "@@")).encode()
        for levels in (300, DEEP):
            yield f"{place} has {levels} levels", marked.replace(b'"@@"', b"[" * levels + b"]" * levels)


def some(content: bytes, count: int, seed: str) -> list[tuple[str, bytes]]:
    """So many of the damages, the same for a seed."""
    every = list(damages(content))
    return random.Random(seed).sample(every, min(count, len(every)))


def _places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Of every value; of a list those of its first two."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for step, inner in items:
        yield from _places(inner, (*at, step))


def _changed(value: Any, place: Place, *new: Any) -> Any:
    """The value with a new one in a place, or without what is there."""
    if not place:
        return new[0]
    value = json.loads(json.dumps(value))
    inside = value
    for step in place[:-1]:
        inside = inside[step]
    if new:
        inside[place[-1]] = new[0]
    else:
        del inside[place[-1]]
    return value
