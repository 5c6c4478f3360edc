"""The look-up table of a source's first stage: every url, doc_id and text hash, hashed, with its shard and row.

*scatter*: each shard sends its keys to buckets by prefix. *gather*: each bucket writes one Parquet file sorted by key,
of which a question reads one row group.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.document import bucket_of, pack_doc
from curation.core.manifest import Commit
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import read_all, write_routed
from curation.engine.run.steps import commit
from curation.engine.run.work import FileWork, Unit
from curation.text.kernels.hashing import hash64

KEYS, BUCKETS = "_keys", "_buckets"
COLUMNS = ("url", "doc_id", "text_hash")  # whose number is a key's kind
SCHEMA = pa.schema([("key_hi", pa.uint64()), ("key_lo", pa.uint64()), ("doc", pa.int64()), ("method", pa.uint8())])
GATHER_ROWS = 16_384  # rows per row group: what one look-up reads


@dataclass(frozen=True)
class Scatter:
    """The keys of a shard's rows, kept or not: (hash64 of the value, kind) for each value that is not null."""

    folder: str
    buckets: int

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        yield from read_part(unit.payload, columns=COLUMNS, kept_only=False)

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        docs = pack_doc(unit, np.asarray(table["_row"]))
        keys = [_keys(table[name], kind, docs) for kind, name in enumerate(COLUMNS)]
        return pa.concat_tables(keys)

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        table = pa.concat_tables([SCHEMA.empty_table(), *tables])
        path = keys_path(self.folder, unit)
        write_routed(path, table, bucket_of(np.asarray(table["key_hi"]), self.buckets), self.buckets)
        _commit(self.folder, KEYS, unit, path, table.num_rows, started)


@dataclass(frozen=True)
class Gather(FileWork):
    """One bucket's rows of all shards, sorted by key."""

    folder: str
    shards: int

    def work(self, unit: int, started: float) -> None:
        table = read_all((keys_path(self.folder, shard) for shard in range(self.shards)), SCHEMA, unit)
        order = np.lexsort([np.asarray(table[name]) for name in ("doc", "key_lo", "key_hi")])
        path = bucket_path(self.folder, unit)
        fs, inner = storage.resolve(path)
        pq.write_table(
            table.take(pa.array(order)), inner, filesystem=fs, row_group_size=GATHER_ROWS, compression="zstd"
        )
        _commit(self.folder, BUCKETS, unit, path, table.num_rows, started)


def _keys(values: pa.ChunkedArray, kind: int, docs: npt.NDArray[np.int64]) -> pa.Table:
    valid = np.asarray(values.is_valid())
    hi = hash64(values.cast(pa.large_string()))[valid]
    columns = [hi, np.full(len(hi), kind, np.uint64), docs[valid], np.zeros(len(hi), np.uint8)]
    return pa.Table.from_arrays([pa.array(one) for one in columns], schema=SCHEMA)


def keys_path(folder: str, shard: int) -> str:
    return storage.join(folder, KEYS, f"keys-{shard:05d}.arrow")


def bucket_path(folder: str, bucket: int) -> str:
    return storage.join(folder, BUCKETS, f"bucket-{bucket:05d}.parquet")


def _commit(folder: str, step: str, unit: int, path: str, rows: int, started: float) -> None:
    files = {path[len(folder) + 1 :]: {"bytes": storage.size(path)}}
    commit(folder, Commit(unit, (), extra={"rows": rows, "files": files}), started, step)
