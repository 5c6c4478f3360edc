"""Puts datatrove's verdicts and signals beside ours, limit by limit, and gives each difference a cause."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.parity.causes import Case, cause
from benchmarks.parity.ours import Judged
from benchmarks.parity.pairs import Limit, Pair

TOLERANCE = 1e-6
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Difference:
    """One document on which a limit's signal, or a rule set's verdict, is not the same on both sides."""

    name: str
    doc_id: str
    url: str
    datatrove: str
    ours: str
    verdicts_differ: bool
    cause: str


@dataclass(frozen=True)
class Agreement:
    """Of one limit, of a whole rule set or of the texts that are left; counts are of documents."""

    name: str
    documents: int
    dropped_by_datatrove: int
    dropped_by_us: int
    dropped_by_either: int
    disagreements: int
    largest_difference: float | None = None  # of a limit's signal
    differences: tuple[Difference, ...] = field(default=(), repr=False)

    @property
    def same_verdict(self) -> float:
        return 1 - self.disagreements / self.documents if self.documents else 1.0

    @property
    def share_of_dropped(self) -> float:
        return self.disagreements / self.dropped_by_either if self.dropped_by_either else 0.0


@dataclass(frozen=True)
class Sides:
    """What both sides say of N documents: which they drop, where verdicts differ, and what is shown of each."""

    name: str
    theirs: Mask
    ours: Mask
    differ: Mask
    says: tuple[Sequence[object], Sequence[object]]
    measured: Mask | None = None  # documents that count; None: all
    distance: npt.NDArray[np.float64] | None = None  # of the signals


def compare(name: str, pair: Pair, texts: pa.Table, theirs: pa.Table, ours: Judged) -> list[Agreement]:
    """The rule set's own line first, then one per limit, then that of the texts; differences by document."""
    their_reasons = theirs.column(f"{name}/reason").combine_chunks()
    dropped = _mask(pc.is_valid(their_reasons)), _mask(pc.is_valid(ours.reasons))
    says = their_reasons.to_pylist(), ours.reasons.to_pylist()
    compared = [Sides(name, *dropped, dropped[0] != dropped[1], says)]
    compared += [_limit(name, limit, theirs, ours) for limit in pair.limits]
    if ours.text is not None:
        compared.append(_texts(name, texts, theirs, ours.text))
    return [_agreement(sides, texts, ours) for sides in compared]


def _limit(name: str, limit: Limit, theirs: pa.Table, ours: Judged) -> Sides:
    column = f"{name}/{limit.signal}"
    signal = theirs.column(column) if column in theirs.column_names else pa.nulls(len(theirs), pa.float64())
    their, our = (
        np.asarray(pc.fill_null(values.cast(pa.float64()), np.nan), np.float64)
        for values in (signal, ours.signals[limit.signal])
    )
    measured = ~np.isnan(their)
    beyond = measured & (their < limit.value if limit.side == "low" else their > limit.value)
    our_beyond = measured & _mask(ours.breaks(limit.signal, limit.side))
    distance = np.where(measured, np.abs(their - our), 0.0)
    says = tuple([f"{value:.9g}" for value in values] for values in (their, our))
    return Sides(
        f"{name}.{limit.signal}:{limit.side}", beyond, our_beyond, beyond != our_beyond, says, measured, distance
    )


def _texts(name: str, texts: pa.Table, theirs: pa.Table, ours: pa.Array) -> Sides:
    """Whether both sides leave the same text; here, a document counts as dropped if its text has changed."""
    before = texts.column("text").combine_chunks()
    left = [text.cast(before.type) for text in (theirs.column(f"{name}/text").combine_chunks(), ours)]
    changed = (_mask(pc.fill_null(pc.not_equal(text, before), True)) for text in left)
    same = _mask(pc.fill_null(pc.equal(*left), False))
    parted = [_where_they_part(*pair) for pair in zip(*(text.to_pylist() for text in left), strict=True)]
    return Sides(f"{name}: text that is left", *changed, ~same, tuple(zip(*parted, strict=True)))


def _where_they_part(their: str, our: str) -> tuple[str, str]:
    at = next((i for i, (a, b) in enumerate(zip(their, our, strict=False)) if a != b), min(len(their), len(our)))
    return repr(their[max(0, at - 15) : at + 25]), repr(our[max(0, at - 15) : at + 25])


def _agreement(sides: Sides, texts: pa.Table, ours: Judged) -> Agreement:
    far = np.zeros_like(sides.differ) if sides.distance is None else sides.distance > TOLERANCE
    return Agreement(
        sides.name,
        documents=len(texts) if sides.measured is None else int(sides.measured.sum()),
        dropped_by_datatrove=int(sides.theirs.sum()),
        dropped_by_us=int(sides.ours.sum()),
        dropped_by_either=int((sides.theirs | sides.ours).sum()),
        disagreements=int(sides.differ.sum()),
        largest_difference=None if sides.distance is None else float(sides.distance.max(initial=0.0)),
        differences=tuple(_differences(sides, np.flatnonzero(sides.differ | far).tolist(), texts, ours)),
    )


def _differences(sides: Sides, rows: list[int], texts: pa.Table, ours: Judged) -> Iterator[Difference]:
    for row in rows:
        text, url = (texts.column(column)[row].as_py() or "" for column in ("text", "url"))
        says = sides.says[0][row], sides.says[1][row]
        signals = {signal: values[row].as_py() for signal, values in ours.signals.items()}
        why = cause(Case(sides.name, text, url, *says, signals))
        doc_id = texts.column("doc_id")[row].as_py()
        yield Difference(sides.name, doc_id, url, str(says[0]), str(says[1]), bool(sides.differ[row]), why)


def _mask(values: pa.Array) -> Mask:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.bool_)


def causes_of(line: Agreement) -> list[tuple[str, int, int]]:
    """(cause, differences, of which verdicts), the most frequent cause first."""
    every = Counter(one.cause for one in line.differences)
    verdicts = Counter(one.cause for one in line.differences if one.verdicts_differ)
    ordered = sorted(every.items(), key=lambda item: (-item[1], item[0]))
    return [(why, total, verdicts[why]) for why, total in ordered]
