"""Markdown for cards: tables, numbers, and text from pages and people made harmless.

In code a backtick becomes ', a bar ¦ and an unprintable character U+FFFD; in prose, Markdown's marks are escaped.
"""

import re
from collections.abc import Iterable, Sequence

UNITS = ("kB", "MB", "GB", "TB")
LONGEST = 160  # characters of a value from a document, path or person
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$:@-])")


def code(text: str) -> str:
    """Any text as one line of code, safe in tables."""
    shown = _printable(text).replace("`", "'").replace("|", "¦")
    return f"`{shown[:LONGEST] + '…' if len(shown) > LONGEST else shown or '(empty)'}`"


def prose(text: str) -> str:
    """Any text as words of a paragraph or heading, without Markdown or HTML markup."""
    return _MARKS.sub(r"\\\1", _printable(text))


def _printable(text: str) -> str:
    """One line, with runs of whitespace as one blank."""
    return "".join(char if char.isprintable() else "\ufffd" for char in " ".join(text.split()))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns whose names begin with a blank are right-aligned."""
    sides = "|".join("---:" if column.startswith(" ") else "---" for column in columns)
    lines = [f"| {' | '.join(row)} |" for row in ([column.strip() for column in columns], *rows)]
    return "\n".join([lines[0], f"|{sides}|", *lines[1:]])


def listed(values: Iterable[str], most: int = 15) -> str:
    """The first values, and the number of the others: "a, b, … and 2 more"."""
    every = list(values)
    more = f", … and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def size(number: int) -> str:
    """Bytes: "123 B", "7.4 kB", "12.3 MB", "1,234.5 TB"."""
    power = min((len(str(number)) - 1) // 3, len(UNITS))
    return f"{number / 1000**power:,.1f} {UNITS[power - 1]}" if power else f"{number} B"


def counted(number: int, noun: str) -> str:
    """ "1 row", "2,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(part: float, whole: float) -> str:
    """ "12.3 %"; "–" if `whole` is 0; "< 0.1 %" and "> 99.9 %" where rounding would give 0 % or 100 %."""
    if not whole:
        return "–"
    shown = f"{100 * part / whole:.1f} %"
    if part and shown == "0.0 %":
        return "< 0.1 %"
    return "> 99.9 %" if part < whole and shown == "100.0 %" else shown


def per(part: float, whole: float) -> str:
    """ "3.77"; "–" if `whole` is 0."""
    return f"{part / whole:.2f}" if whole else "–"


def count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"
