"""What `winnow status` and `winnow watch` show of a run's progress, and `winnow verify` of its files."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from curation.core.credentials import masked
from curation.core.wording import counted
from pipelines.render.console import NARROW, plain, say
from pipelines.render.tables import DENSE, Column, counts, megabytes, percents, unless_0, view

if TYPE_CHECKING:  # slow to import
    from curation.account.status import Status
    from curation.account.verify.verify import Verification

RESUME = "the same winnow curate resumes it"
ENDED = {
    "killed": "was killed",
    "stopped": "has stopped",
    "silent": "gives no sign; an object store has no lock that would tell whether it is running",
}
LARGEST = 5  # reasons of drops that are shown …
NEWEST = 3  # … and others that came last
ESSENTIAL = ("stage", "documents", "kept %", "errors")  # columns where a terminal is narrow

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
    for part in shown(run):
        if isinstance(part, str):
            say(console, part)
        else:
            console.print(part)


def shown(run: "Status", width: int = NARROW, stages: int | None = None) -> Iterator[Table | str]:
    """A table of the last sealed stages, default: all, and lines of markup: what is going on, or how it ended."""
    columns = [column for column in SEALED if width >= NARROW or column.title in ESSENTIAL]
    sealed = run.sealed[len(run.sealed) - stages :] if stages is not None and stages < len(run.sealed) else run.sealed
    if not sealed:
        yield plain(run.run)
    else:
        yield view(columns, sealed, title=plain(run.run), title_justify="left", **DENSE)
    of = "" if run.stages is None else f" of {run.stages}"
    yield f"{len(run.sealed)}{of} stages sealed"
    for stage in run.sealed:
        if stage.lost_units:
            yield f"[yellow]warning:[/] {plain(stage.name)}: sealed without {counted(stage.lost_units, 'unit')}"
    if run.state == "running":
        yield f"running{_who(run)}"
        yield plain(run.line) if run.line else "between two stages, or planning"
        yield from drops(run)
        return
    if run.line:
        yield f"last heard of at {run.heard}: {plain(run.line)}"
    yield ending(run)


def drops(run: "Status") -> Iterator[str]:
    """Lines on the reasons for which the stage in progress, or the last that dropped anything, drops most and last."""
    before = next(((stage.name, stage.dropped) for stage in reversed(run.sealed) if stage.dropped), ("", {}))
    stage, dropped = (run.now.stage, run.dropped) if run.now and run.dropped else before
    largest = list(dropped)[:LARGEST]
    last = [reason for reason in run.newest if reason in dropped and reason not in largest][:NEWEST]
    if dropped:
        yield f"dropped by {plain(stage)}:"
    width = max((len(f"{dropped[reason]:,}") for reason in largest), default=0)
    for reason in (*largest, *last):
        new = f" (+{run.newest[reason]:,})" if reason in run.newest else ""
        yield plain(f"{dropped[reason]:>{width},} {reason}{new}")


def ending(run: "Status") -> str:
    """A line on how a run ended, and what to do then."""
    traceback = f"; traceback: {plain(masked(run.failure))}" if run.failure else ""
    return "finished" if run.state == "finished" else f"{ENDED[run.state]}{_who(run)}{traceback}; {RESUME}"


def _who(run: "Status") -> str:
    return "" if run.holder is None else f" ({plain(str(run.holder))})"


def _without_checksum(verified: "Verification") -> str:
    """What a deep check could not compare."""
    files = sum(stage.without_checksum for stage in verified.stages)
    return f"; of {counted(files, 'file')} only the size is recorded" if files else ""


def verification(console: Console, verified: "Verification") -> None:
    """A table of the stages, a line per problem, and what to delete to mend them."""
    console.print(view(CHECKED, verified.stages, whole_numbers=True, title=plain(verified.run), title_justify="left"))
    for problem in verified.problems:
        place = "/".join(name for name in (problem.stage, problem.file) if name)
        say(console, plain(f"{place}: {problem.what}" if place else problem.what))
    if not verified.problems:
        checked = "whole: sizes, checksums and counts" if verified.deep else "sizes and counts"
        if unread := sum(stage.unread_rows for stage in verified.stages):
            checked += f", of {counted(unread, 'file')} of token rows without the rows,"
        left = (
            _without_checksum(verified) if verified.deep else "; whether bytes were changed in place, --deep finds out"
        )
        say(console, f"{checked} are as recorded{left}")
        return
    delete = dict.fromkeys(path for problem in verified.problems for path in problem.delete)
    if delete:
        say(console, "to have it made again, delete these, then run the same winnow curate:")
    for path in delete:
        say(console, plain(f"rm -r {shlex.quote(path)}"))
    say(console, counted(len(verified.problems), "problem"))
