"""How far a run is, read from its files: by any process, while the run is going on or after it was killed."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.commits import read_parts
from curation.core.errors import InputError
from curation.core.lease import Holder
from curation.core.manifest import RUN, Manifest, read_json
from curation.core.progress import FAILURE, MINUTE, PROGRESS, Progress
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


@dataclass(frozen=True)
class Status:
    """A run as its files show it.

    `holder` is the process that runs it, or ran it when it was killed. `now` is the step in progress, or the one in
    which the run ended, and `line` the same in words. `heard` is when the driver last wrote its progress (ISO 8601,
    UTC). `state` is "stopped" after an error or a signal that the run could handle, and "silent" if a run in an object
    store has written no progress for minutes.
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


def status(folder: str) -> Status:
    """Raises InputError if the folder is not a run, or has another format."""
    process, held = holder(folder)
    record = read_json(storage.join(folder, PROGRESS)) or {}
    planning = bool(held) and not storage.exists(storage.join(folder, RUN))
    run = None if planning else RunFolder.open(folder)
    complete = run is not None and run.record.complete
    state = _state(process, held, complete=complete, heard=record.get("when"))
    now = None if state == "finished" else _now(folder, record, running=state == "running")
    return Status(
        run=run.record.name if run is not None else folder,
        folder=folder,
        state=state,
        holder=process or _holder(record),
        sealed=tuple(_sealed(stage.manifest, stage.entry.folder) for stage in run.stages) if run is not None else (),
        stages=record.get("stages") if not complete else len(run.stages) if run is not None else None,
        now=now,
        line="" if now is None else now.line(),
        rates=None if now is None else {name: getattr(now, name) for name in RATES},
        heard=record.get("when"),
        failure=_failure(folder, record.get("when")) if state == "stopped" else None,
    )


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
    )


def _now(folder: str, record: Mapping[str, Any], *, running: bool) -> Progress | None:
    """The recorded step, with the commits that have come since; None between two stages."""
    values = {field.name: record[field.name] for field in fields(Progress) if field.name in record}
    if not values or values["step"] == "done":
        return None
    now = Progress(**values)
    if running:
        now = replace(now, seconds=now.seconds + _seconds_since(record["when"]))
    return _with_commits(now, storage.join(folder, now.commits)) if now.commits else now


def _with_commits(now: Progress, commits: str) -> Progress:
    """The figures of the step's commits."""
    units = documents = kept = text_bytes = errors = 0
    for name in storage.list_names(commits):
        if name.startswith("group-"):
            with suppress(InputError):  # the run does the units of a damaged group again
                count, parts = read_parts(storage.join(commits, name))
                units += count
                documents, kept, text_bytes = (
                    before + (pc.sum(pc.struct_field(parts, own)).as_py() or 0)
                    for before, own in ((documents, "rows"), (kept, "kept"), (text_bytes, "text_bytes"))
                )
                errors += _errors(pc.struct_field(parts, "dropped"))
    if units < now.done:  # the last commits are not written yet
        return now
    return replace(now, done=units, documents=documents, kept=kept, text_bytes=text_bytes, errors=errors)


def _errors(dropped: pa.MapArray) -> int:
    """Documents dropped as `error.*`; `dropped` maps reasons to counts, for each part."""
    failed = pc.starts_with(dropped.keys, "error.")
    return pc.sum(dropped.items.filter(failed)).as_py() or 0


def _holder(record: Mapping[str, Any]) -> Holder | None:
    """The process that wrote the progress: a run in an object store has no lock to name it."""
    names = [field.name for field in fields(Holder)]
    return Holder(**{name: record[name] for name in names}) if all(name in record for name in names) else None


def _seconds_since(when: str) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(when)).total_seconds())
