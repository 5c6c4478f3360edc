"""Numbers and lists in words, as tables, messages and cards show them."""

import re
from collections.abc import Iterable

UNITS = ("kB", "MB", "GB", "TB")


def counted(number: int, noun: str, plural: str = "") -> str:
    """ "1 row", "2,000 rows"; `plural` is the noun's, if it does not only add an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(values: Iterable[str], most: int = 15) -> str:
    """The first values, and the number of the others: "a, b, … and 2 more"."""
    every = list(values)
    more = f", … and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def size(number: int) -> str:
    """Bytes: "123 B", "7.4 kB", "12.3 MB", "1,234.5 TB"."""
    power = min((len(str(number)) - 1) // 3, len(UNITS))
    return f"{number / 1000**power:,.1f} {UNITS[power - 1]}" if power else f"{number} B"


def percent(part: float, whole: float) -> str:
    """ "12.3 %"; "–" if `whole` is 0; "< 0.1 %" and "> 99.9 %" where rounding would give 0 % or 100 %."""
    if not whole:
        return "–"
    share = f"{100 * part / whole:.1f} %"
    if part and share == "0.0 %":
        return "< 0.1 %"
    return "> 99.9 %" if part < whole and share == "100.0 %" else share


def per(part: float, whole: float) -> str:
    """ "3.77"; "–" if `whole` is 0."""
    return f"{part / whole:.2f}" if whole else "–"


def count(number: int | None) -> str:
    """ "1,234"; "–" for None."""
    return "–" if number is None else f"{number:,}"


def fence(text: str) -> str:
    """Backticks that no run of them in the text closes, for Markdown's blocks of code."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
