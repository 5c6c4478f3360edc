"""Finds documents by url, doc_id, text hash or record id in the look-up tables of the first stages.

A look-up reads the row groups of a table that may hold a key, then one narrow column of the shards that it names,
because another value may have the same hash.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.redacted import forms_of
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import Rows, SealedShard, SealedStage
from curation.account.sealed.walk import merged
from curation.core import storage
from curation.core.document import bucket_of, unpack_doc
from curation.core.parquet_file import open_parquet
from curation.core.threads import map_threads
from curation.text.plain_hash import plain_hash64

FEW = 100  # values
KINDS = {"url": 0, "doc_id": 1, "text_hash": 2, "record_id": 3}  # searchable columns and their numbers in the tables


def find_requested(run: RunFolder, column: str, values: Sequence[str]) -> tuple[Rows, set[str]]:
    """As `find`, for what somebody asks: documents are also found by a URL that a redacting stage has changed since."""
    rows, known = find(run, column, values)
    if column != "url" or not (forms := forms_of(run.record, values)):
        return rows, known
    more, new = find(run, column, list(forms))
    return merged(rows, more), known | {forms[form] for form in new}


def find(run: RunFolder, column: str, values: Sequence[str]) -> tuple[Rows, set[str]]:
    """The rows of first stages with one of the values in the column, and those of the values that a document has."""
    wanted = pa.array(values, pa.string())
    hashes = np.unique(_hashes(values))
    rows: Rows = {}
    known: set[str] = set()
    for stage in run.stages:
        if stage.verb.begins:
            candidates = _candidates(stage, hashes, KINDS[column])
            columns = map_threads(lambda place: place[0].column(column, place[1]), candidates)
            for (shard, own), stated in zip(candidates, columns, strict=True):
                match = pc.is_in(stated, wanted).combine_chunks()
                if match.true_count:
                    rows[shard] = own[np.asarray(match)]
                    known.update(stated.filter(match).to_pylist())
    return rows, known


def _hashes(values: Sequence[str]) -> npt.NDArray[np.uint64]:
    """uint64[N]: the values' hashes, without compiled code for as few as a question names."""
    if len(values) <= FEW:
        return np.array([plain_hash64(value) for value in values], np.uint64)
    from curation.text.kernels.hashing import hash64

    return hash64(pa.array(values, pa.large_string()))


def _candidates(stage: SealedStage, hashes: npt.NDArray[np.uint64], kind: int) -> list[tuple[SealedShard, Ints]]:
    """The rows of each shard, ascending, whose key has one of the hashes; these are ascending too."""
    assert stage.manifest.lookup is not None, "a first stage has a look-up table"
    buckets = bucket_of(hashes, stage.manifest.lookup["buckets"])

    def of_bucket(bucket: int) -> Ints:
        documents = [np.empty(0, np.int64)]
        own = hashes[buckets == bucket]
        with open_parquet(storage.join(stage.folder, "_buckets", f"bucket-{bucket:05d}.parquet")) as file:
            for group in range(file.metadata.num_row_groups):
                limits = file.metadata.row_group(group).column(0).statistics  # of key_hi
                low, high = np.searchsorted(own, np.array([limits.min, limits.max], np.uint64), side="left")
                if low == high and not (high < len(own) and own[high] == limits.max):
                    continue
                table = file.read_row_group(group)
                match = np.isin(np.asarray(table["key_hi"]), own) & (np.asarray(table["key_lo"]) == kind)
                documents.append(np.asarray(table["doc"])[match])
        return np.concatenate(documents)

    documents = map_threads(of_bucket, np.unique(buckets).tolist())
    shards, rows = unpack_doc(np.unique(np.concatenate([np.empty(0, np.int64), *documents])))
    return [(stage.shards[shard], rows[shards == shard]) for shard in np.unique(shards).tolist()]
