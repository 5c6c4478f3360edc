"""The command `winnow curves`: training runs side by side."""

from typing import Annotated

import typer

from pipelines.render import plots
from pipelines.render.console import Json, answer


def curves(
    runs: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Folders that `winnow train` writes, also in object stores.")
    ],
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Also draw them to a .png or .svg file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Training curves: loss, learning rate, gradient norm and throughput of training runs over their steps."""
    from pipelines.render import curves as render  # imports what tunes filters
    from training.metrics.curves import read_curves

    if plot is not None:
        plots.check(plot)
    trainings = [read_curves(run) for run in runs]
    if plot is not None:
        from pipelines.render import curves_plot  # imports NumPy

        curves_plot.draw(plot, trainings)
    answer(trainings, lambda console, found: render.curves(console, found, plot), as_json=as_json)
