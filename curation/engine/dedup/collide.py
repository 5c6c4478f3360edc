"""Second step: one bucket's keys of all shards meet, and become links, candidates to verify, or word to the shards."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.document import ROW_BITS
from curation.core.protocols import PairsKeys, Refines, Verifies
from curation.dedup.clusters.groups import repeated, sorted_repeated
from curation.engine.dedup.keys import done
from curation.engine.dedup.kinds import compares_vectors, gives_spans, is_membership
from curation.engine.dedup.layout import KEY_SCHEMA, LINK_SCHEMA, SAID_SCHEMA, VECTORS_SCHEMA, Layout, distinct
from curation.engine.run.execution import FileWork
from curation.engine.run.routing import read_routed, write_routed, write_table

Ints = npt.NDArray[np.int64]
Uint64s = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class _Rows:
    """One method's keys in the bucket, as arrays."""

    hi: Uint64s
    lo: Uint64s
    doc: Ints
    rank: npt.NDArray[np.uint32]
    copies: npt.NDArray[np.uint32]
    vector: npt.NDArray[np.float32] | None


@dataclass(frozen=True)
class CollideStep(FileWork):
    """What the keys of a bucket say, per method in the stage's order."""

    layout: Layout
    methods: tuple[tuple[str, Any], ...]

    def work(self, unit: int, started: float) -> None:
        links, candidates, said = [LINK_SCHEMA.empty_table()], [LINK_SCHEMA.empty_table()], [SAID_SCHEMA.empty_table()]
        keys = self._keys(unit)
        counts: dict[str, int] = {}
        for number, (key, method) in enumerate(self.methods):
            if self.layout.round == 2 and not isinstance(method, Refines):
                continue
            rows = _of_method(keys, number, compares_vectors(method))
            if is_membership(method):
                said.append(self._members(unit, method, rows, number))
            elif gives_spans(method):
                said.append(_repeated_spans(method, rows, number))
            else:
                found, skipped = _linked(method, rows, number)
                found = found.filter(pa.array(np.asarray(found["doc_b"]) >> ROW_BITS < self.layout.shards))
                (candidates if isinstance(method, Verifies) else links).append(found)
                counts[f"{key}.skipped"] = skipped
        self._save(unit, pa.concat_tables(links), pa.concat_tables(candidates), pa.concat_tables(said), counts, started)

    def _keys(self, bucket: int) -> pa.Table:
        """Every shard's keys of the bucket; those of earlier runs with the engine ids they have here and rank 0."""
        layout = self.layout
        tables = [_schema(self.methods).empty_table()]
        tables += [read_routed(layout.keys(shard), bucket) for shard in range(layout.shards)]
        others = range(layout.shards, layout.all_shards)
        return pa.concat_tables([*tables, *(earlier_keys(layout, self.methods, shard, bucket) for shard in others)])

    def _members(self, unit: int, method: Any, rows: _Rows, number: int) -> pa.Table:
        """For each shard that has a key of an earlier corpus: the key. The run's own keys go into its filter."""
        own = np.flatnonzero(rows.doc >> ROW_BITS < self.layout.shards)
        own = own[np.lexsort((rows.lo[own], rows.hi[own]))]
        hi, lo = rows.hi[own], rows.lo[own]
        if method.expected_items is not None:
            partition = method.built(hi, lo, number=unit, partitions=self.layout.buckets)
            method.write(self.layout.bloom, partition)
        found = own[method.members(hi, lo)]
        return _said(rows, found, np.full(len(found), -1, np.int64), number)

    def _save(
        self, unit: int, links: pa.Table, candidates: pa.Table, said: pa.Table, counts: dict[str, int], started: float
    ) -> None:
        layout = self.layout
        files = [layout.file(layout.collided, what, unit) for what in ("links", "candidates", "said")]
        write_table(files[0], links)
        write_routed(files[1], candidates, layout.block_of(np.asarray(candidates["doc_b"])), layout.blocks)
        write_routed(files[2], said, layout.block_of(np.asarray(said["doc"])), layout.blocks)
        extra = {"links": links.num_rows, "candidates": candidates.num_rows, "counts": counts}
        done(layout.folder, layout.collided, unit, files, started, **extra)


