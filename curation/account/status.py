"""How far a run is, read from its files: by any process, while the run is going on or after it was killed."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal, cast

import pyarrow.compute as pc

from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.commits import read_parts
from curation.core.errors import InputError
from curation.core.json_files import find_whole
from curation.core.lease import Holder
from curation.core.manifest import RUN, Manifest
from curation.core.progress import FAILURE, MINUTE, PROGRESS, Progress, ProgressRecord, duration
from curation.core.reasons import errors_in
from curation.core.run_lock import holder

SILENT = 3 * MINUTE  # without a lock, a run that has written nothing for this long does not count as running
RATES = ("documents_per_second", "megabytes_per_second", "kept_percent", "seconds_left")

State = Literal["running", "finished", "killed", "stopped", "silent"]


@dataclass(frozen=True)
class FinishedStage:
    """A finished stage. `text_bytes` is the text of all documents, `kept_text_bytes` of those kept; None where a stage
    has no documents."""

    name: str
    folder: str
    units: int
    documents: int | None
    kept: int | None
    text_bytes: int | None
    kept_text_bytes: int | None
    errors: int
    lost_units: int  # units that it was sealed without
    seconds: float
    dropped: Mapping[str, int] = field(default_factory=dict)  # documents by reason, largest first


@dataclass(frozen=True)
class Status:
    """A run as its files show it.

    `holder` is the process that runs it, or ran it when it was killed. `now` is the step in progress, or the one in
    which the run ended, and `line` the same in words. `heard` is when the driver last wrote its progress (ISO 8601,
    UTC). `state` is "stopped" after an error or a signal that the run could handle, and "silent" if a run in an object
    store has written no progress for minutes. `dropped` counts documents by reason, largest first, in the commits of
    the step in progress, and `newest` those of them that had come when a `StatusReader` last saw the counts change.
    """

    run: str
    folder: str
    state: State
    holder: Holder | None
    sealed: tuple[FinishedStage, ...]
    stages: int | None  # of the recipe, if known
    now: Progress | None = None
    line: str = ""
    rates: Mapping[str, float | None] | None = None
    heard: str | None = None
    failure: str | None = None  # path of the file with the error and its traceback
    dropped: Mapping[str, int] = field(default_factory=dict)
    newest: Mapping[str, int] = field(default_factory=dict)


def status(folder: str) -> Status:
    """Raises InputError if the folder is not a run, or has another format."""
    return StatusReader(folder).read()


class StatusReader:
    """Reads the status of one run again and again, and what does not change once: the manifests of sealed stages, and
    groups of commits whose file is as large as it was.

    In a store a reading is eight requests (the lease, the progress, `run.json`, a listing of the step's commits), one
    more for each group that has changed, and two for each stage newly sealed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._sealed: dict[str, FinishedStage] = {}  # by the stage's folder
        self._commits: str | None = None  # the folder of the step's commits
        self._groups: dict[str, tuple[int, Counter[str], Counter[str]]] = {}  # the file's size, and its `_counts`
        self._dropped: Counter[str] | None = None  # before the first reading of a step that has commits
        self._newest = Counter[str]()

    def read(self) -> Status:
        """Raises InputError if the folder is not a run, or has another format."""
        folder = self._folder
        process, held = holder(folder)
        record = cast(Mapping[str, Any], find_whole(storage.join(folder, PROGRESS), ProgressRecord) or {})
        claimed = held or (held is None and process is not None)
        planning = claimed and not storage.exists(storage.join(folder, RUN))
        run = None if planning else RunFolder.open(folder)
        for stage in run.stages if run is not None else ():
            if stage.entry.folder not in self._sealed:
                self._sealed[stage.entry.folder] = _sealed(stage.manifest, stage.entry.folder)
        complete = run is not None and run.record.complete
        heard = max(filter(None, (record.get("when"), process and process.since)), default=None)
        state = _state(process, held, complete=complete, heard=heard)
        now = None if state == "finished" else self._now(record, running=state == "running")
        so_far = f"; {duration(now.seconds)} so far" if now is not None and state == "running" else ""
        return Status(
            run=run.record.name if run is not None else folder,
            folder=folder,
            state=state,
            holder=process or _holder(record),
            sealed=tuple(self._sealed[stage.entry.folder] for stage in run.stages) if run is not None else (),
            stages=record.get("stages") if not complete else len(run.stages) if run is not None else None,
            now=now,
            line="" if now is None else now.line() + so_far,
            rates=None if now is None else {name: getattr(now, name) for name in RATES},
            heard=record.get("when"),
            failure=_failure(folder, record.get("when")) if state == "stopped" else None,
            dropped=dict((self._dropped or Counter()).most_common()) if now is not None else {},
            newest=dict(self._newest.most_common()) if now is not None else {},
        )

    def _now(self, record: Mapping[str, Any], *, running: bool) -> Progress | None:
        """The recorded step, with the commits that have come since; None between two stages."""
        values = {field.name: record[field.name] for field in fields(Progress) if field.name in record}
        if not values or values["step"] == "done":
            return None
        now = Progress(**values)
        if running:
            now = replace(now, seconds=now.seconds + _seconds_since(record["when"]))
        return self._with_commits(now)

    def _with_commits(self, now: Progress) -> Progress:
        """The figures of the step's commits."""
        if now.commits != self._commits:
            self._dropped = None if self._commits is None else Counter()  # what was there before is not new
            self._newest = Counter()
            self._groups = {}
            self._commits = now.commits
        if not now.commits:
            return now
        folder = storage.join(self._folder, now.commits)
        before = self._groups
        self._groups = {}
        for name, size in storage.list_sizes(folder).items():
            if name in before and before[name][0] == size:
                self._groups[name] = before[name]
            elif name.startswith("group-"):
                with suppress(InputError):  # the run does the units of a damaged group again
                    self._groups[name] = size, *_counts(storage.join(folder, name))
        totals = sum((counts for _, counts, _ in self._groups.values()), Counter[str]())
        dropped = sum((counts for _, _, counts in self._groups.values()), Counter[str]())
        if dropped != self._dropped:
            self._newest = dropped - self._dropped if self._dropped is not None else Counter()
            self._dropped = dropped
        if totals["done"] < now.done:  # the last commits are not written yet
            return now
        figures: dict[str, Any] = {name: totals[name] for name in ("done", *_FIGURES)}
        return replace(now, **figures, errors=sum(errors_in(dropped).values()))


_FIGURES = {"documents": "rows", "kept": "kept", "text_bytes": "text_bytes"}  # of `Progress`: of `Part`


def _counts(uri: str) -> tuple[Counter[str], Counter[str]]:
    """Figures of a group's commits by their names in `Progress`, and documents dropped by reason. Raises InputError if
    the file is missing or damaged."""
    done, parts = read_parts(uri)
    sums = {name: pc.sum(pc.struct_field(parts, own)).as_py() or 0 for name, own in _FIGURES.items()}
    dropped = Counter[str]()
    for counts in pc.struct_field(parts, "dropped").to_pylist():
        dropped.update(dict(counts))
    return Counter(done=done, **sums), dropped


def not_yet(run: RunFolder) -> str:
    """Why something may be missing from a run that has not finished, and what will make it known: "not known yet:
    extract is running"; "" for a finished run."""
    if run.record.complete:
        return ""
    seen = status(run.folder)
    stage = "" if seen.now is None or seen.now.step == "sealed" else seen.now.stage
    if seen.state == "running":
        return f"not known yet: {f'{stage} is running' if stage else 'its next stage is about to begin'}"
    ended = {"killed": "was killed", "silent": "has fallen silent"}.get(seen.state, "has stopped")
    where = f" in {stage}" if stage else ""
    return f"not known yet: the run {ended}{where}, and the same winnow curate resumes it"


def _failure(folder: str, heard: str | None) -> str | None:
    """The file on the failure that ended the run, not an earlier one: the file's first line says when it was."""
    path = storage.join(folder, FAILURE)
    if not storage.exists(path):
        return None
    when = storage.read_bytes(path).decode(errors="replace").partition("\n")[0]
    return path if heard is None or when >= heard else None


def _state(process: Holder | None, held: bool | None, *, complete: bool, heard: str | None) -> State:
    if held:
        return "running"
    if complete:
        return "finished"
    if held is None:
        return "running" if heard is not None and _seconds_since(heard) < SILENT else "silent"
    return "stopped" if process is None else "killed"


def _sealed(manifest: Manifest, folder: str) -> FinishedStage:
    totals = {
        name: manifest.total("rows" if name == "documents" else name) if manifest.verb.documents else None
        for name in ("documents", "kept", "text_bytes", "kept_text_bytes")
    }
    return FinishedStage(
        name=manifest.name,
        folder=folder,
        units=manifest.shards.units,
        **totals,
        errors=sum(errors_in(manifest.merged("dropped")).values()),
        lost_units=len(manifest.shards.lost),
        seconds=manifest.wall_seconds,
        dropped=manifest.merged("dropped"),
    )


def _holder(record: Mapping[str, Any]) -> Holder | None:
    """The process that wrote the progress: a run in an object store has no lock to name it."""
    names = [field.name for field in fields(Holder)]
    return Holder(**{name: record[name] for name in names}) if all(name in record for name in names) else None


def _seconds_since(when: str) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(when)).total_seconds())
