"""The difference between a value and its shape, in words: where it is, what was expected, and what is there."""

import reprlib
from typing import Any

LARGEST = 2**63 - 1  # of a whole number
MISSING = object()  # stands for a value that is not there

_BLURB = reprlib.Repr()
_BLURB.maxstring = _BLURB.maxother = _BLURB.maxlong = 40
_BLURB.maxlevel = 1
_BLURB.maxlist = _BLURB.maxdict = 2


class ShapeError(ValueError):
    """A value that is not of its shape; `place` is within the value checked, such as `shards[3].rows`."""

    def __init__(self, expected: str, value: Any) -> None:
        super().__init__(expected)
        self._expected = expected
        self._value = value
        self.steps: list[str | int] = []  # from the inside out

    @property
    def place(self) -> str:
        """`shards[3].rows`; "" for the whole value."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step[:80]}" for step in reversed(self.steps))
        return "".join(steps).removeprefix(".")

    def __str__(self) -> str:
        at = f"{self.place}: " if self.steps else ""
        return f"{at}expected {self._expected}, got {shown(self._value)}"


def shown(value: Any) -> str:
    """The value as a message shows it: short, in one line, without lone surrogates."""
    names = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return names[value]
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a whole number of more than 63 bits"
    if isinstance(value, dict | list):
        return f"{'a mapping' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    return _BLURB.repr(value).encode("ascii", "backslashreplace").decode() if value is not MISSING else "nothing"
