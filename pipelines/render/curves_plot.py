"""Draws the curves of trainings: four panels, a colour for each run."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pipelines.render.curves import TITLES
from pipelines.render.plots import COLOURS, drawn
from pipelines.render.tokenizer import short_names
from training.metrics.curves import Curve, TrainingCurves

PANEL = (6.0, 3.6)  # inches
LETTERS = 130  # in the width of the legend
SHARE = 0.02  # of a run's records, over which the line through them is a mean
STYLES: tuple[Literal["-", "--", "-."], ...] = ("-", "--", "-.")  # every 10 runs, when colours begin again
PANELS = ("loss", "learning_rate", "gradient_norm", "tokens_per_second")


def draw(path: str, trainings: Sequence[TrainingCurves]) -> None:
    """Writes a PNG or SVG, by the suffix of the path."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    # A branch has its parent's records, so it is drawn beneath it.
    drawn_first = sorted(
        enumerate(trainings), key=lambda one: -max((point.step for point in one[1].branched), default=0)
    )
    with drawn(path, (PANEL[0] * 2, PANEL[1] * 2 + 0.4), 10) as figure:
        every = figure.subplots(2, 2).flatten()
        for axes, name in zip(every, PANELS, strict=True):
            for number, training in drawn_first:
                _draw_one(axes, name, training, number)
            axes.set(title=TITLES[name], xlabel="finished updates")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.grid(alpha=0.3)
        every[0].set_ylim(top=1.05 * max(training.curves["loss"].highest() for training in trainings))
        every[2].set_yscale("log")
        every[2].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        every[2].yaxis.set_major_formatter("{x:g}")
        every[2].yaxis.set_minor_formatter("")
        every[3].set_ylim(0, 1.05 * max(max(training.curves["tokens_per_second"].values) for training in trainings))
        every[3].yaxis.set_major_formatter("{x:,.0f}")
        _legend(figure, short_names([training.run.rstrip("/") for training in trainings]), trainings)


def _draw_one(axes: Any, name: str, training: TrainingCurves, number: int) -> None:
    colour = f"C{number % COLOURS}"
    curve = training.curves[name]
    axes.plot(curve.steps, curve.values, color=colour, alpha=0.25, linewidth=0.8)
    axes.plot(curve.steps, _mean(curve), color=colour, linestyle=STYLES[number // COLOURS % len(STYLES)], linewidth=1.4)
    if name == "loss":
        found = training.curves["validation_loss"]
        axes.scatter(found.steps, found.values, s=16, color=colour, edgecolors="white", linewidths=0.5, zorder=3)
    for step in training.resumed:
        axes.axvline(step, color=colour, linestyle=":", linewidth=1)
    for point in training.branched:
        axes.axvline(point.step, color=colour, linestyle="--", linewidth=1)


def _mean(curve: Curve) -> Any:
    """float64[N]: of the records around each."""
    half = int(len(curve.values) * SHARE / 2)
    sums = np.concatenate(([0.0], np.cumsum(curve.values)))
    at = np.arange(len(curve.values))
    low = np.maximum(at - half, 0)
    high = np.minimum(at + half + 1, len(at))
    return (sums[high] - sums[low]) / (high - low)


def _legend(figure: Any, names: Sequence[str], trainings: Sequence[TrainingCurves]) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=f"C{number % COLOURS}", linestyle=STYLES[number // COLOURS % len(STYLES)], label=name)
        for number, name in enumerate(names)
    ]
    if any(training.curves["validation_loss"].steps for training in trainings):
        lines.append(Line2D([], [], color="dimgrey", linestyle="", marker="o", markersize=4, label="validation"))
    if any(training.branched for training in trainings):
        lines.append(Line2D([], [], color="dimgrey", linestyle="--", linewidth=1, label="branched off"))
    if any(training.resumed for training in trainings):
        lines.append(Line2D([], [], color="dimgrey", linestyle=":", linewidth=1, label="resumed"))
    columns = max(1, LETTERS // (max(map(len, names)) + 8))  # 8 letters are as wide as a line and a gap
    figure.legend(handles=lines, loc="outside lower center", ncols=min(len(lines), columns))
