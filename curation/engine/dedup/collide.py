"""Second step, per bucket: the keys of all shards meet. They become links, candidates to verify, or keys that are sent
back to the shards because other documents have them too."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.dedup_methods import Links, Members, Methods, Spans
from curation.core.document import ROW_BITS
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints, Uint64s, Vectors
from curation.dedup.clusters.groups import repeated, sorted_repeated
from curation.engine.dedup.layout import (
    LINK_SCHEMA,
    REPEATED_SCHEMA,
    WORKED_ON,
    ByBlock,
    Earlier,
    Layout,
    distinct,
    key_schema,
)
from curation.engine.executor.work import Unit
from curation.engine.run.exchange import batches_for
from curation.engine.run.routing import ByKey, Outbox


@dataclass(frozen=True)
class _Rows:
    """One method's keys in the bucket, as arrays."""

    hi: Uint64s
    lo: Uint64s
    doc: Ints
    rank: npt.NDArray[np.uint32]
    copies: npt.NDArray[np.uint32]
    vector: Vectors | None


@dataclass(frozen=True)
class CollideStep:
    """Compares the keys of a bucket, method by method. A unit's payload is the bucket's slices: of the stage's own
    keys, then of each earlier run's. `row_bytes` is the size of all buckets' rows."""

    layout: Layout
    methods: Methods
    row_bytes: int

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + WORKED_ON * self.row_bytes // self.layout.buckets)

    def run(self, unit: Unit) -> Commit:
        layout = self.layout
        keys = self._keys(unit)
        links = [LINK_SCHEMA.empty_table()]
        candidates = [LINK_SCHEMA.empty_table()]
        repeated = [REPEATED_SCHEMA.empty_table()]
        counts: dict[str, int] = {}
        for number, (key, method) in enumerate(self.methods):
            if method.rounds < layout.round:
                continue
            rows = _of_method(keys, number, vectors=method.has_vectors)
            if isinstance(method, Members):
                repeated.append(self._members(unit.number, method, rows, number))
            elif isinstance(method, Spans):
                repeated.append(_repeated_spans(method, rows, number))
            elif isinstance(method, Links):
                pairs, counts[f"{key}.skipped"] = _linked(method, rows, number)
                pairs = pairs.filter(pa.array(np.asarray(pairs["doc_b"]) >> ROW_BITS < layout.shards))
                (candidates if method.verified else links).append(pairs)
        linked, tried, sent = (pa.concat_tables(tables) for tables in (links, candidates, repeated))
        batches = batches_for(layout.buckets, layout.blocks)
        outbox = Outbox(layout.folder, layout.collided, unit.number)
        if linked.num_rows:
            outbox.put("links", linked)
        if any(method.verified for _, method in self.methods):
            outbox.send("candidates", tried, ByBlock(layout, "doc_b"), batches)
        if any(method.use != "links" for _, method in self.methods):
            outbox.send("repeated", sent, ByBlock(layout), batches)
        return outbox.done(links=linked.num_rows, candidates=tried.num_rows, counts=counts)

    def _keys(self, unit: Unit) -> pa.Table:
        """The bucket's keys of every shard; those of earlier runs with this run's engine ids and rank 0."""
        schema = key_schema(self.methods)
        own, *others = unit.payload
        tables = [own.table(schema)]
        for earlier, slices in zip(self.layout.earlier, others, strict=True):
            for table in slices.tables(earlier.schema):
                table = table.filter(pa.array(ByKey(self.layout.buckets).of(table) == unit.number))
                tables.append(earlier_keys(earlier, self.methods, table))
        return pa.concat_tables(tables)

    def _members(self, unit: int, method: Members, rows: _Rows, number: int) -> pa.Table:
        """The keys that an earlier corpus has too. Adds the run's own keys to its filter where it writes one."""
        own = np.flatnonzero(rows.doc >> ROW_BITS < self.layout.shards)
        own = own[np.lexsort((rows.lo[own], rows.hi[own]))]
        hi = rows.hi[own]
        lo = rows.lo[own]
        if method.writes:
            method.write_partition(self.layout.bloom, hi, lo, number=unit, partitions=self.layout.buckets)
        known = own[method.members(hi, lo)]
        return _sent_back(rows, known, np.full(len(known), -1, np.int64), number)


