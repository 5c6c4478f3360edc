"""Where commands print: tables and notes on consoles, or one JSON value with stable names."""

import dataclasses
import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

out, err = Console(), Console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON with stable names instead of tables.")]


def print_json(value: Any) -> None:
    """Dataclasses by their fields, anything else that JSON does not know as text."""

    def plain(item: Any) -> Any:
        return dataclasses.asdict(item) if dataclasses.is_dataclass(item) and not isinstance(item, type) else str(item)

    sys.stdout.write(json.dumps(value, default=plain, indent=2, ensure_ascii=False) + "\n")
