"""The documents behind a disparity: of a group, those that the limit behind it dropped, furthest beyond it first."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.audit.groups import LANGUAGE, Grouping
from curation.account.audit.rates import GroupRate
from curation.account.redacted import Redactor
from curation.account.sealed.bounds import BOUNDS
from curation.account.sealed.rows import Bools, Ints, read
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import origin
from curation.core.composed import all_columns

DOCUMENTS = 20  # shown of a disparity
DOCUMENT = pa.schema([("value", pa.float64()), ("doc_id", pa.string()), ("url", pa.string())])
_FURTHEST = {"low": 1.0, "high": -1.0}  # sign of a signal's values that puts those furthest beyond a bound first


@dataclass(frozen=True)
class DroppedDocument:
    """A dropped document; `value` is the signal's behind its drop reason, None where a number is not the reason."""

    doc_id: str
    url: str | None
    value: float | None


@dataclass(frozen=True)
class Disparity:
    """A group that a stage drops more often than the rest, and documents that its main reason dropped."""

    stage: str
    by: str
    group: str
    reason: str
    documents: tuple[DroppedDocument, ...]


def disparity(run: RunFolder, stage: SealedStage, rate: GroupRate, grouping: Grouping) -> Disparity:
    """Reads only rows with the drop reason; `grouping` tells apart groups of the rate's kind. Ties by doc_id."""
    found = DOCUMENT.empty_table()
    for shard in stage.shards:
        if shard.part.dropped.get(rate.reason):
            rows = np.flatnonzero(
                np.asarray(pc.equal(shard.read(["drop_reason"])["drop_reason"], rate.reason).fill_null(False))
            )
            rows = rows[_belongs(run, shard, rows, rate, grouping)]
            own = pa.concat_tables([found, _documents(shard, rows, rate.reason)])
            found = own.sort_by([("value", "ascending"), ("doc_id", "ascending")]).slice(0, DOCUMENTS)
    sign = _FURTHEST.get(rate.reason.rpartition(":")[2], 1.0)
    redactor = Redactor.of(run)
    documents = (
        DroppedDocument(row["doc_id"], redactor.url(row["url"]), None if row["value"] is None else sign * row["value"])
        for row in found.to_pylist()
    )
    return Disparity(rate.stage, rate.by, rate.group, rate.reason, tuple(documents))


def _belongs(run: RunFolder, shard: SealedShard, rows: Ints, rate: GroupRate, grouping: Grouping) -> Bools:
    """bool[N]: which of the rows are in the group."""
    belong = np.zeros(len(rows), np.bool_)
    if rate.by == LANGUAGE:
        if LANGUAGE not in all_columns(shard.files).names:  # of a source that identifies none, in a joined stage
            return belong
        labels = pc.struct_field(read(shard.files, [f"{LANGUAGE}.label"], rows)[LANGUAGE], "label")
        return np.asarray(pc.equal(pc.fill_null(labels.cast(pa.string()), "(none)"), rate.group))
    for first, own in origin(run, shard, rows).items():
        described = grouping.describe(first.files, own)
        members = described.members[rate.by]
        belong[members.rows[members.groups == grouping.names[rate.by].get(rate.group, -1)]] = True
    return belong


def _documents(shard: SealedShard, rows: Ints, reason: str) -> pa.Table:
    """The rows as DOCUMENT; smaller values are further beyond the limit."""
    limit, _, side = reason.rpartition(":")
    key, _, signal = limit.partition(".")
    table = read(shard.files, ["doc_id", "url"], rows)
    values = pa.nulls(len(rows), pa.float64())
    if side in _FURTHEST and side in BOUNDS and key in all_columns(shard.files[:1]).names:
        measured = pc.struct_field(read(shard.files, [f"{key}.{signal}"], rows)[key], signal)
        values = pc.multiply(measured.cast(pa.float64()), _FURTHEST[side])
    return pa.table([values, table["doc_id"], table["url"]], schema=DOCUMENT)
