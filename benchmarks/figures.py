"""Shows a benchmark's figures by name: a table, and a JSON file where one is asked for."""

import json
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table


def show(figures: Mapping[str, float], *, title: str, path: Path | None, digits: int = 2) -> None:
    """`path`: of the JSON file, with all digits; the table has `digits` behind the point."""
    table = Table("figure", "value", title=title)
    for figure, value in figures.items():
        table.add_row(figure, f"{value:,.{digits}f}")
    Console().print(table)
    if path:
        path.write_text(json.dumps(figures, indent=1) + "\n")
