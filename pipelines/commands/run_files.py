"""The commands that look at a run's files rather than its documents: `winnow status` and `winnow verify`."""

from typing import Annotated

import typer

from curation.account.run import Run
from pipelines.commands.ask import RunFolder
from pipelines.render import run_files
from pipelines.render.console import Json, answer


def status(run: RunFolder, as_json: Json = False) -> None:
    """How far a run is and which process holds it; works from any terminal, also after the run was killed."""
    from curation.account.status import status as read_status

    answer(read_status(run), run_files.status, as_json=as_json)


def verify(
    run: RunFolder,
    deep: Annotated[bool, typer.Option("--deep", help="Also read every file: checksums, and rows of Parquet.")] = False,
    as_json: Json = False,
) -> None:
    """Check that a run's files are what its commits say, and name what to delete to have bad ones made again.

    Ends with exit code 1 if anything is wrong.
    """
    verified = Run.open(run).verify(deep=deep)
    answer(verified, run_files.verification, as_json=as_json)
    if verified.problems:
        raise typer.Exit(1)
