"""Documents that were taken down: a stage that runs afterwards drops them before a component sees their text.

A run's tombstones are doc_ids, hashes of texts and hashes of URLs in `run.json`: its own, those of the runs that it
reads, and those of its recipe's list. So a document stays out under another id too; only the extractor still sees its
page, because the text is not known before. Tasks carry only the run's folder; a worker reads the tombstones once.
N = rows.
"""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import HEAD, TEXT_HASH
from curation.core.manifest import RunRecord, read_run
from curation.core.reasons import TAKEDOWN
from curation.dedup.page_names import page_names
from curation.models.redaction.beside import QUOTING, quotes
from curation.text.kernels.hashing import Hashes, hash64

# Columns of text that stay, because the account needs them to answer for a document.
STAYS = (*HEAD.names, TEXT_HASH.name, "drop_reason", "split")
Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)
NAMED_BY = ("doc_id", TEXT_HASH.name, "url")  # columns that identify a document taken down: one match is enough


@dataclass(frozen=True)
class Tombstones:
    """The tombstones of the run in the folder `run`; `mark` is a hash of them. Both are empty where there are none."""

    run: str = ""
    mark: str = ""

    @classmethod
    def of(cls, folder: str, run: RunRecord | None) -> "Tombstones":
        names = [] if run is None else [name for known in _names(run) for name in known]
        if not names:
            return cls()
        return cls(folder, hashlib.blake2b("\n".join(names).encode(), digest_size=16).hexdigest())

    def mask(self, rows: pa.RecordBatch | pa.Table, columns: Collection[str] = NAMED_BY) -> npt.NDArray[np.bool_]:
        """bool[N]: the documents that were taken down, by those of the columns of NAMED_BY that the rows have."""
        taken = np.zeros(rows.num_rows, np.bool_)
        if self.mark and rows.num_rows:
            for name, (values, hashes) in zip(NAMED_BY, _read(self.run, self.mark), strict=True):
                if name in rows.schema.names and name in columns and len(values):
                    taken |= _among(page_names(rows[name]) if name == "url" else rows[name], values, hashes)
        return taken

    def spare(
        self,
        batch: pa.RecordBatch,
        call: Callable[[pa.RecordBatch], pa.RecordBatch],
        columns: Collection[str] = NAMED_BY,
    ) -> pa.RecordBatch:
        """The result of `call` for the batch without the documents taken down, by these columns. These are put back in
        their places, with their own columns but no text, nulls in the columns that `call` adds, and the reason."""
        taken = self.mask(batch, columns) if self.mark else np.zeros(0, np.bool_)
        if not taken.any():
            return call(batch)
        results = call(batch.filter(pa.array(~taken)))
        gone = without_text(batch.filter(pa.array(taken)))
        columns = [
            gone.column(name)
            if name in gone.schema.names and gone.schema.field(name).type == kind
            else pa.nulls(len(gone), kind)
            for name, kind in zip(results.schema.names, results.schema.types, strict=True)
        ]
        columns[results.schema.get_field_index("drop_reason")] = pa.array([TAKEDOWN] * len(gone), pa.string())
        whole = pa.concat_batches([results, pa.RecordBatch.from_arrays(columns, schema=results.schema)])
        order = np.concatenate([np.flatnonzero(~taken), np.flatnonzero(taken)])
        return whole.take(pa.array(np.argsort(order)))


NONE = Tombstones()


@lru_cache(maxsize=2)
def _read(run: str, mark: str) -> tuple[tuple[pa.Array, Hashes], ...]:
    """The values of each column of NAMED_BY, and their hashes in ascending order."""
    values = [pa.array(names, pa.string()) for names in _names(read_run(run))]
    return tuple((column, np.sort(hash64(column.cast(pa.large_string())))) for column in values)


def _names(run: RunRecord) -> tuple[list[str], ...]:
    """Values that identify the documents that stay out, for each column of NAMED_BY."""
    own = (run.tombstones, run.taken_texts, run.taken_urls)
    elsewhere = [(one.doc_ids, one.texts, one.urls) for one in run.removals]
    return tuple(
        list(dict.fromkeys(name for known in names for name in known)) for names in zip(own, *elsewhere, strict=True)
    )


def _among(names: pa.Array | pa.ChunkedArray, known: pa.Array, hashes: Hashes) -> npt.NDArray[np.bool_]:
    """bool[N]: whether each name is among `known`, whose `hashes` ascend."""
    among = np.zeros(len(names), np.bool_)
    if len(known):
        own = hash64(names.cast(pa.large_string()))
        likely = np.flatnonzero(hashes[np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)] == own)
        among[likely] = np.asarray(pc.is_in(names.take(pa.array(likely)), known))
    return among


def not_taken(table: pa.Table) -> pa.Table:
    """The rows that the stage's components saw: those that were not dropped as taken down."""
    if not pc.any(pc.equal(table["drop_reason"], TAKEDOWN)).as_py():
        return table
    return table.filter(pc.fill_null(pc.not_equal(table["drop_reason"], TAKEDOWN), True))


def without_text(rows: Rows) -> Rows:
    """The rows with nulls in every column, and every field of a struct, that holds text, tokens or vectors of it."""
    for index, field in enumerate(rows.schema):
        if bears_text(field):
            rows = rows.set_column(index, field, pa.nulls(len(rows), field.type))
        elif quotes(field.type):
            rows = rows.set_column(index, field, _unquoted(rows.column(field.name)))
    return rows


def bears_text(field: pa.Field) -> bool:
    """True for a column of text, bytes or lists that is not in STAYS."""
    words = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_fixed_size_binary)
    return field.name not in STAYS and any(is_kind(field.type) for is_kind in (*words, *lists))


def _unquoted(structs: pa.Array | pa.ChunkedArray) -> pa.Array:
    structs = structs.combine_chunks() if isinstance(structs, pa.ChunkedArray) else structs
    fields = [
        pa.nulls(len(structs), field.type) if field.name in QUOTING else structs.field(field.name)
        for field in structs.type
    ]
    return pa.StructArray.from_arrays(fields, fields=list(structs.type), mask=structs.is_null())