def earlier_keys(earlier: Earlier, methods: Methods, table: pa.Table) -> pa.Table:
    """Keys of an earlier run with this run's engine ids and numbers of methods, and rank 0."""
    number = np.asarray(earlier.methods, np.int64)[np.asarray(table["method"])]
    table = table.filter(pa.array(number >= 0))
    values = {name: table[name] for name in table.schema.names}
    values["doc"] = pa.array(np.asarray(table["doc"]) + (np.int64(earlier.first) << ROW_BITS))
    values["rank"] = pa.array(np.zeros(table.num_rows, np.uint32))
    values["method"] = pa.array(number[number >= 0].astype(np.uint8))
    schema = key_schema(methods)
    return pa.table([values.get(f.name, pa.nulls(table.num_rows, f.type)) for f in schema], schema=schema)


def _of_method(keys: pa.Table, number: int, *, vectors: bool) -> _Rows:
    own = keys.filter(np.asarray(keys["method"]) == number)
    vector = None
    if vectors:
        lists = own["vector"].combine_chunks()
        vector = np.asarray(lists.flatten()).reshape(len(lists), -1) if len(lists) else np.empty((0, 0), np.float32)
    hi, lo, doc, rank, copies = (np.asarray(own[name]) for name in ("key_hi", "key_lo", "doc", "rank", "copies"))
    return _Rows(hi, lo, doc, rank, copies, vector)


def _linked(method: Links, rows: _Rows, number: int) -> tuple[pa.Table, int]:
    """Links (or candidates), the better-ranked document first, and the rows that were not paired with all others."""
    order = sorted_repeated(rows.hi, rows.lo, rows.rank, rows.doc)
    vector = None if rows.vector is None else np.ascontiguousarray(rows.vector[order])
    pairs = method.pairs(rows.hi[order], rows.lo[order], vector)
    left = order[pairs.left]
    right = order[pairs.right]
    if method.verified:
        equal = np.zeros(len(left), bool)  # verification tells
    elif rows.vector is not None:
        equal = (rows.vector[left] == rows.vector[right]).all(axis=1)
    else:
        equal = rows.lo[left] == rows.lo[right]
    return _links(rows, left, right, equal, number), pairs.skipped


def _links(rows: _Rows, left: Ints, right: Ints, equal: npt.NDArray[np.bool_], number: int) -> pa.Table:
    """Each pair of documents once, ordered by survival within the pair; none of a document with itself."""
    swap = (rows.rank[left] > rows.rank[right]) | (
        (rows.rank[left] == rows.rank[right]) & (rows.doc[left] > rows.doc[right])
    )
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    apart = rows.doc[left] != rows.doc[right]
    left = left[apart]
    right = right[apart]
    equal = equal[apart]
    arrays = [rows.rank[left], rows.doc[left], rows.rank[right], rows.doc[right]]
    arrays += [equal, np.full(len(left), number, np.uint8)]
    return distinct(pa.Table.from_arrays([pa.array(values) for values in arrays], schema=LINK_SCHEMA))


def _repeated_spans(method: Spans, rows: _Rows, number: int) -> pa.Table:
    """The keys that enough documents have, each with the document that keeps its span."""
    groups = repeated(rows.hi, rows.lo, rows.rank, rows.doc)
    alone = np.flatnonzero(rows.copies > 1)  # within one shard only: no other row has the key
    alone = alone[~np.isin(alone, groups.order)]
    copies = np.concatenate([[0], np.cumsum(rows.copies[groups.order], dtype=np.int64)])
    enough = np.repeat(np.diff(copies[groups.start]) >= method.min_copies, groups.sizes)
    alone = alone[rows.copies[alone] >= method.min_copies]
    sent = np.concatenate([groups.order[enough], alone])
    best = np.concatenate([groups.best[enough], alone])
    return _sent_back(rows, sent, rows.doc[best], number)


def _sent_back(rows: _Rows, sent: Ints, best: Ints, number: int) -> pa.Table:
    """Keys by their index, each with the best document that has it (-1: one of an earlier corpus)."""
    method = np.full(len(sent), number, np.uint8)
    arrays = [rows.doc[sent], rows.hi[sent], rows.lo[sent], best, method]
    return pa.Table.from_arrays([pa.array(values) for values in arrays], schema=REPEATED_SCHEMA)
