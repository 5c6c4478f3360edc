"""Takes documents out of a run: finds them and their copies, records them, and erases them stage by stage.

`curation/account` finds, `curation/engine/erase` erases; this file joins the two. Tombstones are written first, so
the next takedown in the run, for any documents, finishes one that was cut off.
"""

import dataclasses
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from curation.account.lineage.copies import with_copies
from curation.account.lineage.look_up import find
from curation.account.lineage.removed_rows import dropped_rows, named_rows, removed_by, with_text
from curation.account.lineage.requests import Request, request_of
from curation.account.lineage.takedown import AffectedTraining, Plan, plan, plan_rows, refuse_unsealed
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.walk import merged, spread
from curation.core import storage
from curation.core.errors import InputError, StageError, UserError
from curation.core.manifest import read_run
from curation.core.run_lock import only_run
from curation.engine.erase import takedown as erasing
from curation.engine.recipe.removed import removals_of
from pipelines.report.report import REPORT, kept_in_step
from pipelines.texts_input import FOLDER as TEXTS

PathLike = str | os.PathLike[str]
Planned = tuple[Plan, dict[str, Any]]  # and what the entry in run.json says of who asked


@dataclasses.dataclass(frozen=True)
class OtherRun:
    """Asks for all that was taken down in another run, and that it knows to be taken down elsewhere."""

    folder: str


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


def asked_for(urls: PathLike | None, doc_ids: PathLike | None, other: PathLike | None) -> Request | OtherRun:
    """The request: a file of urls, one of doc_ids, or another run. Raises UserError unless just one is given."""
    if [urls, doc_ids, other].count(None) != 2:
        raise UserError("say which documents: either urls or doc_ids, a file with one per line, or another run")
    return OtherRun(os.fspath(other)) if other is not None else request_of(urls, doc_ids)


def take_down(
    folder: str, request: Request | OtherRun, trainings: Sequence[str] = (), *, when: str | None = None
) -> TakedownOutcome:
    """Takes the documents of a request, or what was taken down in another run, and their copies out of the run.
    `when`: ISO 8601, default now.

    Raises InputError, before any change, if the run has none of them or has unfinished stages.
    """
    return _take_down(folder, lambda run: _planned(run, request, trainings), when)


def preview(folder: str, request: Request | OtherRun, trainings: Sequence[str] = ()) -> TakedownOutcome:
    """What `take_down` would do. Changes nothing."""
    run = RunFolder.open_with_earlier(folder)
    return _outcome(run, _planned(run, request, trainings)[0], len(erasing.unfinished(run.folder)))[0]


def settled(folder: str, *, when: str | None = None) -> TakedownOutcome | None:
    """Takes out of a run that has ended what its removals name and its files still hold: what stages that were sealed
    before wrote, and copies. None where nothing is left of them."""
    if not read_run(folder).unsettled:
        return None

    def planned(run: RunFolder) -> Planned:
        rows = dropped_rows(run)
        if run.record.unsettled == "all":
            rows = merged(rows, named_rows(run, run.record.removals))
        rows = with_text(with_copies(run, rows).rows)
        return plan_rows(run, rows), {"of": removed_by(rows, run.record.removals)}

    outcome = _take_down(folder, planned, when)
    with only_run(storage.absolute(folder)):
        erasing.settled(folder)
    return outcome if outcome.new else None


def finish(folder: str) -> None:
    """Finishes the takedowns of the run that were cut off."""
    _take_down(folder, lambda run: (plan_rows(run, {}), {}), None)


def _take_down(folder: str, planned: Callable[[RunFolder], Planned], when: str | None) -> TakedownOutcome:
    """Finishes what was cut off, then takes the planned documents down."""
    read_run(folder)  # refuses other folders before a lock is written there
    with only_run(storage.absolute(folder)):
        run = RunFolder.open_with_earlier(folder)
        unfinished = erasing.unfinished(run.folder)
        if unfinished:
            with kept_in_step(folder, erasing=True):
                for takedown in unfinished:
                    _erase(run, takedown)
        run = RunFolder.open_with_earlier(folder)
        whole, asked_by = planned(run)
        outcome, new = _outcome(run, whole, len(unfinished))
        if not new:
            return outcome
        entry = {
            "when": when or datetime.now(UTC).isoformat(timespec="seconds"),
            **asked_by,
            "asked": whole.asked,
            "not_found": len(whole.not_found),
            "copies": whole.copies,
            "trainings": [dataclasses.asdict(training) for training in whole.trainings],
        }
        refuse_unsealed(run)
        storage.delete_folder(storage.join(run.folder, TEXTS))  # which a call that was killed may have left
        with kept_in_step(folder, erasing=True):
            started = erasing.begin(run.folder, new, whole.texts, entry, whole.urls)
            return dataclasses.replace(outcome, record=_erase(run, started))


def _planned(run: RunFolder, request: Request | OtherRun, trainings: Sequence[str]) -> Planned:
    """Raises InputError where the run has none of the documents, or unfinished stages."""
    if isinstance(request, Request):
        return plan(run, request, trainings), {"request": request.blake2b}
    refuse_unsealed(run)
    removals = removals_of(request.folder)
    rows = named_rows(run, removals)
    if not rows:
        raise InputError(f"{run.folder} has none of the documents that were taken down in {request.folder}")
    urls = tuple(dict.fromkeys(url for removal in removals for url in removal.urls))
    planned = dataclasses.replace(plan_rows(run, rows, trainings), urls=urls)
    return planned, {"of": list(dict.fromkeys(removal.of for removal in removals))}


def _outcome(run: RunFolder, planned: Plan, unfinished: int) -> tuple[TakedownOutcome, tuple[str, ...]]:
    """The outcome so far, and the doc_ids that were not taken down before.

    Token shards no longer name documents that were taken down, so their trainings come from the earlier records.
    """
    others = tuple(path for path in planned.leftovers if path != storage.join(run.folder, REPORT))  # it is made again
    planned = dataclasses.replace(planned, leftovers=others)
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
