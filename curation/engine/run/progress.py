"""How far a stage is, read off its commits, so that workers report nothing themselves."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType

from curation.core import storage
from curation.core.manifest import read_commit

POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Progress:
    """`done` of `units` units of one step; `documents` are the rows that its finished units wrote. The steps "sealed"
    and "note" do no work: they stand for a stage that need not run, and for what to know before one runs."""

    stage: str
    step: str
    done: int
    units: int
    documents: int
    seconds: float
    note: str = ""


class Watch:
    """A context in which each step of a stage is announced by `step` and then watched until the next."""

    def __init__(self, stage: str, folder: str, report: Callable[[Progress], None]) -> None:
        self._stage, self._folder, self._report = stage, folder, report
        self._started = perf_counter()
        self._step, self._commits, self._units = "start", "", 0
        self._rows: dict[str, int] = {}
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._poll, daemon=True)

    def step(self, step: str, commits: str, units: int) -> None:
        """The step's name, the folder of its commits, and how many units it has in all."""
        with self._lock:
            self._step, self._commits, self._units, self._rows = step, commits, units, {}
        self._tell()

    def __enter__(self) -> "Watch":
        self._tell()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        if error is None:
            self._tell()

    def _poll(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            self._tell()

    def _tell(self) -> None:
        with self._lock:
            self._report(self._now())

    def _now(self) -> Progress:
        if self._commits:
            folder = storage.join(self._folder, self._commits)
            for name in storage.list_names(folder):
                if name not in self._rows:
                    commit = read_commit(storage.join(folder, name))
                    if commit is not None:
                        self._rows[name] = sum(part.rows for part in commit.parts)
        seconds = perf_counter() - self._started
        documents = sum(self._rows.values())
        return Progress(self._stage, self._step, len(self._rows), self._units, documents, seconds)
