"""What a run will take on a cluster, as a table and a few lines. Draws only; computes no figures."""

from typing import TYPE_CHECKING

from rich.console import Console

from pipelines.render.console import plain, say, table

if TYPE_CHECKING:  # slow to import
    from curation.engine.sizing.sizing import Sizing

COLUMNS = ("stage", " documents", " units", " core-hours", " hours", " GB written", " requests", " GB memory")


def sizing(console: Console, result: "Sizing") -> None:
    cells = [
        (
            stage.name,
            f"{stage.documents:,}" if stage.documents else "",
            f"{stage.units:,}",
            _number(stage.core_seconds / 3600),
            _number(stage.wall_seconds / 3600),
            _number(stage.file_bytes / 1e9),
            f"{stage.requests:,}",
            f"{stage.memory / 1e9:,.1f}",
        )
        for stage in result.stages
    ]
    console.print(table(COLUMNS, cells, whole_numbers=True))
    say(console, "GB memory: of one task, which takes one core; units: tasks of the stage")
    cost = "" if result.cost is None else f", {result.cost:,.2f} at the price given"
    say(
        console,
        f"total: {_number(result.hours)} hours on {result.nodes:,} nodes of {result.cpus} cores{cost}; "
        f"{_number(result.core_hours)} core-hours of work, {_number(result.file_bytes / 1e9)} GB written, up to "
        f"{result.requests:,} requests; {result.memory * result.cpus / 1e9:,.0f} GB of memory keep all cores of a node "
        "busy",
    )
    for warning in result.warnings:
        say(console, f"[yellow]warning:[/] {plain(warning)}")
    say(console, "assumed: " + "; ".join(result.assumed))


def _number(value: float) -> str:
    """With three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
