"""What a command shows while it works: bars on a terminal, otherwise lines of the log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from curation.core.progress import Progress
from curation.core.wording import counted
from pipelines.render.console import plain, say

if TYPE_CHECKING:
    from curation.account.annotate.teacher import TeacherProgress as Asking
    from curation.account.compare.compare import JudgedModel as Comparing

LINE_SECONDS = 10.0
ROOMS = ("curation", "training")  # whose logs are shown
SHOWN = "curation.engine.driver.reports"  # the log of a run's progress
LOG_LINE = "%(asctime)s %(message)s"


class _Lines(logging.Handler):
    """Writes the log above the bars of a terminal, without what the bars and their notes show."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self.addFilter(lambda record: record.name != SHOWN)

    def emit(self, record: logging.LogRecord) -> None:
        say(self._console, plain(record.getMessage()))


@contextmanager
def logged(console: Console) -> Iterator[None]:
    """Writes winnow's log to the console; on a terminal, what bars and notes do not show."""
    logs = [logging.getLogger(room) for room in ROOMS]
    levels = [log.level for log in logs]
    handler: logging.Handler = _Lines(console) if console.is_terminal else logging.StreamHandler(console.file)
    if not console.is_terminal:
        handler.setFormatter(logging.Formatter(LOG_LINE))
    for log in logs:
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.removeHandler(handler)
            log.setLevel(level)


class _Bars:
    """Bars on a terminal; nothing without one."""

    def __init__(self, console: Console) -> None:
        self.console = console
        columns = (TextColumn("{task.description}"), BarColumn(bar_width=20))
        counts = (TextColumn("{task.completed}/{task.total}"), TextColumn("{task.fields[figures]}"))
        times = (TimeElapsedColumn(), TimeRemainingColumn())
        self._bars = RichProgress(*columns, *counts, *times, console=console, transient=True)
        self._tasks: dict[str, TaskID] = {}

    def show(self, name: str, done: int, total: int, figures: str) -> None:
        """One bar at a time; a new name hides those before."""
        if name not in self._tasks:
            for old in self._tasks.values():
                self._bars.update(old, visible=False)
            self._tasks[name] = self._bars.add_task(name, total=max(total, 1), figures="")
        self._bars.update(self._tasks[name], completed=done, total=max(total, 1), figures=figures)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.console.is_terminal:
            self._bars.stop()


class StageProgress(_Bars):
    """A bar for the step of a stage that is running; without a terminal the log has its figures."""

    def update(self, now: Progress) -> None:
        if not self.console.is_terminal:
            return
        if now.step in ("sealed", "note"):
            say(self.console, plain(now.line()))
        elif now.step != "done":
            self.show(f"{now.stage}: {now.step}", now.done, now.units, figures(now))


def figures(now: Progress) -> str:
    """Short, for the end of a bar."""
    words = []
    if now.documents:
        words += [f"{now.documents_per_second:,.0f} docs/s", now.bytes_per_second]
        words += [f"{now.kept_percent:.1f} % kept", counted(now.errors, "error")]
    return " · ".join([*words, *([counted(now.retries, "retry", "retries")] if now.retries else [])])


class TrainProgress(_Bars):
    """A bar over the training steps with the last loss; without a terminal, a line per step that is reported."""

    def update(self, now: dict[str, Any]) -> None:
        """Takes a record of metrics.jsonl, as `training.job.train` reports it; what a watch tells has a line."""
        if now["kind"] in ("start", "resume", "branch") or "line" in now:
            from training.metrics.records import describe  # with torch, which is loaded by now

            say(self.console, plain(describe(now)))
        if now["kind"] != "step":
            return
        speed = f"loss {now['loss']:.3f}, {now.get('tokens_per_second', 0):,.0f} tokens/s"
        self.show("train", now["step"], now["steps"], speed)
        if not self.console.is_terminal:
            say(self.console, f"step {now['step']} of {now['steps']}: {speed}")


class AnnotateProgress(_Bars):
    """A bar over the documents with the spend; without a terminal, a line every LINE_SECONDS."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._shown = 0.0  # seconds into the work

    def update(self, now: "Asking") -> None:
        words = [f"{now.requests:,} requests", f"{now.malformed:,} malformed", f"{sum(now.retries.values()):,} retries"]
        if now.spend.prices.price_in is not None:
            ceiling = now.spend.prices.max_cost
            words.append(f"{now.spend.total:.4f} spent{'' if ceiling is None else f' of {ceiling:g}'}")
        self.show("annotate", now.done, now.texts, " · ".join(words))
        if not self.console.is_terminal and now.seconds >= self._shown + LINE_SECONDS:
            self._shown = now.seconds
            say(self.console, f"{now.done:,} of {now.texts:,} documents: {', '.join(words)}")


class CompareProgress(_Bars):
    """A bar over the models that are trained; without a terminal, a line for each draw."""

    def update(self, now: "Comparing") -> None:
        words = f"{now.run}, {now.tokens:,} tokens, draw {now.seed + 1} of {now.seeds}"
        self.show("compare", now.done, now.models, words)
        if not self.console.is_terminal and now.done * now.seeds % now.models == 0:
            say(self.console, f"draw {now.seed + 1} of {now.seeds}: {now.done} of {now.models} models judged")
