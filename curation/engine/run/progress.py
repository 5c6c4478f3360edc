"""Counts the work of a stage from the commits of its steps, as they come in."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter

from curation.core.commits import Commit
from curation.core.manifest import Manifest, StepWork
from curation.core.needs import Needs
from curation.core.progress import Progress
from curation.core.reasons import errors_in
from curation.engine.executor.failures import Failure


class Watch:
    """Follows the steps and commits of a stage and reports after each; `folder` is the name of the stage's folder.

    A stage that is `sealed` does not begin again: more is done to its files.
    """

    def __init__(
        self, stage: str, report: Callable[[Progress], None], folder: str = "", *, sealed: bool = False
    ) -> None:
        self._report = report
        self._folder = folder
        self._began = self._step_began = perf_counter()
        # of the steps before
        self._retries = 0
        self._failure = ""
        self._lock = threading.Lock()
        self.steps: list[StepWork] = []  # those that have ended
        self._now = Progress(stage, "start")
        if not sealed:
            self._tell()

    def step(self, step: str, units: int, done: Iterable[Commit] = (), commits: str = "") -> None:
        """A step begins: its name, the number of its units, the commits of those that are done already, and the folder
        of its commits within the stage's."""
        with self._lock:
            self._retries = self._retries + self._now.retries
            self._step_began = perf_counter()
            self._now = Progress(self._now.stage, step, units=units, commits=f"{self._folder}/{commits}")
            for commit in done:
                self._add(commit)
            now = self._now
            self._now = replace(now, found=now.done, found_documents=now.documents, found_text_bytes=now.text_bytes)
        self._tell()

    def commit(self, commit: Commit) -> None:
        with self._lock:
            self._add(commit)
        self._tell()

    def step_ended(self, needs: Needs, commits: Sequence[Commit], cores: int) -> None:
        """All units of the step have a commit; those that were done before count too."""
        seconds = sorted((commit.seconds for commit in commits), reverse=True)
        sizes = [commit.files() for commit in commits]
        self.steps.append(
            StepWork(
                name=self._now.step,
                units=len(commits),
                seconds=round(sum(seconds), 3),
                longest=max(seconds, default=0.0),
                first_seconds=round(sum(seconds[:cores]), 3),
                wall_seconds=round(perf_counter() - self._step_began, 3),
                files=sum(map(len, sizes)),
                file_bytes=sum(sum(files.values()) for files in sizes),
                memory=needs.memory,
                cpus=needs.num_cpus,
                cores=cores,
            )
        )

    def retry(self, failure: Failure) -> None:
        """An attempt at a unit failed."""
        with self._lock:
            self._failure = f"unit {failure.unit}, {failure.error}"
            self._now = replace(self._now, retries=self._now.retries + 1, failure=self._failure)
        self._tell()

    def note(self, text: str) -> None:
        """Something that an operator should know."""
        with self._lock:
            self._report(replace(self._now, step="note", note=text, seconds=perf_counter() - self._began))

    def sealed(self, manifest: Manifest) -> None:
        """The stage has ended well."""
        errors = sum(errors_in(manifest.merged("dropped")).values())
        with self._lock:
            now = self._now
            table = manifest.shards
            self._now = Progress(
                now.stage,
                "done",
                done=table.units,
                units=table.units,
                documents=manifest.total("rows"),
                kept=manifest.total("kept"),
                text_bytes=manifest.total("text_bytes"),
                errors=errors,
                retries=self._retries + now.retries,
                failure=self._failure,
                seconds=perf_counter() - self._began,
            )
            self._report(self._now)

    def _add(self, commit: Commit) -> None:
        now = self._now
        reasons = Counter(now.reasons)
        for part in commit.parts:
            reasons.update(errors_in(part.dropped))
        self._now = replace(
            now,
            done=now.done + 1,
            documents=now.documents + sum(part.rows for part in commit.parts),
            kept=now.kept + sum(part.kept for part in commit.parts),
            text_bytes=now.text_bytes + sum(part.text_bytes for part in commit.parts),
            errors=reasons.total(),
            reasons=dict(reasons),
            lost=now.lost + ("lost" in commit.extra),
        )

    def _tell(self) -> None:
        with self._lock:
            self._report(replace(self._now, seconds=perf_counter() - self._step_began))
