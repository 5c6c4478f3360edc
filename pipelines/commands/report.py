"""The command `winnow report`: a run as one page for a browser."""

from typing import Annotated

import typer

from curation.core import storage
from pipelines.commands.ask import OtherModels, RunFolder
from pipelines.render.console import out, plain, say


def report(
    run: RunFolder,
    output: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Default: report.html in the run, which is kept in step with it."),
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="RUN", help="Show what this run keeps and that one drops, and the reverse.")
    ] = None,
    clean: Annotated[
        str | None,
        typer.Option("--clean", metavar="FILE|CHAIN", help="Good documents: show what each limit drops of them."),
    ] = None,
    model: OtherModels = None,
) -> None:
    """Write the run as one page: flow, limits, languages, duplicates, mixture, documents; opens without a network."""
    from pipelines.report.report import write_report  # loads templates and kernels

    path = write_report(run, output, compare=compare, clean=clean, trainings=model or ())
    if storage.in_store(path):
        say(out, f"written to {plain(path)}; --output FILE writes one here, for a browser")
    else:
        say(out, f"open it in a browser: {plain(path)}")
