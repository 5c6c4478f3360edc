"""Documents of each stage to look at: kept ones, those that each limit dropped, near it and far from it, and what
rewriters changed. At most so many of each, chosen by their ids, so that the same run shows the same ones.

Texts are shown from their beginning, or from shortly before the first change, and redacted as the recipe says: whole
first, then cut, so that no value is cut in two and shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.card.stage_facts import redacting
from curation.account.redacted import Redactor
from curation.account.report.changes import Segment, changes, placeholders
from curation.account.report.sampling import sampled
from curation.account.sealed.bounds import recorded
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.tune.limits import bound_for, bounds_by_limit
from curation.account.tune.signals import has_language, labels_of
from curation.core.by_language import LANGUAGE

EACH = 2  # documents of a reason, near its limit; and as many far from it
KEPT = 3  # of a stage
CHANGED = 6  # of a rewriter
REASONS = 40  # of a stage, the largest
SHARDS = 8  # of a stage, in which documents are sought
CHARACTERS = 1500  # of a text that is shown
READ = 8 * CHARACTERS  # of a text, before it is redacted
LONGEST = 100_000  # characters of a text whose changes are sought


@dataclass(frozen=True)
class SampledDocument:
    """A document after a stage. `place`: "kept", "near" or "far" of the limit that dropped it, "dropped" for a reason
    that is no limit, or "changed". `segments` are its text in order; `values` the figures of each component so
    far, without zeros but for the component that dropped it."""

    doc_id: str
    url: str | None
    source: str
    place: str
    reason: str | None
    segments: tuple[Segment, ...]
    cut: bool  # whether its text goes on
    values: dict[str, dict[str, Any]]


def sampled_documents(run: RunFolder, stage: SealedStage, redactor: Redactor, most: int) -> tuple[SampledDocument, ...]:
    """Of a stage of documents, at most so many: those it dropped, by reason, the largest first, then kept ones or
    changed ones, for which there is room in any case."""
    shards = sampled(stage, SHARDS)
    if not shards:
        return ()
    table = _narrow(stage, shards)
    if stage.verb.edits:
        last = list(islice(_changed(run, stage, shards[len(shards) // 2], redactor), most))
    else:
        last = [_document(shards, table, redactor, *one) for one in islice(_kept(table), most)]
    dropped = islice(_dropped(stage, table), most - len(last))
    return (*(_document(shards, table, redactor, *one) for one in dropped), *last)


def _narrow(stage: SealedStage, shards: list[SealedShard]) -> pa.Table:
    """doc_id, drop_reason, language, shard, row, and the signals of the stage's limits by name."""
    schema = stage.schema
    signals = [
        f"{key}.{rule.signal}"
        for key, rule in recorded(stage.manifest)
        if key in schema.names and schema.field(key).type.get_field_index(rule.signal) >= 0
    ]
    signals = [*dict.fromkeys(signals)]
    labels = [f"{LANGUAGE}.label"] if has_language(schema) else []
    tables = []
    for number, shard in enumerate(shards):
        read = shard.read([*dict.fromkeys(["doc_id", "drop_reason", *labels, *signals])])
        columns = {
            "doc_id": read["doc_id"],
            "drop_reason": read["drop_reason"],
            "language": labels_of(read),
            "shard": pa.array(np.full(len(read), number)),
            "row": pa.array(np.arange(len(read))),
            **{name: pc.struct_field(read[name.partition(".")[0]], name.partition(".")[2]) for name in signals},
        }
        tables.append(pa.table(columns))
    return pa.concat_tables(tables)


