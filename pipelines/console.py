"""Where commands print: tables and notes on consoles, or one JSON value with stable names."""

import dataclasses
import json
import sys
from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any

import typer
from rich.console import Console

WIDE = 1000  # columns where there is no terminal to fit: a file or a pipe gets whole names


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    if not console.is_terminal:
        console.width = WIDE
    return console


out, err = _console(stderr=False), _console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON with stable names instead of tables.")]


def print_json(value: Any) -> None:
    """Dataclasses by their fields; what JSON does not know, infinite numbers too, as text."""
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
    return value if known else str(value)
