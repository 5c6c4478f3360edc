"""Documents that were taken down: a stage that runs afterwards drops them before any of its parts sees their text.

A run's tombstones are doc_ids in `run.json`. Every task carries only where that is; a worker reads it once. N = rows.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import HEAD
from curation.core.manifest import Run, read_run
from curation.core.reasons import TAKEDOWN
from curation.text.hashing import Hashes, hash64

STAYS = (*HEAD.names, "drop_reason", "split")  # columns of words that the account needs to answer for a document
QUOTING = ("title",)  # fields inside a struct of signals that quote the page


@dataclass(frozen=True)
class Tombstones:
    """Those of the run in the folder `run`; `mark` is another one for other tombstones. Both are empty where there are
    none."""

    run: str = ""
    mark: str = ""

    @classmethod
    def of(cls, folder: str, run: Run | None) -> "Tombstones":
        if run is None or not run.tombstones:
            return cls()
        return cls(folder, hashlib.blake2b("\n".join(run.tombstones).encode(), digest_size=16).hexdigest())

    def mask(self, doc_ids: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        """bool[N]: the documents that are taken down."""
        found = np.zeros(len(doc_ids), np.bool_)
        if not self.mark or not len(doc_ids):
            return found
        ids, hashes = _read(self.run, self.mark)
        own = hash64(doc_ids.cast(pa.large_string()))
        at = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
        likely = np.flatnonzero(hashes[at] == own)
        if likely.size:
            found[likely] = np.asarray(pc.is_in(doc_ids.take(pa.array(likely)), ids))
        return found

    def spare(self, batch: pa.RecordBatch, call: Callable[[pa.RecordBatch], pa.RecordBatch]) -> pa.RecordBatch:
        """What `call` gives for the batch without the documents taken down; they stand in their places with the columns
        that they have, but no text, nulls in those that `call` adds, and the reason."""
        taken = self.mask(batch.column("doc_id")) if self.mark else np.zeros(0, np.bool_)
        if not taken.any():
            return call(batch)
        made = call(batch.filter(pa.array(~taken)))
        gone = without_text(batch.filter(pa.array(taken)))
        columns = [
            gone.column(name)
            if name in gone.schema.names and gone.schema.field(name).type == kind
            else _nulls(gone, kind)
            for name, kind in zip(made.schema.names, made.schema.types, strict=True)
        ]
        columns[made.schema.get_field_index("drop_reason")] = pa.array([TAKEDOWN] * len(gone), pa.string())
        whole = pa.concat_batches([made, pa.RecordBatch.from_arrays(columns, schema=made.schema)])
        order = np.concatenate([np.flatnonzero(~taken), np.flatnonzero(taken)])
        return whole.take(pa.array(np.argsort(order)))


NONE = Tombstones()


@lru_cache(maxsize=2)
def _read(run: str, mark: str) -> tuple[pa.Array, Hashes]:
    """The doc_ids, and their hashes in ascending order."""
    ids = pa.array(read_run(run).tombstones, pa.string())
    return ids, np.sort(hash64(ids.cast(pa.large_string())))


def not_taken(table: pa.Table) -> pa.Table:
    """The rows that the stage's parts saw: those that it did not drop as taken down."""
    if not pc.any(pc.equal(table["drop_reason"], TAKEDOWN)).as_py():
        return table
    return table.filter(pc.fill_null(pc.not_equal(table["drop_reason"], TAKEDOWN), True))


def without_text(rows: pa.RecordBatch | pa.Table) -> pa.RecordBatch | pa.Table:
    """The rows with nulls in every column, and every field of a struct, that holds text, tokens or vectors of it."""
    for index, field in enumerate(rows.schema):
        if bears_text(field):
            rows = rows.set_column(index, field, _nulls(rows, field.type))
        elif pa.types.is_struct(field.type) and any(one.name in QUOTING for one in field.type):
            rows = rows.set_column(index, field, _unquoted(rows.column(field.name)))
    return rows


def bears_text(field: pa.Field) -> bool:
    """True for a column of words, bytes or lists beside those that stay."""
    words = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_fixed_size_binary)
    return field.name not in STAYS and any(one(field.type) for one in (*words, *lists))


def _unquoted(structs: pa.Array | pa.ChunkedArray) -> pa.Array:
    structs = structs.combine_chunks() if isinstance(structs, pa.ChunkedArray) else structs
    fields = [
        pa.nulls(len(structs), field.type) if field.name in QUOTING else structs.field(field.name)
        for field in structs.type
    ]
    return pa.StructArray.from_arrays(fields, fields=list(structs.type), mask=structs.is_null())


def _nulls(rows: pa.RecordBatch | pa.Table, kind: pa.DataType) -> pa.Array:
    return pa.nulls(len(rows), kind)
