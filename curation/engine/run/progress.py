"""How far a stage is, from the commits as they come in."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from time import perf_counter

from curation.core.commits import Commit
from curation.engine.run.unit_task import Failure


@dataclass(frozen=True)
class Progress:
    """`done` of `units` units of one step; the figures are of what its finished units wrote. The steps "sealed" and
    "note" do no work: they stand for a stage that need not run, and for what to know before or while one runs."""

    stage: str
    step: str
    done: int
    units: int
    documents: int
    seconds: float  # since the stage began
    note: str = ""
    kept: int = 0
    text_bytes: int = 0
    errors: int = 0  # documents dropped as error.*
    retries: int = 0  # attempts at units that failed
    found: int = field(default=0, compare=False)  # units that a run before had done


class Watch:
    """Told of each step of a stage and of each commit in it; reports after each."""

    def __init__(self, stage: str, report: Callable[[Progress], None]) -> None:
        self._report, self._started = report, perf_counter()
        self._lock = threading.Lock()
        self._now = Progress(stage, "start", 0, 0, 0, 0.0)
        self._tell()

    def step(self, step: str, units: int, done: Iterable[Commit] = ()) -> None:
        """The step's name, how many units it has in all, and the commits of those that are done already."""
        with self._lock:
            self._now = Progress(self._now.stage, step, 0, units, 0, 0.0)
            for commit in done:
                self._add(commit)
            self._now = replace(self._now, found=self._now.done)
        self._tell()

    def commit(self, commit: Commit) -> None:
        with self._lock:
            self._add(commit)
        self._tell()

    def retry(self, failure: Failure) -> None:
        """An attempt at a unit failed."""
        with self._lock:
            self._now = replace(self._now, retries=self._now.retries + 1)
        self._tell()

    def note(self, text: str) -> None:
        """Something that an operator should know."""
        with self._lock:
            self._report(replace(self._now, step="note", note=text, seconds=perf_counter() - self._started))

    def _add(self, commit: Commit) -> None:
        now = self._now
        errors = sum(n for part in commit.parts for reason, n in part.dropped.items() if reason.startswith("error."))
        self._now = replace(
            now,
            done=now.done + 1,
            documents=now.documents + sum(part.rows for part in commit.parts),
            kept=now.kept + sum(part.kept for part in commit.parts),
            text_bytes=now.text_bytes + sum(part.text_bytes for part in commit.parts),
            errors=now.errors + errors,
        )

    def _tell(self) -> None:
        with self._lock:
            self._report(replace(self._now, seconds=perf_counter() - self._started))
