"""Takes documents out of a run: finds them and their copies, records them, and erases them stage by stage.

`curation/account` finds, `curation/engine/erase` erases; this file joins the two. Tombstones are written first, so
the next takedown in the run, for any documents, finishes one that was cut off.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from curation.account.lineage.look_up import find
from curation.account.lineage.requests import Request
from curation.account.lineage.takedown import AffectedTraining, Plan, plan
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.walk import spread
from curation.core import storage
from curation.core.errors import StageError
from curation.core.manifest import read_run
from curation.core.run_lock import only_run
from curation.engine.erase import takedown as erasing
from pipelines.report.report import kept_in_step


@dataclasses.dataclass(frozen=True)
class TakedownOutcome:
    """The outcome of a takedown: its plan, the number of `new` documents, and its entry in run.json."""

    plan: Plan
    new: int
    finished_before: int  # interrupted takedowns that were finished first (in a dry run: would be)
    record: dict[str, Any] | None  # None in a dry run, and if there was nothing to do
    trained_before: tuple[
        AffectedTraining, ...
    ] = ()  # trainings that earlier takedowns recorded for some of the documents


def take_down(
    folder: str, request: Request, trainings: Sequence[str] = (), *, when: str | None = None
) -> TakedownOutcome:
    """Takes the documents of a request and their copies out of the run. `when`: ISO 8601, default now.

    Raises InputError, before any change, if the run has none of them or has unfinished stages.
    """
    read_run(folder)  # refuses other folders before a lock is written there
    with only_run(storage.absolute(folder)):
        run = RunFolder.open_with_earlier(folder)
        unfinished = erasing.unfinished(run.folder)
        if unfinished:
            with kept_in_step(folder, erasing=True):
                for takedown in unfinished:
                    _erase(run, takedown)
        run = RunFolder.open_with_earlier(folder)
        outcome, new = _planned(run, request, trainings, len(unfinished))
        if not new:
            return outcome
        planned = outcome.plan
        entry = {
            "when": when or datetime.now(UTC).isoformat(timespec="seconds"),
            "request": request.blake2b,
            "asked": planned.asked,
            "not_found": len(planned.not_found),
            "copies": planned.copies,
            "trainings": [dataclasses.asdict(training) for training in planned.trainings],
        }
        with kept_in_step(folder, erasing=True):
            started = erasing.begin(run.folder, new, planned.texts, entry)
            return dataclasses.replace(outcome, record=_erase(run, started))


def preview(folder: str, request: Request, trainings: Sequence[str] = ()) -> TakedownOutcome:
    """What `take_down` would do. Changes nothing."""
    run = RunFolder.open_with_earlier(folder)
    return _planned(run, request, trainings, len(erasing.unfinished(run.folder)))[0]


def _planned(
    run: RunFolder, request: Request, trainings: Sequence[str], unfinished: int
) -> tuple[TakedownOutcome, tuple[str, ...]]:
    """The outcome so far, and the doc_ids that were not taken down before.

    Token shards no longer name documents that were taken down, so their trainings come from the earlier records.
    """
    planned = plan(run, request, trainings)
    tombstones = set(run.record.tombstones)
    documents = set(planned.documents)
    entries = run.record.takedowns
    new = tuple(doc_id for doc_id in planned.documents if doc_id not in tombstones)
    takedowns = erasing.takedowns(run.record)
    earlier = [entries[takedown.number] for takedown in takedowns if not documents.isdisjoint(takedown.documents)]
    recorded = (training for entry in earlier for training in entry["trainings"])
    trained = tuple(
        AffectedTraining(**{**training, "checkpoints": tuple(training["checkpoints"])}) for training in recorded
    )
    return TakedownOutcome(planned, len(new), unfinished, None, trained), new


def _erase(run: RunFolder, started: erasing.Takedown) -> dict[str, Any]:
    """Erases the last stages first: what their counts lose is known from texts that the stages before still have.

    Raises StageError if a file cannot be changed; the next takedown then finishes this one.
    """
    changed = {}
    try:
        rows = spread(run, find(run, "doc_id", started.documents)[0])
        stages = {shard.stage for shard in rows}
        for stage in sorted(stages, key=lambda stage: (-stage.shard_files.depth, stage.folder)):
            shards = {shard.number: own for shard, own in rows.items() if shard.stage is stage}
            audit = erasing.erase(stage.folder, shards, started)
            if audit is not None:
                changed[stage.entry.folder] = audit
        return erasing.finish(run.folder, started, sorted(changed.items()))
    except OSError as error:
        raise StageError(
            f"the takedown was cut off: {error}; its documents stay out of later runs but are not all erased: fix the "
            "cause, then run the same command again"
        ) from error
