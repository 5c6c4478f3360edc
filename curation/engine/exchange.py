"""The exchange: narrow rows meet in buckets and verdicts come back, through sealed files and never a shuffle of text.

*scatter*: each shard writes one Arrow IPC file whose record batch *b* holds its rows for bucket *b*.
*gather*: each bucket reads its batch of every shard's file and writes one Parquet file.
*attach*: each shard looks its own rows up in every bucket's file (sorted by document) and gains columns.
Every step maps over units, each unit is redone alone, and memory is bounded by a bucket or a shard.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.document import bucket_of, pack_doc
from curation.core.manifest import Commit
from curation.core.reasons import duplicate_reason, error_reason
from curation.core.stage import Keys
from curation.dedup.collide import collide
from curation.engine import apply
from curation.engine.execution import Unit
from curation.engine.parts import PartWriter, one_batch, read_part
from curation.engine.steps import Sources, commit, committed

KEYS, BUCKETS = "_keys", "_buckets"
KEY_SCHEMA = pa.schema([("key_hi", pa.uint64()), ("key_lo", pa.uint64()), ("doc", pa.int64()), ("method", pa.uint8())])
SCATTERED = KEY_SCHEMA.append(pa.field("error", pa.string()))  # on its way to the file; null where there are keys
VERDICT_SCHEMA = pa.schema(
    [("doc", pa.int64()), ("duplicate_of", pa.int64()), ("copies", pa.int64()), ("method", pa.uint8())]
)
GATHER_ROWS = 16_384  # rows per row group: what one look-up reads


def keys_path(folder: str, shard: int) -> str:
    return storage.join(folder, KEYS, f"keys-{shard:05d}.arrow")


def bucket_path(folder: str, bucket: int) -> str:
    return storage.join(folder, BUCKETS, f"bucket-{bucket:05d}.parquet")


@dataclass(frozen=True)
class Scatter:
    """Keys of a shard's rows, sorted into buckets. `methods` are the parts that make keys, in order."""

    folder: str
    methods: tuple[tuple[str, Any], ...]
    columns: tuple[str, ...]
    buckets: int
    kept_only: bool = True

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        yield from read_part(unit.payload, columns=self.columns, kept_only=self.kept_only)

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        batch = one_batch(table)
        made = []
        for number, (key, method) in enumerate(self.methods):
            for piece, keys in apply.attempt(method.keys, batch):
                docs = pack_doc(unit, np.asarray(piece.column("_row")))
                made.append(_failed(key, keys, docs) if isinstance(keys, Exception) else _keyed(number, keys, docs))
        return pa.concat_tables(made)

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        table = pa.concat_tables([SCATTERED.empty_table(), *tables])
        failed = pc.is_valid(table["error"])
        errors = [[doc & 0xFFFFFFFF, reason] for doc, reason in _pairs(table.filter(failed))]
        table = table.filter(pc.invert(failed)).select(KEY_SCHEMA.names)
        bucket = bucket_of(np.asarray(table["key_hi"]), self.buckets)
        method, hi, lo, doc = (np.asarray(table[name]) for name in ("method", "key_hi", "key_lo", "doc"))
        order = np.lexsort((doc, lo, hi, method, bucket))
        bounds = np.searchsorted(bucket[order], np.arange(self.buckets + 1))
        ordered = table.take(pa.array(order)).combine_chunks()
        fs, path = storage.resolve(keys_path(self.folder, unit))
        with fs.open_output_stream(path) as sink, pa.ipc.new_file(sink, KEY_SCHEMA) as file:
            for b in range(self.buckets):
                file.write_batch(one_batch(ordered.slice(bounds[b], bounds[b + 1] - bounds[b])))
        _commit(self.folder, KEYS, unit, table.num_rows, f"{KEYS}/keys-{unit:05d}.arrow", started, errors=errors)