def _dropped(stage: SealedStage, table: pa.Table) -> Iterator[tuple[str, int]]:
    """Place and row of the table for each chosen document."""
    bounds = bounds_by_limit(recorded(stage.manifest))
    ids = np.asarray(table["doc_id"]).astype(str)
    reasons = table["drop_reason"]
    for reason in list(stage.manifest.merged("dropped"))[:REASONS]:
        rows = np.flatnonzero(np.asarray(pc.fill_null(pc.equal(reasons, reason), False)))
        signal = reason.rpartition(":")[0]
        if reason in bounds and signal in table.column_names and _numeric(table[signal].type):
            limits = [bound_for(bounds[reason], name) for name in table["language"].take(rows).to_pylist()]
            values = np.asarray(table[signal].take(rows).cast(pa.float64()))
            away = np.abs(values - np.array(limits, np.float64))
            order = rows[np.lexsort((ids[rows], away))]
            near = order[:EACH]
            yield from (("near", row) for row in near)
            yield from (("far", row) for row in order[::-1][: min(EACH, len(order) - len(near))])
        else:
            yield from (("dropped", row) for row in rows[np.argsort(ids[rows])][: 2 * EACH])


def _numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _kept(table: pa.Table) -> Iterator[tuple[str, int]]:
    rows = np.flatnonzero(np.asarray(table["drop_reason"].is_null()))
    ids = np.asarray(table["doc_id"]).astype(str)
    yield from (("kept", row) for row in rows[np.argsort(ids[rows])][:KEPT])


def _document(shards: list[SealedShard], table: pa.Table, redactor: Redactor, place: str, row: int) -> SampledDocument:
    return document(shards[table["shard"][int(row)].as_py()], table["row"][int(row)].as_py(), redactor, place)


def document(shard: SealedShard, row: int, redactor: Redactor, place: str) -> SampledDocument:
    """The document in a row of a stage."""
    values = redactor.row(shard.row(row, beginning=READ))
    text = values["text"] if isinstance(values["text"], str) else ""
    return _shown(values, place, (Segment("same", text[:CHARACTERS]),), cut=len(text) > CHARACTERS)


def _shown(values: dict[str, Any], place: str, segments: tuple[Segment, ...], *, cut: bool) -> SampledDocument:
    deciding = str(values["drop_reason"]).partition(".")[0]
    figures = {
        name: _figures(value, () if name == deciding else (0, ""))
        for name, value in values.items()
        if isinstance(value, dict)
    }
    return SampledDocument(
        doc_id=values["doc_id"],
        url=values["url"],
        source=values["source"],
        place=place,
        reason=values["drop_reason"],
        segments=segments,
        cut=cut,
        values={name: own for name, own in figures.items() if own},
    )


def _figures(value: dict[str, Any], left_out: tuple[int | str, ...]) -> dict[str, Any]:
    """Numbers and words, but for those that say nothing."""
    return {name: one for name, one in value.items() if isinstance(one, int | float | str) and one not in left_out}


def _changed(run: RunFolder, stage: SealedStage, shard: SealedShard, redactor: Redactor) -> Iterator[SampledDocument]:
    """Documents whose text the stage changed, of one shard."""
    above = run.before(shard)
    if above is None or "text" not in stage.own_columns:
        return
    before = above.read(["text"])["text"].combine_chunks().filter(pa.array(above.kept()))
    table = shard.read(["doc_id", "text"])
    after = table["text"].combine_chunks()
    changed = pc.fill_null(pc.not_equal(before, after), False)
    short = pc.less(pc.fill_null(pc.binary_length(before), LONGEST), LONGEST)
    rows = np.flatnonzero(np.asarray(pc.and_(changed, short)))
    ids = np.asarray(table["doc_id"]).astype(str)
    redacts = any(redacting(stage.manifest))
    for row in rows[np.argsort(ids[rows])][:CHANGED]:
        values = redactor.row({**shard.row(int(row)), "text": after[int(row)].as_py()})
        if redacts:
            segments = placeholders(values["text"], CHARACTERS)
        else:
            segments = changes(redactor.text(before[int(row)].as_py(), values), values["text"], CHARACTERS)
        shown = sum(len(one.text) for one in segments if one.kind != "removed")
        yield _shown(values, "changed", segments, cut=shown < len(values["text"]))
