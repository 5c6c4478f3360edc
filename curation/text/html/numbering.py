"""The numbers that a browser shows before the items of an ordered list.

Source: WHATWG HTML Standard, "The ol element" and "The li element" ("ordinal value"), with the rules for parsing
integers; W3C, "CSS Counter Styles Level 3" for letters and Roman numerals. Values beyond 32 bits are ignored, as in
browsers.
"""

import re
from collections.abc import Sequence
from itertools import repeat

_INTEGER = re.compile(r"[ \t\n\f\r]*([+-]?[0-9]{1,10})(?![0-9])")
_LARGEST = (1 << 31) - 1
_LARGEST_ROMAN = 3999
_BULLETS = frozenset(("disc", "circle", "square", "none"))
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
        strict=True,
    )
)


def markers(
    values: Sequence[str | None],
    *,
    start: str | None = None,
    backwards: bool = False,
    kind: str | None = None,
    kinds: Sequence[str | None] | None = None,
) -> list[str]:
    """The marker of each item, without the dot behind it: "3", "c", "iv"; "" where the item has a bullet.

    `values` are the `value` attributes of the items, None where there is none; `kinds` their `type` attributes.
    `start`, `backwards` (`reversed`) and `kind` (`type`) are those of the list. What is no integer is ignored.
    """
    first = integer(start)
    number = first if first is not None else len(values) if backwards else 1
    written = []
    for value, own in zip(values, kinds or repeat(None, len(values)), strict=True):
        stated = integer(value)
        number = number if stated is None else stated
        written.append("" if (own or "").lower() in _BULLETS else ordinal(number, own or kind))
        number += -1 if backwards else 1
    return written


def integer(written: str | None) -> int | None:
    """The integer that an attribute begins with; None if there is none or it does not fit into 32 bits."""
    match = _INTEGER.match(written or "")
    number = int(match[1]) if match else None
    return number if number is not None and -_LARGEST - 1 <= number <= _LARGEST else None


def ordinal(number: int, kind: str | None) -> str:
    """A number in the style of a `type`: "a" and "A" letters, "i" and "I" Roman numerals, all else decimal.

    Letters begin at 1, and Roman numerals are for 1 to 3999; other numbers are decimal.
    """
    if number > 0 and kind in ("a", "A"):
        letters = _letters(number)
        return letters if kind == "a" else letters.upper()
    if 0 < number <= _LARGEST_ROMAN and kind in ("i", "I"):
        numeral = _roman(number)
        return numeral if kind == "i" else numeral.upper()
    return str(number)


def _letters(number: int) -> str:
    """A positive number in base 26 without a zero: z is 26 and aa 27."""
    written = ""
    while number:
        number, rest = divmod(number - 1, 26)
        written = chr(ord("a") + rest) + written
    return written


def _roman(number: int) -> str:
    """A number from 1 to 3999 in Roman numerals."""
    written = ""
    for size, numeral in _ROMAN:
        times, number = divmod(number, size)
        written += numeral * times
    return written
