"""What `winnow scaling` shows: laws, what budgets buy by them, ladders and predictions."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.console import Console

from curation.core.wording import counted
from pipelines.render.console import plain, say
from pipelines.render.tables import Column, view

if TYPE_CHECKING:  # slow to import
    from training.plan.advice import Advice

UNITS = ((1e12, " T"), (1e9, " B"), (1e6, " M"), (1e3, " k"))
NAMES = {
    "irreducible": "E, irreducible loss (nats per token)",
    "model_scale": "A",
    "model_exponent": "alpha, exponent of parameters",
    "data_scale": "B",
    "data_exponent": "beta, exponent of tokens",
}
COUNTED = "parameters are all of a model, its embeddings too; operations are 6 for each parameter and token"


def short(number: float) -> str:
    """Three digits: "72.2 B"."""
    size, unit = next(((size, unit) for size, unit in UNITS if number >= size), (1, ""))
    scaled = number / size
    return f"{scaled:,.0f}{unit}" if scaled >= 100 else f"{scaled:.3g}{unit}"


def _columns(rows: Sequence["Advice"]) -> tuple[Column, ...]:
    columns = [
        Column("operations", "flops", ".3g"),
        Column("parameters", form=short),
        Column("95 % of them", "parameters_interval", lambda one: f"{short(one.low)} – {short(one.high)}"),
        Column("tokens", form=short),
        Column("per parameter", "ratio", ".3g"),
        Column("loss", form=".3f"),
        Column("served: parameters", "served_parameters", short),
        Column("tokens", "served_tokens", short),
        Column("loss with repeats", "repeated_loss", ".3f"),
    ]
    return tuple(column for column in columns if any(column.cell(row) for row in rows))


def optimum(console: Console, found: "Mapping[str, Advice]") -> None:
    rows = list(found.values())
    columns = [Column("law", lambda row: next(name for name, one in found.items() if one is row)), *_columns(rows)]
    console.print(view(columns, rows, box=None, header_style="bold"))
    say(console, f"{COUNTED}; Kaplan's parameters are without embeddings; losses of two laws are of different text")


def fit(console: Console, report: Mapping[str, Any]) -> None:
    say(console, f"law of {counted(report['runs'], 'run')}: L = E + A / parameters^alpha + B / tokens^beta")
    for name, value in report["law"].items():
        low, high = report["intervals"][name]
        say(console, f"  {NAMES[name]}: {value:.4g} (95 %: {low:.4g} to {high:.4g})")
    say(console, f"[bold]what budgets buy by it[/], from the largest run's {report['largest_flops']:.3g} operations on")
    console.print(view(_columns(report["optima"]), report["optima"], box=None, header_style="bold"))
    say(console, COUNTED)


def ladder(console: Console, planned: Mapping[str, Any]) -> None:
    *rungs, large = planned["trainings"]
    columns = (
        Column("config", "file"),
        Column("parameters", form=short),
        Column("tokens", form=short),
        Column("operations", "flops", ".3g"),
    )
    console.print(view(columns, planned["trainings"], box=None, header_style="bold"))
    share = sum(rung["flops"] for rung in rungs) / large["flops"]
    longest = short(max(rung["tokens"] for rung in rungs))
    say(console, f"all rungs take {share:.1%} of {large['file']}; train them on {longest} different tokens or more")
    folder = quote(planned["output"])
    say(
        console,
        plain(
            f'next: for one in {folder}/rung_*.yaml; do winnow train "$one" --data RUN --output "${{one%.yaml}}"; done'
        ),
    )
    say(console, plain(f"then: winnow scaling predict {folder}/{large['file']} {folder}/rung_*/"))


def predict(console: Console, found: Mapping[str, Any]) -> None:
    low, high = found["interval"]
    sizes = f"{short(found['parameters'])} parameters on {short(found['tokens'])} tokens"
    say(console, f"{sizes}: a loss of {found['loss']:.3f} nats per token (95 %: {low:.3f} to {high:.3f})")
