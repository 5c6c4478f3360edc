"""What a run will take on a cluster, as a table and a few lines. Draws only; computes no figures."""

from typing import TYPE_CHECKING

from rich.console import Console

from pipelines.render.console import plain, say
from pipelines.render.tables import Column, unless_0, view

if TYPE_CHECKING:  # slow to import
    from curation.engine.sizing.sizing import Sizing


def _number(value: float) -> str:
    """With three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


COLUMNS = (
    Column("stage", "name"),
    Column("documents", form=unless_0),
    Column("units", form=","),
    Column("core-hours", lambda stage: stage.core_seconds / 3600, _number),
    Column("hours", lambda stage: stage.wall_seconds / 3600, _number),
    Column("GB written", lambda stage: stage.file_bytes / 1e9, _number),
    Column("requests", form=","),
    Column("GB memory", lambda stage: stage.memory / 1e9, ",.1f"),
)


def sizing(console: Console, result: "Sizing") -> None:
    console.print(view(COLUMNS, result.stages, whole_numbers=True))
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