def _schema(methods: tuple[tuple[str, Any], ...]) -> pa.Schema:
    return VECTORS_SCHEMA if any(compares_vectors(method) for _, method in methods) else KEY_SCHEMA


def earlier_keys(layout: Layout, methods: tuple[tuple[str, Any], ...], shard: int, bucket: int) -> pa.Table:
    """Keys of an earlier run's shard as if it were this one's: engine ids, numbers of methods, the best of ranks."""
    (earlier,) = (one for one in layout.earlier if one.first <= shard < one.first + one.shards)
    table = read_routed(layout.keys(shard), bucket)
    number = np.asarray(earlier.methods, np.int64)[np.asarray(table["method"])]
    table = table.filter(pa.array(number >= 0))
    values = {name: table[name] for name in table.schema.names}
    values["doc"] = pa.array(np.asarray(table["doc"]) + (np.int64(earlier.first) << ROW_BITS))
    values["rank"] = pa.array(np.zeros(table.num_rows, np.uint32))
    values["method"] = pa.array(number[number >= 0].astype(np.uint8))
    schema = _schema(methods)
    return pa.table([values.get(f.name, pa.nulls(table.num_rows, f.type)) for f in schema], schema=schema)


def _of_method(keys: pa.Table, number: int, vectors: bool) -> _Rows:
    own = keys.filter(np.asarray(keys["method"]) == number)
    vector = None
    if vectors:
        lists = own["vector"].combine_chunks()
        vector = np.asarray(lists.flatten()).reshape(len(lists), -1) if len(lists) else np.empty((0, 0), np.float32)
    hi, lo, doc, rank, copies = (np.asarray(own[name]) for name in ("key_hi", "key_lo", "doc", "rank", "copies"))
    return _Rows(hi, lo, doc, rank, copies, vector)


def _linked(method: Any, rows: _Rows, number: int) -> tuple[pa.Table, int]:
    """Links (or candidates), the better-ranked document first, and the rows that were not paired with all others."""
    if not isinstance(method, PairsKeys):
        groups = repeated(rows.hi, rows.lo, rows.rank, rows.doc)
        return _links(rows, groups.best, groups.order, np.ones(len(groups.order), bool), number), 0
    order = sorted_repeated(rows.hi, rows.lo, rows.rank, rows.doc)
    vector = None if rows.vector is None else np.ascontiguousarray(rows.vector[order])
    pairs = method.pairs(rows.hi[order], rows.lo[order], vector)
    left, right = order[pairs.left], order[pairs.right]
    if isinstance(method, Verifies):
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
    left, right, equal = left[apart], right[apart], equal[apart]
    arrays = [rows.rank[left], rows.doc[left], rows.rank[right], rows.doc[right]]
    arrays += [equal, np.full(len(left), number, np.uint8)]
    return distinct(pa.Table.from_arrays([pa.array(one) for one in arrays], schema=LINK_SCHEMA))


def _repeated_spans(method: Any, rows: _Rows, number: int) -> pa.Table:
    """For each shard that has a key of enough documents: the key, and where it stays."""
    groups = repeated(rows.hi, rows.lo, rows.rank, rows.doc)
    alone = np.flatnonzero(rows.copies > 1)  # within one shard only: no other row has the key
    alone = alone[~np.isin(alone, groups.order)]
    copies = np.concatenate([[0], np.cumsum(rows.copies[groups.order], dtype=np.int64)])
    enough = np.repeat(np.diff(copies[groups.start]) >= method.min_copies, groups.sizes)
    alone = alone[rows.copies[alone] >= method.min_copies]
    told = np.concatenate([groups.order[enough], alone])
    best = np.concatenate([groups.best[enough], alone])
    return _said(rows, told, rows.doc[best], number)


def _said(rows: _Rows, told: Ints, best: Ints, number: int) -> pa.Table:
    method = np.full(len(told), number, np.uint8)
    arrays = [rows.doc[told], rows.hi[told], rows.lo[told], best, method]
    return pa.Table.from_arrays([pa.array(one) for one in arrays], schema=SAID_SCHEMA)
