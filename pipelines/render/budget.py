"""What a training will take, the published cases and the devices with figures. Draws only; computes no figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from pipelines.render.console import plain, say
from pipelines.render.tables import DENSE, Column, view
from training.plan.budget import TrainingBudget
from training.plan.layouts import CandidateLayout

FEW = 12  # layouts


def _number(value: float) -> str:
    """With four digits that count."""
    if value >= 1e15:
        return f"{value:.2e}"
    for size, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if value >= size:
            return f"{value / size:,.4g}{letter}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:,.1f}"


LAYOUTS = (
    Column("layout", lambda one: str(one.layout)),
    Column("zero", form=","),
    Column("recompute"),
    Column("rows", "micro_batch_rows", ","),
    Column("GB", lambda one: one.memory.total, _gigabytes),
    Column("states", lambda one: one.memory.weights + one.memory.gradients + one.memory.moments, _gigabytes),
    Column("gathered", "memory.gathered", _gigabytes),
    Column("activations", "memory.activations", _gigabytes),
    Column("s/step", "seconds", ".3g"),
)


def budget(console: Console, found: TrainingBudget, *, every: bool = False) -> None:
    active = "" if found.active_parameters == found.parameters else f", {found.active_parameters:,} active for a token"
    say(console, f"parameters: {found.parameters:,}{active}")
    say(console, f"tokens: {found.tokens:,} read, {found.labels:,} predicted at most")
    say(console, f"operations: {found.flops:.3e} FLOPs (6 x parameters x tokens: {found.simple_flops:.3e})")
    _hours(console, found)
    for name, cost in (("rented", found.rented), ("owned", found.owned), ("engineering", found.engineering)):
        if cost is not None:
            say(console, f"cost, {name}: {cost:,.2f}")
    if found.kwh is not None and found.carbon is not None:
        say(console, f"energy: {found.kwh:,.0f} kWh; carbon: {found.carbon / 1000:,.2f} t CO2e")
    if found.embodied is not None:
        say(console, f"making the devices: {found.embodied / 1000:,.3f} t CO2e, the share of these hours")
    shown = found.layouts if every else found.layouts[:FEW]
    say(console, f"[bold]layouts that fit[/]: {len(found.layouts)}, the fastest first")
    console.print(view(LAYOUTS, shown, **DENSE))
    say(console, "GB: of one process at most; s/step: compares layouts, at the device's peak")
    if len(shown) < len(found.layouts):
        say(console, f"{len(found.layouts) - len(shown)} others: --all, or --json")
    best = found.layouts[0]
    say(console, f"[bold]recommended[/]: {plain(best.settings)} --workers {found.gpus}")
    say(console, f"  because {_reason(best, found.layouts)}")
    for line in found.assumed:
        say(console, f"assumed: {plain(line)}")


def _hours(console: Console, found: TrainingBudget) -> None:
    if found.hours is None or found.mfu is None or found.gpu_hours is None:
        say(
            console,
            f"hours: {_number(found.least_hours)} at least, at the peak of {found.gpus} x {plain(found.device)}; more "
            "is known with --mfu SHARE or --measured RUN (published on H100: 0.33 to 0.48, docs/budget.md)",
        )
        return
    days = f" ({found.hours / 24:,.1f} days)" if found.hours > 48 else ""
    say(
        console,
        f"hours: {_number(found.hours)}{days} on {found.gpus} x {plain(found.device)} at an MFU of {found.mfu:.1%}, "
        f"{_number(found.gpu_hours)} GPU-hours",
    )


def _reason(best: CandidateLayout, layouts: Sequence[CandidateLayout]) -> str:
    text = (
        f"a step takes {best.seconds:.3g} s: {best.arithmetic:.3g} computing, {best.waiting:.2g} waiting in a "
        f"pipeline, {best.sending:.2g} sending"
    )
    if len(layouts) > 1:
        text += f"; the next takes {layouts[1].seconds:.3g} s"
    return text


CASES = (
    Column("case"),
    Column("figure"),
    Column("published", form=_number),
    Column("computed", form=_number),
    Column("error", form=lambda share: f"{round(100 * share, 1) + 0.0:+.1f}%"),
    Column("arithmetic"),
)
MFU = (Column("implied MFU", "case"), Column("share", "mfu", ".1%"), Column("arithmetic"))


def cases(console: Console, found: Mapping[str, Any]) -> None:
    console.print(view(CASES, found["figures"], **DENSE))
    console.print(view(MFU, found["mfu"], **DENSE))
    for note in found["notes"]:
        say(console, plain(note))
    sources: dict[str, list[str]] = {}
    for one in found["figures"]:
        sources.setdefault(one["source"], []).append(one["case"])
    for source, named in sources.items():
        say(console, plain(f"{', '.join(dict.fromkeys(named))}: {source}"))


DEVICES = (
    Column("device", lambda row: row[0]),
    Column("bf16 TFLOP/s", lambda row: row[1].bf16 / 1e12, ",.0f"),
    Column("fp8", lambda row: row[1].fp8 and row[1].fp8 / 1e12, ",.0f"),
    Column("GB", lambda row: row[1].memory / 1e9, ",.0f"),
    Column("TB/s", lambda row: row[1].bandwidth / 1e12, ".2f"),
    Column("W", lambda row: row[1].power, ",.0f"),
    Column("link GB/s", lambda row: row[1].link / 1e9, ",.0f"),
    Column("kg CO2e", lambda row: row[1].embodied, ",.0f"),
    Column("source", lambda row: row[1].source),
)
NETWORKS = (
    Column("network", lambda row: row[0]),
    Column("GB/s", lambda row: row[1].rate / 1e9, ",.1f"),
    Column("source", lambda row: row[1].source),
)


def devices(console: Console, found: Mapping[str, Mapping[str, Any]]) -> None:
    console.print(view(DEVICES, found["devices"].items(), **DENSE))
    console.print(view(NETWORKS, found["networks"].items(), **DENSE))
    say(console, "peaks dense; links in one direction, of a device to its node; kg CO2e: making one, if published")
