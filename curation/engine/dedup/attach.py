"""Last step: a shard's rows with what the stage found out about them, and the reason of those that are dropped."""

import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import ROW_BITS, pack_doc
from curation.core.manifest import Commit
from curation.core.protocols import Keys, Refines
from curation.core.reasons import duplicate_reason
from curation.dedup.clusters.groups import find
from curation.dedup.merged_spans import merge_spans
from curation.engine.dedup.clusters import VERDICT_SCHEMA
from curation.engine.dedup.kinds import column, gives_links, gives_spans
from curation.engine.dedup.layout import Layout
from curation.engine.dedup.repeated_keys import of_shard, told
from curation.engine.run.execution import Unit
from curation.engine.run.part_files import PartWriter, one_batch, read_part
from curation.engine.run.routing import read_all
from curation.engine.run.steps import Sources, commit, committed
from curation.text.kernels.buffers import text_buffers

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AttachStep:
    """`verdicts` are files, of which each shard reads its block's part."""

    layout: Layout
    methods: tuple[tuple[str, Any], ...]
    verdicts: tuple[str, ...]
    columns: tuple[str, ...]
    sources: Sources
    schema: pa.Schema = field(repr=False)

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        yield from read_part(unit.payload, columns=self.columns)

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        docs = pack_doc(unit, np.asarray(table["_row"]))
        reasons = table["drop_reason"]
        if errors := shard_errors(self.layout, unit):
            failed = pa.array([errors.get(row) for row in table["_row"].to_pylist()], pa.string())
            reasons = pc.coalesce(reasons, failed)
        before = [key for key, _ in self.methods if key in table.column_names]  # of a dedup stage before
        table = table.drop_columns(["_row", "drop_reason", *before])
        batch, found = one_batch(table), _verdicts(self.layout, self.verdicts, unit)
        for number, (key, method) in enumerate(self.methods):
            if gives_links(method):
                values, dropped = _linked(method, number, docs, found)
            else:
                values, dropped = self._looked_up(method, number, batch, docs)
            table = table.append_column(key, values)
            reasons = pc.coalesce(reasons, pc.if_else(dropped, duplicate_reason(key), pa.scalar(None, pa.string())))
        return table.append_column("drop_reason", reasons)

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        writer = PartWriter(self.layout.folder, f"part-{unit:05d}", self.schema, self.sources[unit])
        for table in tables:
            writer.add(table)
        commit(self.layout.folder, Commit(unit, writer.close()), started)

    def _looked_up(self, method: Any, number: int, batch: pa.RecordBatch, docs: Ints) -> tuple[pa.Array, pa.Array]:
        """A method of spans or memberships: the shard's keys are made again and found among those it was told of, of
        documents that keys could be made of."""
        shard = int(docs[0] >> ROW_BITS)
        failed = np.array([shard << ROW_BITS | row for row in shard_errors(self.layout, shard)], np.int64)
        whole = np.flatnonzero(~np.isin(docs, failed))
        asked = batch if len(whole) == len(docs) else batch.take(pa.array(whole))
        said = told(self.layout, shard, number)
        if isinstance(method, Refines):
            keys = method.refine(asked, np.asarray(said["key_hi"]), np.asarray(said["key_lo"]))
            said = told(self.layout.second(), shard, number)
        else:
            keys = method.keys(asked)
        keys = dataclasses.replace(keys, row=whole[keys.row])
        at = find(keys.hi, keys.lo, np.asarray(said["key_hi"]), np.asarray(said["key_lo"]))
        hit = at >= 0
        best = np.asarray(said["best"])
        hit[hit] = best[at[hit]] != docs[keys.row[hit]]
        if gives_spans(method):
            return _spans(method, batch.column("text"), keys, hit), pa.array(np.zeros(len(docs), bool))
        member = np.zeros(len(docs), bool)
        member[keys.row[hit]] = True
        return pa.StructArray.from_arrays([pa.array(member)], fields=list(column(method))), pa.array(member)


def _linked(method: Any, number: int, docs: Ints, found: pa.Table) -> tuple[pa.Array, pa.Array]:
    """The method's column, and bool[N]: whom it drops. A document that the method links with none stands alone."""
    known = np.asarray(found["doc"])
    at = np.searchsorted(known, docs)
    hit = at < len(known)
    hit[hit] = known[at[hit]] == docs[hit]
    hit[hit] = (np.asarray(found["methods"])[at[hit]] >> np.uint32(number)) & 1 == 1
    index = pa.array(np.where(hit, at, 0), mask=~hit)
    survivor, copies, cluster = (found[name].combine_chunks().take(index) for name in ("survivor", "copies", "cluster"))
    doomed = pc.fill_null(pc.not_equal(survivor, pa.array(docs)), False)
    survivor = pc.if_else(doomed, survivor, pa.scalar(None, pa.int64()))
    arrays = [survivor, pc.fill_null(copies, 1), cluster]
    return pa.StructArray.from_arrays(arrays, fields=list(column(method))), doomed


def _spans(method: Any, text: pa.Array, keys: Keys, repeated: npt.NDArray[np.bool_]) -> pa.Array:
    rows = len(text)
    assert keys.start is not None, "a method of spans gives them"
    assert keys.stop is not None, "and both ends"
    spans = merge_spans(keys.row[repeated], keys.start[repeated], keys.stop[repeated], rows)
    if isinstance(method, Refines):
        spans = method.fit(text, spans)
    _, offsets = text_buffers(text)
    counts = [np.bincount(keys.row, minlength=rows), np.bincount(keys.row[repeated], minlength=rows), np.diff(offsets)]
    arrays = [spans, *(pa.array(one.astype(np.int64)) for one in counts)]
    return pa.StructArray.from_arrays(arrays, fields=list(column(method)))


@lru_cache(maxsize=2)
def _verdicts(layout: Layout, files: tuple[str, ...], shard: int) -> pa.Table:
    """The shard's documents that are in clusters, sorted by doc."""
    return of_shard(_block(layout, files, layout.block_of_shard(shard)), shard).sort_by("doc")


@lru_cache(maxsize=1)
def _block(layout: Layout, files: tuple[str, ...], block: int) -> pa.Table:
    """The verdicts on a block's documents: neighbouring shards ask for the same."""
    return read_all(files, VERDICT_SCHEMA, block)


@lru_cache(maxsize=2)
def shard_errors(layout: Layout, shard: int) -> Mapping[int, str]:
    """Reason by row of the documents that no keys could be made of."""
    errors: dict[int, str] = {}
    for one in (layout, layout.second()):
        done = committed(layout.folder, shard, one.keyed)
        errors |= dict(done.extra["errors"]) if done is not None else {}
    return errors
