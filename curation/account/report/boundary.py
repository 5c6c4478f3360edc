"""Chooses documents of a stage to look at: for each limit those just outside, just inside and far outside, and some of
each other drop reason. No document is chosen twice.

Each limit gets its nearest documents before any limit gets a second one, so that where there is room for few, all
limits are shown. N = rows of the table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.rows import Ints
from curation.account.tune.limits import Bounds, bound_for

Names = npt.NDArray[np.str_]
Floats = npt.NDArray[np.float64]
ROUNDS = ("outside", "inside", "outside", "inside", "far")  # of a limit
EACH = 4  # of a reason that is no limit
NEAREST = 100  # candidates of a limit, since other limits may have taken the nearest


@dataclass(frozen=True)
class Chosen:
    """A row of the table: `reason` is the limit that it is "outside", "inside" or "far" outside of, or that other
    reason for which it was "dropped"."""

    row: int
    place: str
    reason: str


def chosen(
    table: pa.Table, reasons: Sequence[str], bounds: Mapping[str, Bounds], most: int, shown: set[str]
) -> list[Chosen]:
    """At most so many, by reason in the order of `reasons`, then by place; none whose id is in `shown`, to which theirs
    are added. The table has doc_id, drop_reason, language, and the limited signals by name."""
    ids = np.asarray(table["doc_id"]).astype(str)
    queues = {reason: _candidates(table, ids, reason, bounds.get(reason)) for reason in reasons}
    found = list[Chosen]()
    for number, place in enumerate(ROUNDS):
        for reason, by_place in queues.items():
            place_here = place if "dropped" not in by_place else "dropped" if number < EACH else ""
            row = next((row for row in by_place.get(place_here, ()) if ids[row] not in shown), None)
            if row is not None and len(found) < most:
                shown.add(str(ids[row]))
                found.append(Chosen(row, place_here, reason))
    order = {reason: number for number, reason in enumerate(reasons)}
    return sorted(found, key=lambda one: (order[one.reason], ROUNDS.index(one.place) if one.place in ROUNDS else 0))


def _candidates(table: pa.Table, ids: Names, reason: str, bounds: Bounds | None) -> dict[str, Iterator[int]]:
    """Rows by place, the best first; each is tried once."""
    dropped = np.flatnonzero(np.asarray(pc.fill_null(pc.equal(table["drop_reason"], reason), False)))
    signal, _, side = reason.rpartition(":")
    if bounds is None or signal not in table.column_names or not _numeric(table[signal].type):
        return {"dropped": iter(dropped[np.argsort(ids[dropped])][:NEAREST].tolist())}
    within = _within(table, signal, side, bounds)
    kept = np.flatnonzero(np.asarray(table["drop_reason"].is_null()) & (within >= 0))
    outside = dropped[np.isfinite(within[dropped])]
    order = outside[np.lexsort((ids[outside], -within[outside]))]
    return {
        "outside": iter(order[:NEAREST].tolist()),
        "inside": iter(_nearest(kept, within, ids)),
        "far": iter(order[:1:-1][:NEAREST].tolist()),
    }


def _nearest(rows: Ints, within: Floats, ids: Names) -> list[int]:
    if len(rows) > NEAREST:
        bound = np.partition(within[rows], NEAREST)[NEAREST]
        rows = rows[within[rows] <= bound]
    nearest: list[int] = rows[np.lexsort((ids[rows], within[rows]))][:NEAREST].tolist()
    return nearest


def _within(table: pa.Table, signal: str, side: str, bounds: Bounds) -> Floats:
    """float64[N]: how far inside the limit of its language each value is, negative outside; NaN without a value or a
    limit."""
    languages = table["language"].combine_chunks().dictionary_encode()
    own = [bound_for(bounds, name) for name in languages.dictionary.to_pylist()]
    codes = np.asarray(pc.fill_null(languages.indices, len(own)))
    limits = np.array([*own, bound_for(bounds, None)], np.float64)[codes]
    values = np.asarray(table[signal].cast(pa.float64()).to_numpy(), np.float64)
    within: Floats = values - limits if side == "low" else limits - values
    return within


def _numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
