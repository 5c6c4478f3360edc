"""Output of the commands: tables and notes on consoles, or one JSON value with stable names."""

import dataclasses
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from curation.core.printable import escaped, printable, printable_lines
from curation.core.verbs import Verb

WIDE = 1000  # columns without a terminal: a file or a pipe gets whole names
NARROW = 80  # columns of a table at least: a narrower terminal folds its lines instead of losing columns


class SafeConsole(Console):
    """A console on which no text is a command to the terminal, whatever a caller has forgotten to make `plain`."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable_lines(segment.text))


def _console(*, stderr: bool) -> Console:
    console = SafeConsole(stderr=stderr)
    if not console.is_terminal:
        console.width = WIDE
    elif console.width < NARROW:
        console.width = NARROW
    return console


def escape_unencodable() -> None:
    """Makes both streams write characters outside their encoding as escapes, which are valid JSON too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


out = _console(stderr=False)
err = _console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON with stable names instead of tables.")]
Shown = TypeVar("Shown")


def plain(text: str) -> str:
    """The text with its markup escaped and its control characters replaced, safe for a terminal."""
    return escape(printable(text))


def say(console: Console, text: str) -> None:
    """Prints a line without wrapping it."""
    console.print(text, soft_wrap=True, highlight=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, whole_numbers: bool = False, **style: Any) -> Table:
    """A table; columns whose names begin with a blank are right-aligned. On a narrow terminal cells fold; with
    `whole_numbers` only those in left-aligned columns."""
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
    """Prints dataclasses by their fields, and values that JSON lacks (such as infinity) as text."""
    unicode = (getattr(sys.stdout, "encoding", None) or "ascii").lower().startswith("utf")
    text = json.dumps(json_values(value), indent=2, ensure_ascii=not unicode, allow_nan=False)
    sys.stdout.write((escaped(text) if sys.stdout.isatty() else text) + "\n")


def json_values(value: Any) -> Any:
    """The value as `print_json` prints it; `pipelines.answers` has the schema of each command's."""
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Verb):
        return value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    return value if known else str(value)
