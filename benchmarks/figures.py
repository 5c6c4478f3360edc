"""What every benchmark shares: its command line, its clock, its tables and the JSON file of its figures."""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

Batch = TypeVar("Batch")


def command_line(module: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with `--json`, whose `--help` shows the module's docstring. `module` lies below `benchmarks`."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    return parser


def fastest(work: Callable[[Batch], object], batches: Sequence[Batch], rounds: int) -> float:
    """CPU seconds of this thread in the fastest round over all batches. The first batch is worked on once before."""
    work(batches[0])
    seconds = []
    for _ in range(rounds):
        start = time.thread_time()
        for batch in batches:
            work(batch)
        seconds.append(time.thread_time() - start)
    return min(seconds)


def empty_table(title: str, first: str, *columns: str) -> Table:
    """A table whose columns after the first hold numbers."""
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def write_json(figures: object, path: Path | None) -> None:
    """Writes nothing if `path` is None."""
    if path:
        path.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def show(figures: Mapping[str, float], *, title: str, path: Path | None, digits: int = 2) -> None:
    """Figures by name: a table with `digits` after the point, and all digits in the JSON file at `path`."""
    table = empty_table(title, "figure", "value")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.{digits}f}")
    Console().print(table)
    write_json(figures, path)
