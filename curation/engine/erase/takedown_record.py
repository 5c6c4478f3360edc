"""Records takedowns in `run.json`: the tombstones first, so that the documents stay out whatever happens afterwards.

An entry of `takedowns` has `when` (ISO 8601, UTC), `request` (BLAKE2b-256 of the file that asked), `tombstones` and
`texts` (how many of the run's `tombstones` and `taken_texts` are its own), what was known before anything was changed,
and `finished`; once that is true also `rows`, `files` and `stages` (folders) that were changed. Who asked is not
recorded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from curation.core import storage
from curation.core.manifest import RUN, RunRecord, read_run, replace_json


@dataclass(frozen=True)
class Takedown:
    """One takedown of a run: its number there, when it was asked for, and its own doc_ids."""

    number: int
    when: str
    documents: tuple[str, ...]


def begin(folder: str, documents: Sequence[str], texts: Sequence[str], entry: dict[str, Any]) -> Takedown:
    """Adds the tombstones, the hashes of their `texts` and the entry (with `when` and `request`) to run.json."""
    run = read_run(folder)
    known = set(run.taken_texts)
    new = [text for text in dict.fromkeys(texts) if text not in known]
    entry = {**entry, "tombstones": len(documents), "texts": len(new), "finished": False}
    run = replace(
        run,
        tombstones=(*run.tombstones, *documents),
        taken_texts=(*run.taken_texts, *new),
        takedowns=(*run.takedowns, entry),
    )
    _write(folder, run)
    return takedowns(run)[-1]


def unfinished(folder: str) -> list[Takedown]:
    """The takedowns that were cut off."""
    run = read_run(folder)
    return [takedown for takedown in takedowns(run) if not run.takedowns[takedown.number]["finished"]]


def finish(folder: str, takedown: Takedown, changed: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Ends the entry and returns it; `changed` are stages' folder names, each with what its manifest's audit says."""
    run = read_run(folder)
    entry = {
        **run.takedowns[takedown.number],
        "finished": True,
        "rows": sum(audit["rows"] for _, audit in changed),
        "files": sum(len(audit["files"]) for _, audit in changed),
        "stages": [name for name, _ in changed],
    }
    entries = list(run.takedowns)
    entries[takedown.number] = entry
    _write(folder, replace(run, takedowns=tuple(entries)))
    return entry


def takedowns(run: RunRecord) -> list[Takedown]:
    """All takedowns of the run, in order."""
    bounds = pairwise(accumulate((entry["tombstones"] for entry in run.takedowns), initial=0))
    return [
        Takedown(number, entry["when"], run.tombstones[start:end])
        for number, (entry, (start, end)) in enumerate(zip(run.takedowns, bounds, strict=True))
    ]


def _write(folder: str, run: RunRecord) -> None:
    replace_json(storage.join(folder, RUN), run)
