"""Last step, per block: adds the columns of all methods to each row, and the reason to those that are dropped."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.commits import GROUP_UNITS, Commit, Part, group_path, read_group
from curation.core.component import needs_of, struct_type
from curation.core.dedup_methods import COLUMNS, DedupMethod, Keys, Methods, Use
from curation.core.document import ROW_BITS, pack_doc
from curation.core.needs import Needs
from curation.core.protocols import Ints
from curation.core.reasons import TAKEDOWN, duplicate_reason
from curation.dedup.clusters.groups import find
from curation.engine.dedup.layout import KEYS, REFINED, VERDICT_SCHEMA, Layout
from curation.engine.dedup.repeated_keys import BlockInput, RepeatedKeys, SentRows
from curation.engine.dedup.taken import NOTHING, TakenCopies
from curation.engine.executor.work import Unit
from curation.engine.removed.tombstones import without_text
from curation.engine.run.part_files import PartWriter, one_batch, read_part
from curation.engine.run.steps import ShardSources
from curation.text.kernels.buffers import text_buffers
from curation.text.merged_spans import merge_spans

Bools = npt.NDArray[np.bool_]
ROW_MASK = (1 << ROW_BITS) - 1


class _Received:
    """What a block was sent: verdicts, the repeated keys of both rounds, and the errors of its shards."""

    def __init__(self, layout: Layout, number: int, block: BlockInput) -> None:
        self.verdicts = SentRows(block.sent.get("verdicts", ()), VERDICT_SCHEMA)
        self.repeated, self.refined = (RepeatedKeys(block.sent.get(name, ())) for name in ("repeated", "refined"))
        shards = range(block.first, block.first + len(block.paths))
        self._errors = dict(_errors(layout, KEYS, shards)) | dict(_errors(layout, REFINED, range(number, number + 1)))

    def errors(self, shard: int) -> Mapping[int, str]:
        """Reason by row, of the documents on which a method failed."""
        return {doc & ROW_MASK: reason for doc, reason in self._errors.items() if doc >> ROW_BITS == shard}


def _errors(layout: Layout, step: str, units: range) -> Iterator[tuple[int, str]]:
    """(engine id, reason) of the documents that units of a step failed on."""
    for group in range(units.start // GROUP_UNITS, (units.stop - 1) // GROUP_UNITS + 1):
        path = group_path(layout.folder, group, step)
        for commit in read_group(path) if storage.exists(path) else ():
            if commit.unit in units:
                yield from commit.extra["errors"]


@dataclass(frozen=True, kw_only=True)
class AttachStep:
    """Writes the rows of a block's shards, one shard after the other. A unit's payload is a `BlockInput` that was sent
    the verdicts on its linked documents and the repeated keys of both rounds."""

    layout: Layout
    methods: Methods
    columns: tuple[str, ...]
    sources: ShardSources
    schema: pa.Schema = field(repr=False)
    drops: bool = True  # False: duplicates stay, only marked
    taken: TakenCopies = NOTHING  # what is left of documents that were taken down elsewhere

    @property
    def needs(self) -> Needs:
        return needs_of(method for _, method in self.methods)

    def run(self, unit: Unit) -> Commit:
        received = _Received(self.layout, unit.number, unit.payload)
        parts: list[Part] = []
        for shard, path in unit.payload.shards():
            with self._writer(shard) as writer:
                for table in read_part(path, columns=self.columns):
                    writer.add(self.attached(shard, table, received))
                parts += writer.close()
        return Commit(unit.number, tuple(parts))

    def empty(self, unit: Unit) -> Commit:
        parts: list[Part] = []
        for shard, _ in unit.payload.shards():
            with self._writer(shard) as writer:
                parts += writer.close()
        return Commit(unit.number, tuple(parts))

    def _writer(self, shard: int) -> PartWriter:
        return PartWriter(self.layout.folder, shard, self.schema, self.sources[shard])

    def attached(self, shard: int, table: pa.Table, received: _Received) -> pa.Table:
        """Rows of the shard with the columns of all methods and their reasons."""
        docs = pack_doc(shard, np.asarray(table["_row"]))
        reasons = table["drop_reason"]
        errors = received.errors(shard)
        if errors:
            failed = pa.array([errors.get(row) for row in table["_row"].to_pylist()], pa.string())
            reasons = pc.coalesce(reasons, failed)
        replaced = [key for key, _ in self.methods if key in table.column_names]  # of an earlier dedup stage
        table = table.drop_columns(["_row", "drop_reason", *replaced])
        batch = one_batch(table)
        verdicts = received.verdicts.of(shard)
        whole = np.flatnonzero(~np.isin(docs, pack_doc(shard, np.array(list(errors), np.int64))))
        for number, (key, method) in enumerate(self.methods):
            if method.use == "links":
                values, dropped = _linked(number, docs, verdicts)
            else:
                known = partial(self.taken.has, key)
                values, dropped = _looked_up(received, method, number, batch, docs, whole, known)
            table = table.append_column(key, values)
            dropped = dropped if self.drops else pa.array(np.zeros(len(docs), bool))
            reasons = pc.coalesce(reasons, pc.if_else(dropped, duplicate_reason(key), pa.scalar(None, pa.string())))
        table = table.append_column("drop_reason", reasons)
        return _without_taken(table, errors)


def _without_taken(table: pa.Table, errors: Mapping[int, str]) -> pa.Table:
    """The rows, of which copies of documents that were taken down have no text."""
    if TAKEDOWN not in errors.values():
        return table
    gone = pc.fill_null(pc.equal(table["drop_reason"], TAKEDOWN), False)
    order = np.concatenate([np.flatnonzero(~np.asarray(gone)), np.flatnonzero(gone)])
    parts = [table.filter(pc.invert(gone)), without_text(table.filter(gone))]
    return pa.concat_tables(parts).take(pa.array(np.argsort(order)))


def _looked_up(
    received: _Received,
    method: DedupMethod,
    number: int,
    batch: pa.RecordBatch,
    docs: Ints,
    whole: Ints,
    taken: Callable[[Keys], Bools],
) -> tuple[pa.Array, pa.Array]:
    """The column of a method of spans or members, and bool[N]: the documents that it drops. The keys of the rows
    `whole`, on which no method failed, are made again and looked up among those that were sent back; `taken` tells
    those of documents that were taken down."""
    shard = int(docs[0] >> ROW_BITS)
    with_keys = batch if len(whole) == len(docs) else batch.take(pa.array(whole))
    sent = received.repeated.of(shard, number)
    keys = method.refine(with_keys, np.asarray(sent["key_hi"]), np.asarray(sent["key_lo"]))
    if method.rounds > 1:
        sent = received.refined.of(shard, number)
    keys = dataclasses.replace(keys, row=whole[keys.row])
    at = find(keys.hi, keys.lo, np.asarray(sent["key_hi"]), np.asarray(sent["key_lo"]))
    hit = at >= 0
    hit[hit] = np.asarray(sent["best"])[at[hit]] != docs[keys.row[hit]]
    if method.use == "spans":
        hit |= taken(keys)
        return _spans(method, batch.column("text"), keys, hit), pa.array(np.zeros(len(docs), bool))
    member = np.zeros(len(docs), bool)
    member[keys.row[hit]] = True
    return _column([pa.array(member)], "members"), pa.array(member)


def _linked(number: int, docs: Ints, verdicts: pa.Table) -> tuple[pa.Array, pa.Array]:
    """The column of a method of links, and bool[N]: the documents that it drops. One without links is its own
    cluster."""
    known = np.asarray(verdicts["doc"])
    at = np.searchsorted(known, docs)
    hit = at < len(known)
    hit[hit] = known[at[hit]] == docs[hit]
    hit[hit] = (np.asarray(verdicts["methods"])[at[hit]] >> np.uint32(number)) & 1 == 1
    index = pa.array(np.where(hit, at, 0), mask=~hit)
    survivor, copies, cluster = (
        verdicts[name].combine_chunks().take(index) for name in ("survivor", "copies", "cluster")
    )
    dropped = pc.fill_null(pc.not_equal(survivor, pa.array(docs)), False)
    survivor = pc.if_else(dropped, survivor, pa.scalar(None, pa.int64()))
    arrays = [survivor, pc.fill_null(copies, 1), cluster]
    return _column(arrays, "links"), dropped


def _spans(method: DedupMethod, text: pa.Array, keys: Keys, repeated: Bools) -> pa.Array:
    rows = len(text)
    assert keys.start is not None, "a method of spans gives starts"
    assert keys.stop is not None, "and stops"
    spans = merge_spans(keys.row[repeated], keys.start[repeated], keys.stop[repeated], rows)
    spans = method.fit(text, spans)
    _, offsets = text_buffers(text)
    counts = [np.bincount(keys.row, minlength=rows), np.bincount(keys.row[repeated], minlength=rows), np.diff(offsets)]
    arrays = [spans, *(pa.array(count.astype(np.int64)) for count in counts)]
    return _column(arrays, "spans")


def _column(arrays: Sequence[pa.Array], use: Use) -> pa.Array:
    return pa.StructArray.from_arrays(arrays, fields=list(struct_type(COLUMNS[use])))
