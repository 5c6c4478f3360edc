"""The documents of a step whose loss jumped, with what each stage measured of them, the odd ones first.

A document is as odd as its oddest signal: how far that lies from the median among the documents of the steps before, in
units of their spread (1.4826 times the median absolute deviation). Only numbers count; a signal that was the same for
at least half of the documents has no spread, and is left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from curation.account.lineage.look_up import find
from curation.account.lineage.trace import Trace, trace, trace_positions
from curation.account.lineage.trainings import open_training
from curation.account.lineage.why import story_of
from curation.account.sealed.run_folder import RunFolder
from curation.tokens.step_rows import read_skipped

BESIDE = 4  # steps before, whose documents are compared with
NORMAL = 1.4826
Signals = Mapping[str, float]


@dataclass(frozen=True)
class Suspect:
    """`signals`: its numbers by "stage.signal"; the oddest is `oddest`, so many deviations from the others."""

    doc_id: str
    url: str | None
    source: str
    tokens: int
    signals: Signals
    oddest: str | None
    deviations: float


@dataclass(frozen=True)
class Blame:
    """`step` from 0; `skipped`: whether its rows are left out now, and are those that it read before."""

    training: str
    step: int
    skipped: bool
    documents: tuple[Suspect, ...]


def blame(folder: str, step: int, *, data: str | None = None) -> Blame:
    """Of a training's folder. A step at which rows were left out is asked for those.

    Raises InputError if it is not a training run, its data is missing, or it has no such step.
    """
    window = next((window for window in read_skipped(folder) if window.step == step), None)
    if window:
        read = trace_positions(folder, step, range(window.position, window.position + window.rows), data=data)
    else:
        read = trace(folder, step, data=data)
    before = [trace(folder, other, data=data) for other in range(max(0, step - BESIDE), step)]
    documents = _documents(read)
    run = RunFolder.open(open_training(folder, data=data).tokens.folder)
    signals = dict(_signals(run, [*documents, *(doc_id for other in before for doc_id in _documents(other))]))
    limits = _limits([own for doc_id, own in signals.items() if doc_id not in documents])
    suspects = [_suspect(facts, signals.get(doc_id, {}), limits) for doc_id, facts in documents.items()]
    suspects.sort(key=lambda suspect: (-suspect.deviations, suspect.doc_id))
    return Blame(read.training, step, window is not None, tuple(suspects))


def _documents(read: Trace) -> dict[str, dict[str, Any]]:
    """By doc_id: its segments' facts, with the tokens of all of them."""
    documents: dict[str, dict[str, Any]] = {}
    for segment in read.segments:
        known = documents.setdefault(segment["doc_id"], {**segment, "length": 0})
        known["length"] += segment["length"]
    return documents


def _signals(run: RunFolder, doc_ids: Sequence[str]) -> Iterator[tuple[str, Signals]]:
    rows, _ = find(run, "doc_id", sorted(set(doc_ids)))
    for shard, own in rows.items():
        for row in own.tolist():
            story = story_of(run, shard, row)
            numbers: dict[str, float] = {}
            for decision in story.decisions:
                numbers |= dict(_numbers(decision.values, decision.stage))
            yield story.doc_id, numbers


def _numbers(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{prefix}.{name}")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{prefix}.{name}", float(value)


def _limits(others: Sequence[Signals]) -> dict[str, tuple[float, float]]:
    """Median and spread of each signal that has a spread."""
    by_name = defaultdict[str, list[float]](list)
    for signals in others:
        for name, value in signals.items():
            by_name[name].append(value)
    limits = {}
    for name, values in by_name.items():
        middle = median(values)
        spread = NORMAL * median(abs(value - middle) for value in values)
        if spread > 0:
            limits[name] = middle, spread
    return limits


def _suspect(facts: Mapping[str, Any], signals: Signals, limits: Mapping[str, tuple[float, float]]) -> Suspect:
    odd = {name: abs(signals[name] - middle) / spread for name, (middle, spread) in limits.items() if name in signals}
    oddest = max(odd, key=odd.__getitem__, default=None)
    return Suspect(
        facts["doc_id"],
        facts["url"],
        facts["source"],
        facts["length"],
        signals,
        oddest,
        odd[oddest] if oddest else 0.0,
    )
