"""How many items of each evaluation set a run's documents hold: all that were checked, and what is left of them.

It reads the columns of the sealed contamination stages. The documents with a match, and no others, are read again: as
they were at the stage, to tell whether an item stands there whole, and as they are at the end, since a rewriter may
have cut them. Memory: a shard's columns, and a row group of text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.evalsets.contamination_checks import KEY, ContaminationCheck, checked
from curation.account.evalsets.excerpts import ExcerptPiece, TextSpan, excerpt, spans_of
from curation.account.evalsets.journeys import FACTS, SPLIT, TRAIN, large_text, packed, texts
from curation.account.evalsets.tally import ItemOverlaps, OverlapTally, SeenItems, pairs
from curation.account.redacted import Redactor
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard
from curation.account.sealed.walk import follow
from curation.models.evalsets.index import EvalsetIndex
from curation.models.evalsets.overlaps import shared
from curation.models.evalsets.scan import find_grams

DOCUMENTS = 20  # the worst that are shown


@dataclass(frozen=True)
class SetReport:
    """One set. `read` counts documents that the stage read, `kept` those kept to the end as they are there, `packed`
    those of them with rows of the train split; None in a run without token rows."""

    set: str
    items: int
    unchecked: int  # cannot be found: shorter than an n-gram, or than the tokens that are evidence
    read: SeenItems
    kept: SeenItems
    packed: SeenItems | None


@dataclass(frozen=True)
class OverlappingDocument:
    """A document and the item of which it holds most, with that item's `spans` in the text that the stage read."""

    doc_id: str
    url: str | None
    item: str
    overlap: float
    whole: bool
    items: int  # that it holds, in all
    dropped_by: str | None  # a stage; None if it was kept
    reason: str | None
    packed_rows: int  # of the train split
    spans: tuple[TextSpan, ...]
    excerpt: tuple[ExcerptPiece, ...]


@dataclass(frozen=True)
class Check:
    """What the stages that looked for the same items in the same way found."""

    stages: tuple[str, ...]
    method: str
    action: str
    n: int
    min_tokens: int
    limit: float  # the overlap above which an item is contamination
    documents: int  # that the stages read
    matched: int  # of these, those that hold an item
    kept: int  # of these, those kept to the end, as they were or cut
    still: int  # of these, those that hold an item at the end
    sets: tuple[SetReport, ...]
    worst: tuple[OverlappingDocument, ...]
    unchecked: tuple[str, ...]  # ids of the items that cannot be found


@dataclass(frozen=True)
class Report:
    """Items of evaluation sets that a run holds; `complete`: all its stages are finished."""

    run: str
    complete: bool
    checks: tuple[Check, ...]


@dataclass(frozen=True, eq=False)
class _Ends:
    """What became of documents: the stage and reason by row, and of the kept ones their shard and row at the end."""

    dropped: dict[int, tuple[str, str]]
    last: SealedShard | None
    rows: dict[int, int]


def report(run: RunFolder) -> Report:
    """Raises InputError for a run without a contamination stage, and where its index is gone."""
    return Report(run.folder, run.record.complete, tuple(_check(run, one) for one in checked(run)))


def _check(run: RunFolder, of: ContaminationCheck) -> Check:
    index = of.index
    limit = of.filter.limit
    names = list(index.sets)
    numbers = pc.index_in(index.items["set"].combine_chunks(), pa.array(names))
    sets = np.asarray(numbers).astype(np.int64)
    read, kept, trained = (OverlapTally(sets, limit) for _ in range(3))
    worst: list[tuple[tuple[float, int, str, str], SealedShard, int, _Ends, dict[str, int]]] = []
    totals = {"documents": 0, "matched": 0, "kept": 0, "still": 0}
    for shard in (shard for stage in of.stages for shard in stage.shards):
        totals["documents"] += shard.part.rows
        rows = np.flatnonzero(np.asarray(_items(shard)))
        if not len(rows):
            continue
        totals["matched"] += len(rows)
        ends = _follow(run, shard, rows)
        totals["kept"] += len(ends.rows)
        left = _left(run, of, ends, kept, trained)
        totals["still"] += left[1]
        for found, table, own in _at_stage(index, shard, rows):
            read.add(found)
            ids = table["doc_id"].to_pylist()
            for k, row in enumerate(own.tolist()):
                key = (-float(found.overlap[found.row == k].max()), -int((found.row == k).sum()), ids[k], shard.uri)
                worst.append((key, shard, row, ends, left[0]))
        worst = sorted(worst, key=lambda one: one[0])[:DOCUMENTS]
    packs = any(stage.verb.packs for stage in run.stages)
    unchecked = np.bincount(sets[~of.possible()], minlength=len(names)).tolist()
    counts = zip(names, unchecked, read.seen(), kept.seen(), trained.seen(), strict=True)
    return Check(
        stages=tuple(stage.name for stage in of.stages),
        method=of.filter.method,
        action=of.filter.action,
        n=of.filter.size,
        min_tokens=of.filter.min_tokens,
        limit=limit,
        **totals,
        sets=tuple(
            SetReport(name, index.sets[name]["items"], few, before, after, rows if packs else None)
            for name, few, before, after, rows in counts
        ),
        worst=tuple(_document(run, of, *one[1:]) for one in worst),
        unchecked=tuple(index.names.filter(pa.array(~of.possible())).to_pylist()),
    )