def _keyed(number: int, keys: Keys, docs: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Table:
    own = docs[keys.row]
    arrays = [keys.hi, keys.lo, own, np.full(len(own), number, np.uint8), pa.nulls(len(own), pa.string())]
    return pa.Table.from_arrays([pa.array(a) for a in arrays], schema=SCATTERED)


def _failed(key: str, error: Exception, docs: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Table:
    row = {"key_hi": 0, "key_lo": 0, "doc": int(docs[0]), "method": 0, "error": error_reason(key, error)}
    return pa.Table.from_pylist([row], schema=SCATTERED)


def _pairs(table: pa.Table) -> list[tuple[int, str]]:
    return list(zip(table["doc"].to_pylist(), table["error"].to_pylist(), strict=True))


@dataclass(frozen=True)
class Gather:
    """One bucket's rows of all shards, brought together by `collide` or, for look-ups, sorted by key."""

    folder: str
    shards: int
    sort_only: bool = False

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        pieces = [_bucket_rows(keys_path(self.folder, shard), unit.number) for shard in range(self.shards)]
        table = pa.concat_tables([KEY_SCHEMA.empty_table(), *pieces])
        yield _sorted_by_key(table) if self.sort_only else _verdicts(table)

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        return table

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        schema = KEY_SCHEMA if self.sort_only else VERDICT_SCHEMA
        fs, path = storage.resolve(bucket_path(self.folder, unit))
        table = pa.concat_tables([schema.empty_table(), *tables])
        pq.write_table(table, path, filesystem=fs, row_group_size=GATHER_ROWS, compression="zstd")
        _commit(self.folder, BUCKETS, unit, table.num_rows, f"{BUCKETS}/bucket-{unit:05d}.parquet", started)


def _bucket_rows(path: str, bucket: int) -> pa.Table:
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as file:
        return pa.Table.from_batches([pa.ipc.open_file(file).get_batch(bucket)])


def _sorted_by_key(table: pa.Table) -> pa.Table:
    order = np.lexsort([np.asarray(table[name]) for name in ("doc", "method", "key_lo", "key_hi")])
    return table.take(pa.array(order))


def _verdicts(table: pa.Table) -> pa.Table:
    """Rows of VERDICT_SCHEMA, sorted by (doc, method), one per document that shares a key."""
    doc, survivor, copies, method = collide(*(np.asarray(table[name]) for name in KEY_SCHEMA.names))
    order = np.lexsort((method, doc))
    return pa.Table.from_arrays([pa.array(a[order]) for a in (doc, survivor, copies, method)], schema=VERDICT_SCHEMA)


@dataclass(frozen=True)
class Attach:
    """A shard's rows with the verdicts on them: per method a struct `{duplicate_of, copies}`, and the reason."""

    folder: str
    keys: tuple[str, ...]
    buckets: int
    columns: tuple[str, ...]
    sources: Sources
    schema: pa.Schema = field(repr=False)

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        yield from read_part(unit.payload, columns=self.columns)

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        verdicts = _shard_verdicts(self.folder, unit, self.buckets)
        return attach(table, verdicts, unit, self.keys, _shard_errors(self.folder, unit))

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        writer = PartWriter(self.folder, f"part-{unit:05d}", self.schema, self.sources[unit])
        for table in tables:
            writer.add(table)
        commit(self.folder, Commit(unit, writer.close()), started)


def attach(table: pa.Table, verdicts: pa.Table, shard: int, keys: Sequence[str], errors: Mapping[int, str]) -> pa.Table:
    """Adds per method a struct {duplicate_of: int64 engine id of the kept copy or null, copies: int64 documents that
    share the key, itself included} and the reason: that of `errors` (by row) where making its keys failed, else of the
    first method that calls the row a duplicate."""
    rows = table["_row"]
    docs = pack_doc(shard, np.asarray(rows))
    reasons = pc.coalesce(table["drop_reason"], pa.array([errors.get(row) for row in rows.to_pylist()], pa.string()))
    table = table.drop_columns(["_row", "drop_reason"])
    for number, key in enumerate(keys):
        own = verdicts.filter(pc.equal(verdicts["method"], pa.scalar(number, pa.uint8())))
        known = np.asarray(own["doc"])
        at = np.searchsorted(known, docs)
        hit = at < len(known)
        hit[hit] = known[at[hit]] == docs[hit]
        index = pa.array(np.where(hit, at, 0), mask=~hit)
        survivor = own["duplicate_of"].take(index)
        copies = pc.fill_null(own["copies"].take(index), 1)
        doomed = pc.fill_null(pc.not_equal(survivor, pa.array(docs)), False)
        survivor = pc.if_else(doomed, survivor, pa.scalar(None, pa.int64()))
        reasons = pc.coalesce(reasons, pc.if_else(doomed, duplicate_reason(key), pa.scalar(None, pa.string())))
        arrays = [_whole(survivor), _whole(copies)]
        table = table.append_column(key, pa.StructArray.from_arrays(arrays, names=["duplicate_of", "copies"]))
    return table.append_column("drop_reason", reasons)


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


@lru_cache(maxsize=2)
def _shard_verdicts(folder: str, shard: int, buckets: int) -> pa.Table:
    """The shard's rows of every bucket's file, sorted by (doc, method); row-group statistics skip the rest."""
    low, high = shard << 32, (shard + 1) << 32
    pieces = []
    for bucket in range(buckets):
        fs, path = storage.resolve(bucket_path(folder, bucket))
        within = [("doc", ">=", low), ("doc", "<", high)]
        pieces.append(pq.read_table(path, filesystem=fs, filters=within, schema=VERDICT_SCHEMA))
    return pa.concat_tables(pieces).sort_by([("doc", "ascending"), ("method", "ascending")])


@lru_cache(maxsize=2)
def _shard_errors(folder: str, shard: int) -> dict[int, str]:
    """Reason by row of the documents that no keys could be made of."""
    done = committed(folder, shard, KEYS)
    assert done is not None, "keys come before attach"
    return dict(done.extra["errors"])


def _commit(folder: str, step: str, unit: int, rows: int, file: str, started: float, **more: Any) -> None:
    files = {file: {"bytes": storage.size(storage.join(folder, file))}}
    commit(folder, Commit(unit, (), extra={"rows": rows, "files": files, **more}), started, step)
