"""Draws compared runs: bits per byte over training tokens, a panel for the mean over kinds and one for each kind."""

from typing import Any

from curation.account.compare.compare import Comparison
from curation.account.compare.heldout import ALL
from pipelines.render.plots import drawn, marker

PANEL = (4.5, 3.6)  # inches
COLUMNS = 4


def draw(path: str, compared: Comparison) -> None:
    """Writes a PNG or SVG, by the suffix of the path; a bar is the 95 % interval."""
    kinds = [kind.name for kind in compared.kinds]
    panels = [ALL, *kinds] if len(kinds) > 1 else kinds
    columns = min(len(panels), COLUMNS)
    rows = -(-len(panels) // COLUMNS)
    with drawn(path, (PANEL[0] * columns, PANEL[1] * rows + 0.5), 9) as figure:
        every = figure.subplots(rows, columns, squeeze=False).flatten()
        for axes, kind in zip(every, panels, strict=False):
            _panel(axes, compared, kind)
        for axes in every[len(panels) :]:
            axes.axis("off")
        figure.legend(*every[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)


def _panel(axes: Any, compared: Comparison, kind: str) -> None:
    sizes = sorted({result.tokens for result in compared.results})
    for number, run in enumerate(compared.runs):
        found = [compared.result(run.name, kind, tokens) for tokens in sizes]
        values = [result.bits_per_byte for result in found]
        below = [result.bits_per_byte - result.low for result in found]
        above = [result.high - result.bits_per_byte for result in found]
        apart = 1.02 ** (number - (len(compared.runs) - 1) / 2)  # so that the bars of runs do not hide each other
        axes.errorbar(
            [tokens * apart for tokens in sizes],
            values,
            yerr=[below, above],
            marker=marker(number),
            markersize=3,
            linewidth=1,
            elinewidth=0.6,
            label=run.name,
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{tokens:,}" for tokens in sizes], rotation=20)
    axes.minorticks_off()
    axes.set(title=kind, xlabel="training tokens", ylabel="bits per byte")
    axes.grid(alpha=0.3)