def _items(shard: SealedShard) -> pa.Array:
    """bool[N]: the rows that hold an item."""
    column = shard.read([f"{KEY}.items"])[KEY].combine_chunks()
    return pc.fill_null(pc.greater(pc.list_value_length(pc.struct_field(column, "items")), 0), False)


def _at_stage(index: EvalsetIndex, shard: SealedShard, rows: Ints) -> Iterator[tuple[ItemOverlaps, pa.Table, Ints]]:
    """Yields the pairs, the columns and the row numbers of documents as the stage read them."""
    for own, table in texts(shard, rows, ("doc_id", KEY)):
        items = pc.struct_field(table[KEY].combine_chunks(), "items")
        yield pairs(index, items, large_text(table)), table, own


def _left(
    run: RunFolder, of: ContaminationCheck, ends: _Ends, kept: OverlapTally, trained: OverlapTally
) -> tuple[dict[str, int], int]:
    """Adds what the kept documents hold at the end. Returns the packed rows by doc_id, and how many hold an item."""
    counts = dict[str, int]()
    still = 0
    if ends.last is None or not ends.rows:
        return counts, still
    for _, table in texts(ends.last, np.array(sorted(ends.rows.values())), ("doc_id", SPLIT)):
        text = large_text(table)
        batch = pa.RecordBatch.from_arrays([text], names=["text"])
        found = pairs(of.index, of.filter.measure(batch)["items"], text)
        kept.add(found)
        still += len(np.unique(found.row))
        ids = table["doc_id"].to_pylist()
        splits = table[SPLIT].to_pylist() if SPLIT in table.column_names else [None] * len(ids)
        counts |= packed(run, ends.last, [one for one, split in zip(ids, splits, strict=True) if split == TRAIN])
        trained.add(found.of([k for k, one in enumerate(ids) if one in counts]))
    return counts, still


def _follow(run: RunFolder, shard: SealedShard, rows: Ints) -> _Ends:
    kept = shard.kept()
    out = rows[~kept[rows]]
    dropped = _reasons(shard, out, out)
    last = shard
    at = {int(row): int(row) for row in rows[kept[rows]]}
    for step in follow(run, shard, rows, kept):
        first = rows[step.which]
        dropped |= _reasons(step.shard, first[~step.kept], step.rows[~step.kept])
        at = dict(zip(first[step.kept].tolist(), step.rows[step.kept].tolist(), strict=True))
        last = step.shard
    following = run.next_shard(last)
    if following is not None and at:  # it was sealed without the unit that the documents were in
        dropped |= dict.fromkeys(at, (following.stage.name, "lost"))
        at = {}
    return _Ends(dropped, last, at)


def _reasons(shard: SealedShard, first: Ints, rows: Ints) -> dict[int, tuple[str, str]]:
    """Row at the contamination stage -> stage and reason, for rows that a stage dropped."""
    if not len(rows):
        return {}
    reasons = shard.column("drop_reason", rows).to_pylist()
    return {int(row): (shard.stage.name, reason) for row, reason in zip(first, reasons, strict=True)}


def _document(
    run: RunFolder, of: ContaminationCheck, shard: SealedShard, row: int, ends: _Ends, rows: dict[str, int]
) -> OverlappingDocument:
    ((_, table),) = texts(shard, np.array([row]), ("doc_id", KEY, *FACTS))
    text = large_text(table)
    index = of.index
    found = pairs(index, pc.struct_field(table[KEY].combine_chunks(), "items"), text)
    best = int(found.overlap.argmax())
    number = int(found.item[best])
    values = table.drop_columns(["text", KEY]).to_pylist()[0]

    def spans(given: pa.Array) -> tuple[TextSpan, ...]:
        hits = find_grams(given, index.lookup(of.filter.size))
        both = shared(hits, index)
        return spans_of(hits, given, np.unique(both.hit[both.item[both.pair] == number]))

    stage, reason = ends.dropped.get(row, (None, None))
    redactor = Redactor.of(run)
    return OverlappingDocument(
        doc_id=values["doc_id"],
        url=redactor.url(values.get("url")),
        item=index.names[number].as_py(),
        overlap=float(found.overlap[best]),
        whole=bool(found.whole[best]),
        items=len(found.item),
        dropped_by=stage,
        reason=reason,
        packed_rows=rows.get(values["doc_id"], 0),
        spans=spans(text),
        excerpt=excerpt(text[0].as_py(), spans, redactor, values),
    )
