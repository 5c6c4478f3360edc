"""The curves of a training, read from its metrics.jsonl on a disk or in a store, while it runs or later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from curation.core import storage
from curation.core.errors import InputError
from training.metrics.records import Record, read_records

# A curve -> the kind of records that it is of, and their field.
CURVES = {
    "loss": ("step", "loss"),
    "validation_loss": ("validation", "loss"),
    "learning_rate": ("step", "learning_rate"),
    "gradient_norm": ("step", "gradient_norm"),
    "tokens_per_second": ("step", "tokens_per_second"),
}

DESCENT = 0.05  # of a curve's records


@dataclass(frozen=True)
class Curve:
    """One figure of a run over its finished updates; both have as many entries, and none where nothing was recorded."""

    steps: tuple[int, ...]
    values: tuple[float, ...]

    def highest(self) -> float:
        """The highest value behind the first records, whose steep descent would hide all that follows."""
        return max(self.values[int(len(self.values) * DESCENT) :])


@dataclass(frozen=True)
class BranchPoint:
    """The update after which a branch goes on from another run."""

    step: int
    run: str  # whose folder has the records before
    drawn: bool  # whether they are in the curves; else they are gone, or nothing was recorded


@dataclass(frozen=True)
class TrainingCurves:
    """The curves of one run; of a branch also the updates of other runs before it, the earliest first."""

    run: str  # its folder
    curves: Mapping[str, Curve]  # all of CURVES
    resumed: tuple[int, ...]  # updates after which it was resumed
    tokens: int | None = None  # that its finished updates read, padding included
    branched: tuple[BranchPoint, ...] = ()

    @property
    def updates(self) -> int:
        """Those that are finished, as far as they were recorded."""
        return self.curves["loss"].steps[-1]


def read_curves(run: str) -> TrainingCurves:
    """The curves of the training in a folder. Raises InputError if there is none, or it has no record of an update."""
    path = storage.join(run, "metrics.jsonl")
    if not storage.exists(path):
        raise InputError(f"{run} is no training: it has no metrics.jsonl; give the --output of a `winnow train`")
    records, branched = _with_parents(run)
    curves = {name: _curve(records, kind, field) for name, (kind, field) in CURVES.items()}
    if not curves["loss"].steps:
        raise InputError(f"{path} has no record of an update yet; the first comes after the config's log_every updates")
    resumed = tuple(record["step"] for record in records if record["kind"] == "resume")
    tokens = [record["tokens"] for record in records if record["kind"] == "step" and "tokens" in record]
    return TrainingCurves(run, curves, resumed, tokens[-1] if tokens else None, branched)


def _with_parents(run: str, end: float = inf) -> tuple[list[Record], tuple[BranchPoint, ...]]:
    """The records of a run, behind those of the runs that it branched off before update `end`."""
    path = storage.join(run, "metrics.jsonl")
    records = read_records(path) if storage.exists(path) else []
    for record in records:
        if missing := [field for kind, field in CURVES.values() if kind == record["kind"] and field not in record]:
            raise InputError(f"{path} has a record of step {record['step']:,} without {missing[0]}; delete its line")
    begun = next((record for record in records if record["kind"] == "branch"), None)
    if begun is None or begun["step"] >= end:
        return records, ()
    earlier, branched = _with_parents(begun["run"], begun["step"])
    before = [record for record in earlier if record["step"] <= begun["step"]]
    return [*before, *records], (*branched, BranchPoint(begun["step"], begun["run"], bool(before)))


def _curve(records: Sequence[Record], kind: str, field: str) -> Curve:
    chosen = [record for record in records if record["kind"] == kind]
    return Curve(tuple(record["step"] for record in chosen), tuple(float(record[field]) for record in chosen))
