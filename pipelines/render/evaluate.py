"""What is found of trained models, as tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from pipelines.render.console import plain, say
from pipelines.render.tables import DENSE, Column, view

FIGURE = ",.4g"
LOSSES = (
    Column("source"),
    Column("rows", form=","),
    Column("loss", form=".4f"),
    Column("perplexity", form=FIGURE),
    Column("bits per byte", form=".4f"),
    Column("trained rows", "train", form=".4f"),
    Column("gap", form="+.4f"),
)
PROBES = (
    Column("probes", "name"),
    Column("n", form=","),
    Column("accuracy", form=".3f"),
    Column("stderr", form=".3f"),
    Column("chance", form=".3f"),
    Column("margin", form="+.3f"),
)
TASKS = (
    Column("task", "name"),
    Column("version"),
    Column("n", form=","),
    Column("shots", form=","),
    Column("metric"),
    Column("value", form=FIGURE),
    Column("stderr", form=FIGURE),
)
POSITIONS = (
    Column("position", form=","),
    Column("teacher-forced", "forced", ".4f"),
    Column("free-running", "free", ".4f"),
)
SHOWN = 8  # positions


def evaluations(console: Console, found: Sequence[Mapping[str, Any]]) -> None:
    for one in found:
        say(console, f"[bold]step {one['step']:,}[/]")
        if "losses" in one:
            console.print(view(LOSSES, _sources(one["losses"]), **DENSE))
        if "exposure_bias" in one:
            bias = one["exposure_bias"]
            say(console, f"exposure bias: {bias['excess']:+.4f} nats per label over {bias['rows']:,} rows")
            console.print(view(POSITIONS, _positions(bias), **DENSE))
        if "sharpness" in one:
            rest = "" if one["sharpness"]["converged"] else " (not converged)"
            say(console, f"sharpness: {one['sharpness']['eigenvalue']:.4g}{rest}")
        if "probes" in one:
            console.print(view(PROBES, ({"name": name, **row} for name, row in one["probes"].items()), **DENSE))
        if "tasks" in one:
            console.print(view(TASKS, _metrics(one["tasks"]), **DENSE))
    for one in found:
        say(console, plain(f"written to {one['file']}"))


def averaged(console: Console, found: Mapping[str, Any]) -> None:
    steps = ", ".join(f"{step:,}" for step in found["steps"])
    say(console, plain(f"{found['checkpoint']}: the mean of steps {steps}"))


def _sources(losses: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for source, row in losses["validation"].items():
        seen = losses["train"].get(source, {})
        yield {
            "source": source,
            **row,
            "train": seen.get("loss"),
            "gap": losses["gap"].get(source),
        }


def _positions(bias: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Some, evenly spread, the first and the last among them."""
    last = len(bias["teacher_forced"]) - 1
    for at in sorted({round(last * part / (SHOWN - 1)) for part in range(SHOWN)}):
        forced = bias["teacher_forced"][at]
        yield {"position": bias["prompt"] + at, "forced": forced, "free": bias["free_running"][at]}


def _metrics(tasks: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, task in tasks.items():
        for metric, figures in task["metrics"].items():
            yield {**task, "name": name, "metric": metric, **figures}
