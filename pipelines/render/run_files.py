"""What `winnow status` shows of a run's progress, and `winnow verify` of its files."""

import shlex
from typing import TYPE_CHECKING

from rich.console import Console

from curation.core.credentials import masked
from curation.core.wording import counted
from pipelines.render.console import plain, say
from pipelines.render.tables import Column, counts, megabytes, percents, unless_0, view

if TYPE_CHECKING:  # slow to import
    from curation.account.status import Status
    from curation.account.verify.verify import Verification

ENDED = {
    "finished": "finished",
    "killed": "was killed",
    "stopped": "has stopped",
    "silent": "gives no sign; an object store has no lock that would tell whether it is running",
}


SEALED = (
    Column("stage", "name"),
    Column("units", form=unless_0),
    Column("documents", form=","),
    Column("kept %", lambda stage: None if stage.kept is None else stage.kept / max(stage.documents, 1), percents),
    Column("kept MB", "kept_text_bytes", megabytes),
    Column("errors", form=","),
    Column("seconds", form=".1f"),
)
CHECKED = (
    Column("stage", "folder"),
    *counts("units", "files"),
    Column("MB", "bytes", megabytes),
    Column("without checksum", form=unless_0),
    Column("problems", form=unless_0),
)


def status(console: Console, run: "Status") -> None:
    """A table of the sealed stages, then what is going on or how it ended."""
    console.print(view(SEALED, run.sealed, whole_numbers=True, title=plain(run.run), title_justify="left"))
    of = "" if run.stages is None else f" of {run.stages}"
    say(console, f"{len(run.sealed)}{of} stages sealed")
    for stage in run.sealed:
        if stage.lost_units:
            say(console, f"[yellow]warning:[/] {stage.name}: sealed without {counted(stage.lost_units, 'unit')}")
    who = "" if run.holder is None else f" ({plain(str(run.holder))})"
    if run.state == "running":
        say(console, f"running{who}")
        say(console, plain(run.line) if run.line else "between two stages, or planning")
        return
    say(console, f"{ENDED[run.state]}{who if run.state != 'finished' else ''}")
    if run.line:
        say(console, f"last heard of at {run.heard}: {plain(run.line)}")
    if run.failure:
        say(console, f"traceback: {plain(masked(run.failure))}")
    if run.state != "finished":
        say(console, "the same winnow curate resumes it")


def _without_checksum(verified: "Verification") -> str:
    """What a deep check could not compare."""
    files = sum(stage.without_checksum for stage in verified.stages)
    return f"; of {counted(files, 'file')} only the size is recorded" if files and verified.deep else ""


def verification(console: Console, verified: "Verification") -> None:
    """A table of the stages, a line per problem, and what to delete to mend them."""
    console.print(view(CHECKED, verified.stages, whole_numbers=True, title=plain(verified.run), title_justify="left"))
    for problem in verified.problems:
        place = "/".join(name for name in (problem.stage, problem.file) if name)
        say(console, plain(f"{place}: {problem.what}" if place else problem.what))
    if not verified.problems:
        checked = "sizes, checksums and counts" if verified.deep else "sizes and counts (--deep reads the files too)"
        say(console, f"whole: {checked} are as recorded{_without_checksum(verified)}")
        return
    delete = dict.fromkeys(path for problem in verified.problems for path in problem.delete)
    if delete:
        say(console, "to have it made again, delete these, then run the same winnow curate:")
    for path in delete:
        say(console, plain(f"rm -r {shlex.quote(path)}"))
    say(console, counted(len(verified.problems), "problem"))
