"""Single documents of sealed stages: found by engine id or by key, and read with their row group only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from curation.core import storage
from curation.core.document import ROW_BITS, bucket_of
from curation.core.errors import InputError
from curation.core.manifest import Manifest, read_manifest
from curation.core.parquet_file import open_parquet
from curation.core.threads import at_once

URL, DOC_ID, TEXT_HASH = 0, 1, 2  # kinds of keys in a look-up table
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Place:
    """Where a document lies: a stage's folder and manifest (None where it is no longer there), shard and row."""

    folder: str
    manifest: Manifest | None
    shard: int
    row: int


def find_document(folder: str, manifest: Manifest, doc: int) -> Place:
    """The place of the engine id `doc` of the stage at `folder`, or of a stage of an earlier run that it was compared
    with: the shards of those follow after the stage's own."""
    shard, row = doc >> ROW_BITS, doc & ((1 << ROW_BITS) - 1)
    if shard < len(manifest.parts):
        return Place(folder, manifest, shard, row)
    for one in (manifest.dedup or {}).get("earlier", ()):
        if one["first"] <= shard < one["first"] + one["shards"]:
            return Place(one["folder"], read_manifest(one["folder"]), shard - one["first"], row)
    raise InputError(f"{manifest.name} names a document of shard {shard}, which it does not have")


def read_row(folder: str, manifest: Manifest, shard: int, row: int, *, beginning: int = 0) -> dict[str, Any]:
    """All columns of one row; `text` and `tokens` as their sizes, or `text` as its first `beginning` characters."""
    asked = row
    with open_parquet(storage.join(folder, manifest.parts[shard].file)) as parquet:
        for group in range(parquet.metadata.num_row_groups):
            rows = parquet.metadata.row_group(group).num_rows
            if row < rows:
                table = parquet.read_row_group(group).slice(row, 1)
                large = [name for name in ("text", "tokens") if name in table.column_names]
                values: dict[str, Any] = table.drop_columns(large).to_pylist()[0]
                text = table["text"]
                if beginning:
                    values["text"] = pc.utf8_slice_codeunits(text, 0, beginning)[0].as_py() or ""
                else:
                    values["text"] = pc.binary_length(text)[0].as_py() or 0
                if "tokens" in large:
                    values["tokens"] = pc.list_value_length(table["tokens"])[0].as_py() or 0
                return values
            row -= rows
    raise InputError(f"{folder} has no row {asked} in shard {shard}; its files do not match its manifest")


def look_up(folder: str, manifest: Manifest, hashes: npt.NDArray[np.uint64], kind: int) -> Ints:
    """int64[D]: engine ids, ascending, of the rows of a reading stage whose url, doc_id or text_hash has one of
    the hashes (ascending); reads the row groups of its look-up table that may hold one."""
    buckets = bucket_of(hashes, manifest.address_parts["buckets"])

    def of_bucket(bucket: int) -> Ints:
        found, own = [np.empty(0, np.int64)], hashes[buckets == bucket]
        with open_parquet(storage.join(folder, "_buckets", f"bucket-{bucket:05d}.parquet")) as file:
            for group in range(file.metadata.num_row_groups):
                limits = file.metadata.row_group(group).column(0).statistics  # of key_hi
                low, high = np.searchsorted(own, np.array([limits.min, limits.max], np.uint64), side="left")
                if low == high and not (high < len(own) and own[high] == limits.max):
                    continue
                table = file.read_row_group(group)
                match = np.isin(np.asarray(table["key_hi"]), own) & (np.asarray(table["key_lo"]) == kind)
                found.append(np.asarray(table["doc"])[match])
        return np.concatenate(found)

    found = at_once(of_bucket, np.unique(buckets).tolist())
    return np.unique(np.concatenate([np.empty(0, np.int64), *found]))


def kept_rows(folder: str, manifest: Manifest, shard: int) -> npt.NDArray[np.bool_]:
    """bool[N]: the shard's rows without a drop reason."""
    with open_parquet(storage.join(folder, manifest.parts[shard].file)) as file:
        return np.asarray(file.read(columns=["drop_reason"])["drop_reason"].is_null())
