"""Where commands print: tables and notes on consoles, or one JSON value with stable names."""

import dataclasses
import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from curation.core.verbs import Verb

WIDE = 1000  # columns where there is no terminal to fit: a file or a pipe gets whole names
NARROW = 80  # columns that a table takes at least: a narrower terminal folds its lines, instead of losing columns


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    if not console.is_terminal:
        console.width = WIDE
    elif console.width < NARROW:
        console.width = NARROW
    return console


def write_whatever_comes() -> None:
    """What the terminal's or the pipe's encoding does not have is written as an escape, which is JSON's own too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


out, err = _console(stderr=False), _console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON with stable names instead of tables.")]
Shown = TypeVar("Shown")


def plain(text: str) -> str:
    """The text without the meaning that markup and control characters (of a page, an address …) have for a terminal."""
    return escape("".join(char if char.isprintable() else "\ufffd" for char in text))


def say(console: Console, text: str) -> None:
    """A line of text, which only the terminal breaks."""
    console.print(text, soft_wrap=True, highlight=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, whole_numbers: bool = False, **style: Any) -> Table:
    """A table; columns whose name begins with a blank stand to the right. On a narrow terminal cells are broken, not
    cut off; with `whole_numbers` only those on the left."""
    drawn = Table(**style)
    for name in columns:
        right = name.startswith(" ")
        side: Any = "right" if right else "left"
        drawn.add_column(name.strip(), justify=side, overflow="fold", no_wrap=right and whole_numbers)
    for row in rows:
        drawn.add_row(*row)
    return drawn


def answer(value: Shown, draw: Callable[[Console, Shown], None], *, as_json: bool) -> None:
    """Draws the value on standard output, or prints it as JSON."""
    if as_json:
        print_json(value)
    else:
        draw(out, value)


def print_json(value: Any) -> None:
    """Dataclasses by their fields; what JSON does not know, infinite numbers too, as text."""
    unicode = (getattr(sys.stdout, "encoding", None) or "ascii").lower().startswith("utf")
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=not unicode, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Verb):
        return value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    return value if known else str(value)
