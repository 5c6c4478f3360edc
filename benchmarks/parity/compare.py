"""Puts datatrove's verdicts and signals beside ours, limit by limit, and gives each difference a cause."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.parity.causes import Case, cause
from benchmarks.parity.limits import Limit, limits_of
from benchmarks.parity.ours import Judged

TOLERANCE = 1e-6
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Agreement:
    """Of one limit, or of a whole rule set (then the signal's figures are None)."""

    name: str
    documents: int
    dropped_by_datatrove: int
    dropped_by_us: int
    dropped_by_either: int
    disagreements: int
    largest_difference: float | None = None
    signals_that_differ: int | None = None  # by more than TOLERANCE

    @property
    def is_rule_set(self) -> bool:
        return "." not in self.name and ":" not in self.name

    @property
    def same_verdict(self) -> float:
        return 1 - self.disagreements / self.documents if self.documents else 1.0

    @property
    def share_of_dropped(self) -> float:
        return self.disagreements / self.dropped_by_either if self.dropped_by_either else 0.0


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


def compare(name: str, texts: pa.Table, theirs: pa.Table, ours: Judged) -> tuple[list[Agreement], list[Difference]]:
    """The rule set's own line first, then one per limit; differences in the order of the documents."""
    their_reasons = theirs.column(f"{name}/reason").combine_chunks()
    dropped = _mask(pc.is_valid(their_reasons)), _mask(pc.is_valid(ours.reasons))
    lines = [_agreement(name, *dropped)]
    differences = [
        _difference(name, texts, row, (their_reasons[row].as_py(), ours.reasons[row].as_py()), ours, verdict=True)
        for row in _rows(dropped[0] != dropped[1])
    ]
    for limit in limits_of(name):
        line, more = _limit(limit, texts, theirs, ours)
        lines.append(line)
        differences += more
    if ours.text is not None:
        line, more = _texts(name, texts, theirs, ours)
        lines.append(line)
        differences += more
    return lines, differences


def _limit(limit: Limit, texts: pa.Table, theirs: pa.Table, ours: Judged) -> tuple[Agreement, list[Difference]]:
    column = f"{limit.filter}/{limit.signal}"
    signal = theirs.column(column) if column in theirs.column_names else pa.nulls(len(texts), pa.float64())
    their = np.asarray(signal.cast(pa.float64()).fill_null(np.nan), np.float64)
    our = np.asarray(pc.fill_null(ours.signals[limit.signal].cast(pa.float64()), np.nan), np.float64)
    their_breaks = their < limit.value if limit.side == "low" else their > limit.value
    our_breaks = _mask(ours.breaks(limit.signal, limit.side))
    measured = ~np.isnan(their)
    difference = np.where(measured, np.abs(their - our), 0.0)
    verdict = measured & (their_breaks != our_breaks)
    rows = _rows(verdict | (difference > TOLERANCE))
    line = replace(
        _agreement(limit.name, their_breaks[measured], our_breaks[measured]),
        largest_difference=float(difference.max(initial=0.0)),
        signals_that_differ=int((difference > TOLERANCE).sum()),
    )
    return line, [
        _difference(limit.name, texts, row, (f"{their[row]:.9g}", f"{our[row]:.9g}"), ours, verdict=bool(verdict[row]))
        for row in rows
    ]


def _texts(name: str, texts: pa.Table, theirs: pa.Table, ours: Judged) -> tuple[Agreement, list[Difference]]:
    """Whether both sides leave the same text; here, a document counts as dropped if its text has changed."""
    assert ours.text is not None
    left = theirs.column(f"{name}/text").combine_chunks()
    before = texts.column("text").combine_chunks()
    changed = [_mask(pc.fill_null(pc.not_equal(text.cast(before.type), before), True)) for text in (left, ours.text)]
    same = _mask(pc.fill_null(pc.equal(left.cast(before.type), ours.text.cast(before.type)), False))
    rows = _rows(~same)
    line = replace(_agreement(f"{name}: text that is left", *changed), disagreements=len(rows))
    differences = []
    for row in rows:
        excerpts = _where_they_part(left[row].as_py(), ours.text[row].as_py())
        differences.append(_difference(line.name, texts, row, excerpts, ours, verdict=True))
    return line, differences


def _where_they_part(their: str, our: str) -> tuple[str, str]:
    at = next((i for i, (a, b) in enumerate(zip(their, our, strict=False)) if a != b), min(len(their), len(our)))
    return repr(their[max(0, at - 15) : at + 25]), repr(our[max(0, at - 15) : at + 25])


def _agreement(name: str, theirs: Mask, ours: Mask) -> Agreement:
    return Agreement(
        name,
        documents=len(theirs),
        dropped_by_datatrove=int(theirs.sum()),
        dropped_by_us=int(ours.sum()),
        dropped_by_either=int((theirs | ours).sum()),
        disagreements=int((theirs != ours).sum()),
    )


def _difference(
    name: str, texts: pa.Table, row: int, says: tuple[str | None, str | None], ours: Judged, *, verdict: bool
) -> Difference:
    text, url = (texts.column(column)[row].as_py() or "" for column in ("text", "url"))
    why = cause(Case(name, text, url, *says, {signal: values[row].as_py() for signal, values in ours.signals.items()}))
    return Difference(name, texts.column("doc_id")[row].as_py(), url, str(says[0]), str(says[1]), verdict, why)


def _rows(mask: Mask) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _mask(values: pa.Array) -> Mask:
    return np.asarray(values.to_numpy(zero_copy_only=False), np.bool_)


def causes_of(differences: Sequence[Difference]) -> list[tuple[str, str, int, int]]:
    """(limit, cause, differences, of which verdicts), most frequent cause first within each limit."""
    counts: dict[tuple[str, str], list[int]] = {}
    for difference in differences:
        entry = counts.setdefault((difference.name, difference.cause), [0, 0])
        entry[0] += 1
        entry[1] += difference.verdicts_differ
    order = list(dict.fromkeys(difference.name for difference in differences))
    return sorted(
        ((name, why, total, verdicts) for (name, why), (total, verdicts) in counts.items()),
        key=lambda line: (order.index(line[0]), -line[2], line[1]),
    )
