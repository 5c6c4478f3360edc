"""What a renderer prints, as lines and as the cells of its tables."""

from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

from rich.console import Console


def printed(draw: Callable[..., None], *values: Any, width: int = 1000, **options: Any) -> list[str]:
    """The lines of `draw` without blanks at their ends, on a console as wide as a file or a pipe by default."""
    out = StringIO()
    draw(Console(file=out, width=width), *values, **options)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def cells(lines: Sequence[str]) -> list[list[str]]:
    """The cells of each row of a table, without its head."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
