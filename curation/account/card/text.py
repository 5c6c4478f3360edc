"""Markdown for cards: tables, and text from pages and people made harmless.

In code a backtick becomes ', a bar ¦ and an unprintable character U+FFFD; in prose, Markdown's marks are escaped.
"""

import re
from collections.abc import Iterable, Sequence

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
