"""Draws the curves of trainings in text: for each figure the bars of every run, over the same updates and one range."""

from collections.abc import Sequence

from rich.console import Console

from curation.core.wording import counted
from pipelines.render.console import plain, say
from pipelines.render.histograms import BARS
from pipelines.render.tokenizer import short_names
from training.metrics.curves import Curve, TrainingCurves

WIDTH = 64  # bars of a curve
HEIGHT = 3  # lines of it
TITLES = {
    "loss": "loss (nats per label)",
    "validation_loss": "validation loss (nats per label)",
    "learning_rate": "learning rate",
    "gradient_norm": "gradient norm before clipping",
    "tokens_per_second": "tokens per second",
}


def curves(console: Console, trainings: Sequence[TrainingCurves], plot: str | None = None) -> None:
    """`plot`: the file in which they are drawn too."""
    names = [plain(name) for name in short_names([training.run.rstrip("/") for training in trainings])]
    for name, training in zip(names, trainings, strict=True):
        resumed = f", resumed after {', '.join(f'{step:,}' for step in training.resumed)}" if training.resumed else ""
        say(console, f"{name}: {counted(training.updates, 'update')}{resumed}")
        for point in training.branched:
            gone = "" if point.drawn else ", whose records are not there"
            say(console, f"  a branch of {plain(point.run)} after update {point.step:,}{gone}")
    last = max(training.updates for training in trainings)
    for figure, title in TITLES.items():
        found = {name: training.curves[figure] for name, training in zip(names, trainings, strict=True)}
        known = {name: curve for name, curve in found.items() if curve.steps}
        say(console, f"[bold]{title}[/]{'' if known else ': not recorded'}")
        low = min((min(curve.values) for curve in known.values()), default=0.0)
        high = max((curve.highest() for curve in known.values()), default=0.0)
        for name, curve in known.items():
            ends = f"{_number(curve.values[0])} → {_number(curve.values[-1])}"
            say(console, f"  {name}: {ends}, from {_number(min(curve.values))} to {_number(max(curve.values))}")
            _bars(console, _columns(curve, last), low, high)
        if known:
            say(console, f"  0{last:>{WIDTH - 1},}")
    if plot:
        say(console, f"plot: {plain(plot)}")


def _columns(curve: Curve, last: int) -> list[float | None]:
    """The mean of the records of each column, that of the column before where it has none, and None before the first
    record and behind the last one."""
    inside: list[list[float]] = [[] for _ in range(WIDTH)]
    for step, value in zip(curve.steps, curve.values, strict=True):
        inside[(step * WIDTH - 1) // last].append(value)
    end = (curve.steps[-1] * WIDTH - 1) // last
    columns: list[float | None] = []
    mean = None
    for number, values in enumerate(inside):
        mean = sum(values) / len(values) if values else mean
        columns.append(mean if number <= end else None)
    return columns


def _bars(console: Console, columns: Sequence[float | None], low: float, high: float) -> None:
    """A value outside the range has a bar as high as the nearest one in it, and each value has some."""
    most = 8 * HEIGHT
    span = (high - low) or 1.0
    shares = [None if value is None else min(max((value - low) / span, 0), 1) for value in columns]
    levels = [0 if share is None else 1 + round((most - 1) * share) for share in shares]
    for row in reversed(range(HEIGHT)):
        say(console, "  " + "".join(BARS[min(max(level - 8 * row, 0), 8)] for level in levels).rstrip())


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
