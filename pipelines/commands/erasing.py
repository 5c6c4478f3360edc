"""Takes documents out of a run: finds them and their copies, notes them, and erases them stage by stage.

Finding reads (`curation/account`), erasing writes (`curation/engine/takedown`); here the two meet. Tombstones are
written first, so that a takedown that was cut off is finished by the next one in the same run, whatever that asks for.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from curation.account.lineage.requests import Request, find
from curation.account.lineage.takedown import Plan, Trained, plan
from curation.account.run.run_graph import Branches
from curation.core import storage
from curation.core.errors import StageError
from curation.core.manifest import read_run
from curation.engine.run.lock import only_run
from curation.engine.takedown import record
from curation.engine.takedown.stages import erase


@dataclasses.dataclass(frozen=True)
class Done:
    """What a takedown came to: its plan, the documents that were not taken down before, and the entry of run.json."""

    plan: Plan
    new: int
    finished_before: int  # takedowns that had been cut off, and were finished first (of a dry run: would be)
    record: dict[str, Any] | None  # None of a dry run, and where there was nothing left to do
    trained_before: tuple[Trained, ...] = ()  # what takedowns before said of some of the documents


def take_down(run: str, request: Request, trainings: Sequence[str] = (), *, when: str | None = None) -> Done:
    """Takes the documents of a request, and their copies, out of the run. `when`: ISO 8601; now, if it is not given.

    Raises InputError, before anything is changed, where none of them is there or the run has unfinished stages.
    """
    read_run(run)  # what is no run is refused before a lock is put there
    with only_run(storage.absolute(run)):
        return _take_down(run, request, trainings, when)


def _take_down(run: str, request: Request, trainings: Sequence[str], when: str | None) -> Done:
    branches = Branches(run)
    earlier = record.unfinished(branches.folder)
    for one in earlier:
        _erase(branches, one)
    branches = Branches(run)
    found, _ = plan(branches, request, trainings)
    gone = set(branches.run.tombstones)
    new = tuple(one for one in found.documents if one not in gone)
    if not new:
        return Done(found, 0, len(earlier), None, _trained_before(branches, found))
    entry = {
        "when": when or datetime.now(UTC).isoformat(timespec="seconds"),
        "request": request.blake2b,
        "asked": found.asked,
        "not_found": len(found.not_found),
        "copies": found.copies,
        "trainings": [dataclasses.asdict(one) for one in found.trainings],
    }
    started = record.begin(branches.folder, new, found.texts, entry)
    return Done(found, len(new), len(earlier), _erase(branches, started), _trained_before(branches, found))


def look(run: str, request: Request, trainings: Sequence[str] = ()) -> Done:
    """What `take_down` would do; changes nothing."""
    branches = Branches(run)
    found, _ = plan(branches, request, trainings)
    gone = set(branches.run.tombstones)
    new, earlier = sum(one not in gone for one in found.documents), record.unfinished(branches.folder)
    return Done(found, new, len(earlier), None, _trained_before(branches, found))


def _trained_before(branches: Branches, found: Plan) -> tuple[Trained, ...]:
    """The token shards do not name them any more, so only run.json knows it."""
    entries, asked = branches.run.takedowns, set(found.documents)
    told = [entries[one.number] for one in record.takedowns(branches.run) if not asked.isdisjoint(one.documents)]
    named = (one for entry in told for one in entry["trainings"])
    return tuple(Trained(**{**one, "checkpoints": tuple(one["checkpoints"])}) for one in named)


def _erase(branches: Branches, started: record.Takedown) -> dict[str, Any]:
    """Raises StageError, and leaves the takedown to be finished by the next one, where a file cannot be changed."""
    try:
        return _erase_all(branches, started)
    except OSError as error:
        raise StageError(
            f"the takedown was cut off: {error}; its documents stay out of later runs, but are not erased: once that "
            "is mended, run the same command again"
        ) from error


def _erase_all(branches: Branches, started: record.Takedown) -> dict[str, Any]:
    """Token shards first: what they lose is counted by the texts of the stage that they were made of."""
    rows = branches.spread(find(branches, "doc_id", started.documents)[0])
    order = sorted({number for number, _ in rows}, key=lambda number: not branches.stages[number].manifest.verb.packs)
    changed = []
    for number in order:
        stage = branches.stages[number]
        shards = {shard: own for (of, shard), own in rows.items() if of == number}
        audit = erase(stage.folder, shards, started, partial(_texts, branches, number))
        if audit is not None:
            changed.append((stage.name, audit))
    return record.finish(branches.folder, started, sorted(changed, key=lambda one: one[0]))


def _texts(branches: Branches, number: int, unit: int) -> str:
    """The file that a unit of a pack stage was made of."""
    above = branches.before(number, unit)
    assert above is not None, "what is packed has been read"
    stage = branches.stages[above[0]]
    return storage.join(stage.folder, stage.manifest.parts[above[1]].file)
