"""The look-up table of a source's first stage: every url, doc_id and text hash, hashed, with its shard and row.

*scatter*: each shard sends its keys to buckets by prefix. *gather*: each bucket writes one Parquet file sorted by key,
of which a question reads one row group.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import Commit
from curation.core.document import bucket_of, pack_doc
from curation.core.new_file import NewFile
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import done, read_all, write_routed
from curation.engine.run.work import Cheap, Unit
from curation.text.kernels.hashing import hash64

KEYS, BUCKETS = "_keys", "_buckets"
COLUMNS = ("url", "doc_id", "text_hash")  # whose number is a key's kind
SCHEMA = pa.schema([("key_hi", pa.uint64()), ("key_lo", pa.uint64()), ("doc", pa.int64()), ("method", pa.uint8())])
GATHER_ROWS = 16_384  # rows per row group: what one look-up reads


@dataclass(frozen=True)
class Scatter(Cheap):
    """The keys of a shard's rows, kept or not: (hash64 of the value, kind) for each value that is not null."""

    folder: str
    buckets: int

    def run(self, unit: Unit) -> Commit:
        tables = [SCHEMA.empty_table()]
        for table in read_part(unit.payload, columns=COLUMNS, kept_only=False):
            docs = pack_doc(unit.number, np.asarray(table["_row"]))
            tables += [_keys(table[name], kind, docs) for kind, name in enumerate(COLUMNS)]
        keys = pa.concat_tables(tables)
        path = keys_path(self.folder, unit.number)
        write_routed(path, keys, bucket_of(np.asarray(keys["key_hi"]), self.buckets), self.buckets)
        return done(self.folder, unit.number, [path], rows=keys.num_rows)


@dataclass(frozen=True)
class Gather(Cheap):
    """One bucket's rows of all shards, sorted by key."""

    folder: str
    shards: int

    def run(self, unit: Unit) -> Commit:
        table = read_all((keys_path(self.folder, shard) for shard in range(self.shards)), SCHEMA, unit.number)
        order = np.lexsort([np.asarray(table[name]) for name in ("doc", "key_lo", "key_hi")])
        path = bucket_path(self.folder, unit.number)
        with NewFile(path) as file:
            pq.write_table(table.take(pa.array(order)), file, row_group_size=GATHER_ROWS, compression="zstd")
        return done(self.folder, unit.number, [path], rows=table.num_rows)


def _keys(values: pa.ChunkedArray, kind: int, docs: npt.NDArray[np.int64]) -> pa.Table:
    valid = np.asarray(values.is_valid())
    hi = hash64(values.cast(pa.large_string()))[valid]
    columns = [hi, np.full(len(hi), kind, np.uint64), docs[valid], np.zeros(len(hi), np.uint8)]
    return pa.Table.from_arrays([pa.array(one) for one in columns], schema=SCHEMA)


def keys_path(folder: str, shard: int) -> str:
    return storage.join(folder, KEYS, f"keys-{shard:05d}.arrow")


def bucket_path(folder: str, bucket: int) -> str:
    return storage.join(folder, BUCKETS, f"bucket-{bucket:05d}.parquet")
