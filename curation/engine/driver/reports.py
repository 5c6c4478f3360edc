"""Reports a run's progress: a line per minute and stage through `logging`, and a file for `winnow status`."""

import logging
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from time import monotonic

from curation.core import storage
from curation.core.lease import Holder
from curation.core.manifest import Manifest, replace_json
from curation.core.progress import MINUTE, PROGRESS, Progress
from curation.core.threads import repeating

log = logging.getLogger(__name__)


def report_sealed(stages: Iterable[Manifest], forward: Callable[[Progress], None]) -> None:
    """Reports the stages of a run in which nothing is left to do."""
    for stage in stages:
        now = Progress(stage.name, "sealed", 1, 1, stage.total("rows"))
        forward(now)
        log.info(now.line())


def report_note(about: str, note: str, forward: Callable[[Progress], None]) -> None:
    """Reports something to know outside of any stage."""
    now = Progress(about, "note", note=note)
    forward(now)
    log.warning(now.line())


class Reports:
    """A context for a run of `stages` stages; called with each progress, which it hands on to `forward`.

    A stage's first line comes at once, its last when it ends. The file stays where the run does not end well.
    """

    def __init__(self, output: str, stages: int, forward: Callable[[Progress], None], every: float = MINUTE) -> None:
        self._uri = storage.join(output, PROGRESS)
        self._stages = stages
        self._forward = forward
        self._holder = Holder.this_process()
        self._now: Progress | None = None  # of the stage that is running
        self._told = monotonic()
        self._lock = threading.Lock()
        self._ticks = repeating(self._tick, every, "winnow-reports")

    def __call__(self, now: Progress) -> None:
        self._forward(now)
        if now.step in ("note", "sealed"):
            log.log(logging.WARNING if now.note else logging.INFO, now.line())
            return
        with self._lock:
            before = self._now
            self._told = monotonic()
            self._now = None if now.step == "done" else now
        if now.step in ("start", "done"):
            log.info(now.line())
        if before is None or before.step != now.step:
            self._keep(now)

    def __enter__(self) -> "Reports":
        self._ticks.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ticks.__exit__(None, None, None)
        now = self._running()
        if kind is None:
            storage.delete_file(self._uri)
        elif now is not None:
            log.info(f"{now.line()}; ended here")
            self._keep(now)

    def _tick(self) -> None:
        now = self._running()
        if now is not None:
            log.info(now.line())
            self._keep(now)

    def _running(self) -> Progress | None:
        """The progress of the running stage with the seconds until now: its last commit may be long ago."""
        with self._lock:
            now = self._now
            waited = monotonic() - self._told
        return None if now is None else replace(now, seconds=now.seconds + waited)

    def _keep(self, now: Progress) -> None:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        with suppress(OSError):  # a full disk is reported by what cannot do without it
            replace_json(self._uri, {**asdict(now), **asdict(self._holder), "stages": self._stages, "when": when})
