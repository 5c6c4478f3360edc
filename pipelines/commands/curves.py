"""The command `winnow curves`: how trainings went, side by side."""

from typing import Annotated

import typer

from pipelines.render import plots
from pipelines.render.console import Json, answer


def curves(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Folders that `winnow train` writes, also in stores.")
    ],
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Also draw them: .png or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Loss, learning rate, gradient norm and throughput of trainings over their updates."""
    from pipelines.render import curves as render  # imports what tunes filters
    from training.metrics.curves import read_curves

    if plot is not None:
        plots.check(plot)
    trainings = [read_curves(run) for run in runs]
    if plot is not None:
        from pipelines.render import curves_plot  # imports NumPy

        curves_plot.draw(plot, trainings)
    answer(trainings, lambda console, found: render.curves(console, found, plot), as_json=as_json)
