"""Builds the look-up table of a source's first stage: every url, doc_id, text hash and record id, hashed, with
its shard and row.

*index*: each shard sends its keys to buckets by prefix. *sort index*: each bucket writes one Parquet file sorted by
key, of which a look-up reads one row group. The number of buckets follows from the number of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import Commit
from curation.core.document import pack_doc
from curation.core.needs import MEMORY, Needs
from curation.core.new_file import NewFile
from curation.engine.executor.work import Cheap, Unit
from curation.engine.run.exchange import PORTIONS, Step, buckets_for, delivered
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import ByKey, Outbox
from curation.engine.run.sent_files import SentFiles
from curation.text.kernels.hashing import hash64

KEYS = "_keys"
GATHERED = "_gathered"
BUCKETS = "_buckets"
COLUMNS = ("url", "doc_id", "text_hash", "record_id")  # a key's kind is the number of its column here
SCHEMA = pa.schema([("key_hi", pa.uint64()), ("key_lo", pa.uint64()), ("doc", pa.int64()), ("method", pa.uint8())])
GROUP_ROWS = 16_384  # rows per row group: what one look-up reads
ROW_BYTES = 64  # of memory for each row while its bucket is sorted; so a bucket has up to 14 million rows


@dataclass(frozen=True)
class LookupKeysStep(Cheap):
    """Sends the keys of a shard's rows, kept or dropped: (hash64 of the value, kind) for each value that is not
    null."""

    folder: str

    def run(self, unit: Unit) -> Commit:
        tables = [SCHEMA.empty_table()]
        for table in read_part(unit.payload, columns=COLUMNS, kept_only=False):
            docs = pack_doc(unit.number, np.asarray(table["_row"]))
            tables += [_keys(table[name], kind, docs) for kind, name in enumerate(COLUMNS)]
        keys = pa.concat_tables(tables)
        outbox = Outbox(self.folder, KEYS, unit.number)
        outbox.send("keys", keys, ByKey(), PORTIONS)
        return outbox.done(rows=keys.num_rows)


@dataclass(frozen=True)
class SortStep:
    """Writes one bucket's rows of all shards, sorted by key. `rows`: the number of rows in all buckets."""

    folder: str
    rows: int
    buckets: int

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + ROW_BYTES * self.rows // self.buckets)

    def run(self, unit: Unit) -> Commit:
        table = unit.payload.table(SCHEMA)
        order = np.lexsort([np.asarray(table[name]) for name in ("doc", "key_lo", "key_hi")])
        path = bucket_path(self.folder, unit.number)
        outbox = Outbox(self.folder, BUCKETS, unit.number)
        with NewFile(path) as file:
            pq.write_table(table.take(pa.array(order)), file, row_group_size=GROUP_ROWS, compression="zstd")
        assert file.facts is not None, "it was just published"
        outbox.add(path, file.facts)
        return outbox.done(rows=table.num_rows)


def build(step: Step, folder: str, paths: Sequence[str]) -> dict[str, int]:
    """Builds the table of the part files at `paths`; returns the manifest's entry."""
    indexed = step("index", LookupKeysStep(folder), [Unit(number, (path,)) for number, path in enumerate(paths)], KEYS)
    rows = sum(commit.extra["rows"] for commit in indexed)
    buckets = buckets_for(rows * ROW_BYTES)
    sent = delivered(step, SentFiles.of(folder, KEYS, "keys", indexed), ByKey(buckets), GATHERED)
    step(
        "sort index",
        SortStep(folder, rows, buckets),
        [Unit(number, sent.to(number, buckets)) for number in range(buckets)],
        BUCKETS,
    )
    return {"buckets": buckets, "rows": rows}


def _keys(values: pa.ChunkedArray, kind: int, docs: npt.NDArray[np.int64]) -> pa.Table:
    valid = np.asarray(values.is_valid())
    hi = hash64(values.cast(pa.large_string()))[valid]
    columns = [hi, np.full(len(hi), kind, np.uint64), docs[valid], np.zeros(len(hi), np.uint8)]
    return pa.Table.from_arrays([pa.array(values) for values in columns], schema=SCHEMA)


def bucket_path(folder: str, bucket: int) -> str:
    return storage.join(folder, BUCKETS, f"bucket-{bucket:05d}.parquet")
