"""The commands that look at a run's files rather than its documents: `winnow status`, `watch` and `verify`."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from curation.account.run import Run
from curation.core import storage
from curation.core.errors import InputError
from pipelines.commands.ask import RunFolder
from pipelines.ending import StopSignal
from pipelines.render import run_files
from pipelines.render import watch as render_watch
from pipelines.render.console import Json, answer

if TYPE_CHECKING:  # slow to import
    from curation.account.status import Status

SECONDS = 1.0  # between two looks at a run …
STORE_SECONDS = 5.0  # … in a store, which takes time, and money, for each request


def status(run: RunFolder, as_json: Json = False) -> None:
    """Show how far a run is and which process works on it, from any terminal, also after it was killed."""
    from curation.account.status import status as read_status

    answer(read_status(run), run_files.status, as_json=as_json)


def watch(run: RunFolder) -> None:
    """Follow a run until it ends, also in an object store. Ctrl-C ends the watching; the run goes on.

    Ends with exit code 1 unless the run finishes.
    """
    try:
        last = render_watch.watch(Console(), _looks(run))
    except SystemExit as end:
        if end.code == 1:  # rich's, when whoever read the lines has left
            raise
        raise StopSignal from end
    if last.state != "finished":
        raise typer.Exit(1)


def _looks(run: str) -> "Iterator[Status]":
    from curation.account.status import StatusReader

    if not storage.exists(run):
        raise InputError(
            f"there is no {run}: winnow curate makes it when it has planned the run, seconds after its start"
        )
    reader = StatusReader(run)
    while True:
        seen = reader.read()
        yield seen
        if seen.state != "running":
            return
        time.sleep(STORE_SECONDS if storage.in_store(run) else SECONDS)


def verify(
    run: RunFolder,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every file and compare checksums and row counts.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a run's files for damage, and say what to delete so that the same recipe makes them again.

    Ends with exit code 1 if anything is wrong.
    """
    verified = Run.open(run).verify(deep=deep)
    answer(verified, run_files.verification, as_json=as_json)
    if verified.problems:
        raise typer.Exit(1)
