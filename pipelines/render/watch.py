"""What `winnow watch` shows: on a terminal a view that is drawn again in its place, otherwise lines for a log."""

from collections.abc import Iterable, Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from curation.core.progress import duration
from curation.core.wording import counted, listed
from pipelines.render.console import plain, say
from pipelines.render.progress import LINE_SECONDS
from pipelines.render.run_files import LARGEST, ending, shown

if TYPE_CHECKING:  # slow to import
    from curation.account.status import FinishedStage, Status

BAR = 40  # columns at most
HEAD = 4  # lines of the table beside its rows and its title
LEAST = 3  # sealed stages that are shown on however low a terminal


def watch(console: Console, looks: "Iterable[Status]") -> "Status":
    """Shows each status until there are no more, and returns the last; `looks` has one at least."""
    moving = console.is_terminal and not console.is_dumb_terminal
    return _redrawn(console, looks) if moving else _logged(console, looks)


def _redrawn(console: Console, looks: "Iterable[Status]") -> "Status":
    """Below what the terminal shows already: whoever leaves keeps the last view on it."""
    with Live(console=console, auto_refresh=False) as live:
        for run in looks:
            live.update(fitted(console, run), refresh=True)
    return run


def fitted(console: Console, run: "Status") -> Group:
    """The view with as many of the last sealed stages as leave room for what is going on."""
    rest = Group(*_parts(console, run, 0))
    height = len(console.render_lines(rest, pad=False))
    return Group(*_parts(console, run, max(LEAST, console.height - height - HEAD - 1)))


def _parts(console: Console, run: "Status", stages: int) -> Iterator[RenderableType]:
    for part in shown(run, console.width, stages):
        if isinstance(part, Table):
            part.columns[0].no_wrap = True  # a stage is one line
            part.columns[0].overflow = "ellipsis"
            yield part
            continue
        yield Text.from_markup(part, overflow="fold")
        if part == plain(run.line) and run.now and run.now.units:
            yield Padding(ProgressBar(run.now.units, run.now.done, min(BAR, console.width)), 0)  # which ends the line


def _logged(console: Console, looks: "Iterable[Status]") -> "Status":
    """A line for each stage that is sealed, for each step, and in between at most every LINE_SECONDS."""
    told = 0
    step = ""
    when = 0.0
    for run in looks:
        for stage in run.sealed[told:]:
            say(console, plain(_sealed(stage)))
        told = max(told, len(run.sealed))
        now = f"{run.now.stage}: {run.now.step}" if run.now else "between two stages, or planning"
        if run.state == "running" and (now != step or monotonic() >= when + LINE_SECONDS):
            step = now
            when = monotonic()
            say(console, plain((run.line or now) + _dropped(run.dropped)))
    if run.line:
        say(console, plain(f"last heard of at {run.heard}: {run.line}"))
    say(console, ending(run))
    return run


def _sealed(stage: "FinishedStage") -> str:
    kept = "" if stage.kept is None else f", {stage.kept:,} of {counted(stage.documents or 0, 'document')} kept"
    return f"{stage.name}: sealed{kept}, {duration(stage.seconds)}{_dropped(stage.dropped)}"


def _dropped(reasons: Mapping[str, int]) -> str:
    """The largest counts, which come first."""
    counts = [f"{count:,} {reason}" for reason, count in reasons.items()]
    return f"; dropped {listed(counts, LARGEST)}" if counts else ""
