"""Documents to look at: some of the final text, drawn at random, and of each stage those just outside and just inside
its limits, those dropped for other reasons, and those that rewriters changed. Each document is shown once, and the same
run shows the same ones.

Texts are shown from their beginning, or from shortly before the first change, and redacted as the recipe says: whole
first, then cut, so that no value is cut in two and shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.card.stage_facts import redacting
from curation.account.drawn import drawn
from curation.account.redacted import Redactor
from curation.account.report.boundary import Chosen, chosen
from curation.account.report.changes import Segment, changes, placeholders
from curation.account.report.sampling import sampled
from curation.account.sealed.bounds import DecidingLimit, deciding_limit, recorded
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import last_stages
from curation.account.tune.limits import bounds_by_limit
from curation.account.tune.signals import has_language, labels_of
from curation.core.by_language import LANGUAGE
from curation.core.rules import Rule

Rules = Sequence[tuple[str, Rule]]
FINAL = 20  # of the final text
CHANGED = 6  # of a rewriter
REASONS = 40  # of a stage, the largest
SHARDS = 8  # of a stage, in which documents are sought
CHARACTERS = 1500  # of a text that is shown
READ = 8 * CHARACTERS  # of a text, before it is redacted
LONGEST = 100_000  # characters of a text whose changes are sought


@dataclass(frozen=True)
class SampledDocument:
    """A document after a stage. `place`: "kept", "outside", "inside" or "far" outside of `limit`, "dropped" for a
    reason that is no limit, or "changed". `segments` are its text in order; `values` the figures of each component so
    far, without zeros but for the component that dropped it."""

    doc_id: str
    url: str | None
    source: str
    place: str
    reason: str | None
    segments: tuple[Segment, ...]
    cut: bool  # whether its text goes on
    values: dict[str, dict[str, Any]]
    limit: DecidingLimit | None = None


def final_documents(run: RunFolder, redactor: Redactor) -> tuple[SampledDocument, ...]:
    """FINAL documents of the final text, drawn at random, without those that were taken down; of several last stages,
    each gives its share."""
    gone = set(run.record.tombstones)
    stages = [stage for stage in last_stages(run.stages) if stage.manifest.total("kept")]
    kept = [stage.manifest.total("kept") for stage in stages]
    ends = np.rint(np.cumsum(kept) / max(sum(kept), 1) * FINAL).astype(int)
    shares = np.diff(ends, prepend=0)
    places = [place for stage, share in zip(stages, shares, strict=True) for place in drawn(stage, share, kept=True)]
    found = (document(shard, row, redactor, "kept") for shard, row in places)
    return tuple(one for one in found if one.doc_id not in gone)


def sampled_documents(
    run: RunFolder, stage: SealedStage, redactor: Redactor, most: int, shown: set[str]
) -> tuple[SampledDocument, ...]:
    """Chooses at most so many documents of a stage: for each limit those just outside and just inside it, for each
    other reason some that were dropped, and some that were changed. None has an id that is in `shown`, to which theirs
    are added."""
    shards = sampled(stage, SHARDS)
    if not shards or most < 1:
        return ()
    last = list(_changed(run, stage, shards[len(shards) // 2], redactor, min(CHANGED, most), shown))
    rules = recorded(stage.manifest)
    bounds = bounds_by_limit(rules)
    reasons = [*list(stage.manifest.merged("dropped"))[:REASONS], *bounds]
    table = _narrow(stage, shards)
    found = chosen(table, [*dict.fromkeys(reasons)], bounds, most - len(last), shown)
    return (*(_document(shards, table, redactor, rules, one) for one in found), *last)


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


def _document(
    shards: list[SealedShard], table: pa.Table, redactor: Redactor, rules: Rules, one: Chosen
) -> SampledDocument:
    shard = shards[table["shard"][one.row].as_py()]
    values = shard.row(table["row"][one.row].as_py(), beginning=READ)
    limit = deciding_limit(rules, {**values, "drop_reason": one.reason})
    return replace(_document_of(values, redactor, one.place), limit=limit)


def document(shard: SealedShard, row: int, redactor: Redactor, place: str) -> SampledDocument:
    """The document in a row of a stage."""
    return _document_of(shard.row(row, beginning=READ), redactor, place)


def _document_of(row: dict[str, Any], redactor: Redactor, place: str) -> SampledDocument:
    values = redactor.row(row)
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


def _changed(
    run: RunFolder, stage: SealedStage, shard: SealedShard, redactor: Redactor, most: int, shown: set[str]
) -> Iterator[SampledDocument]:
    """Documents whose text the stage changed, of one shard, that are not in `shown`, to which they are added; one that
    is, where there are no others: here it is shown for its changes."""
    above = run.before(shard)
    if not stage.verb.edits or above is None or "text" not in stage.own_columns:
        return
    before = above.read(["text"])["text"].combine_chunks().filter(pa.array(above.kept()))
    table = shard.read(["doc_id", "text"])
    after = table["text"].combine_chunks()
    changed = pc.fill_null(pc.not_equal(before, after), False)
    short = pc.less(pc.fill_null(pc.binary_length(before), LONGEST), LONGEST)
    rows = np.flatnonzero(np.asarray(pc.and_(changed, short)))
    ids = np.asarray(table["doc_id"]).astype(str)
    redacts = any(redacting(stage.manifest))
    ordered = rows[np.argsort(ids[rows])].tolist()
    new = [row for row in ordered if ids[row] not in shown][:most] or ordered[:1]
    shown.update(str(ids[row]) for row in new)
    for row in new:
        values = redactor.row({**shard.row(int(row)), "text": after[int(row)].as_py()})
        if redacts:
            segments = placeholders(values["text"], CHARACTERS)
        else:
            segments = changes(redactor.text(before[int(row)].as_py(), values), values["text"], CHARACTERS)
        length = sum(len(one.text) for one in segments if one.kind != "removed")
        yield _shown(values, "changed", segments, cut=length < len(values["text"]))
