"""Takes the text of some rows out of a stage's Parquet files: same rows, same order, same reasons, same row groups.

These become null: `text`, `tokens`, every other column of words, bytes or lists (such as vectors), and the `title`
inside signals. What stays says which document it was and what was decided: doc_id, url and the other columns of the
head, drop_reason, split, and the structs of signals, none of which quotes the text (spans are numbers of bytes).
A dedup stage also forgets the documents' keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import Part
from curation.core.composed import read_rows
from curation.core.document import kept_mask, pack_doc
from curation.core.manifest import Manifest
from curation.core.protocols import Ints
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.dedup.clusters.survival import Keep
from curation.engine.erase.dedup_keys import forget, methods_of
from curation.engine.erase.replacing import Replacement, rewrite_groups
from curation.engine.removed.tombstones import without_text
from curation.engine.run.part_files import PartCounts, text_lengths


@dataclass(frozen=True)
class Erasure:
    """What becomes of a stage: its manifest, the checksums of its new files, {"before", "after"} by name, and how many
    documents and rows it loses."""

    manifest: Manifest
    files: dict[str, dict[str, str]]
    documents: int
    rows: int


def erase_documents(stage: ShardFiles, shards: Mapping[int, Ints], replacement: Replacement) -> Erasure:
    """Writes the new files of the shards that hold rows (ascending) to erase, and their commits."""
    manifest = stage.manifest
    numbers = sorted(shards)

    def of_shard(shard: int) -> tuple[set[str], Part]:
        part = manifest.shards[shard]
        names, left = _without_documents(stage, shard, shards[shard])
        new = erase_rows(stage.folder, part, shards[shard], replacement.path(stage.folder, part.file))
        return names, replace(new, text_bytes=left["text_bytes"], kept_text_bytes=left["kept_text_bytes"])

    erased = map_threads(of_shard, numbers)
    new = {part.file: part for _, part in erased}
    commits = tuple(
        replace(commit, parts=tuple(new.get(part.file, part) for part in commit.parts)) for commit in manifest.commits
    )
    changed = [commit for commit in commits if any(part.file in new for part in commit.parts)]
    replacement.put_commits(stage.folder, changed)
    old = (manifest.shards[shard] for shard in numbers)
    files = {part.file: {"before": part.blake2b, "after": new[part.file].blake2b} for part in old}
    if manifest.verb.clusters:
        docs = np.concatenate([pack_doc(shard, shards[shard]) for shard in numbers])
        files |= forget(replacement, stage, methods_of(manifest), Keep.parse(manifest.address_parts["keep"]), docs)
    return Erasure(
        replace(manifest, shards=ShardTable.of(commits, stage.folder, manifest.chain)),
        files,
        documents=len(set[str]().union(*(names for names, _ in erased))),
        rows=sum(map(len, shards.values())),
    )


def _without_documents(stage: ShardFiles, shard: int, rows: Ints) -> tuple[set[str], dict[str, int]]:
    """The doc_ids of the rows, and the bytes of text in the shard's `Part` without theirs."""
    part = stage.manifest.shards[shard]
    names = set[str]()
    left = {"text_bytes": part.text_bytes, "kept_text_bytes": part.kept_text_bytes}
    for table in read_rows(stage.files(shard), ("doc_id", "text", "drop_reason"), rows=rows):
        names.update(table["doc_id"].to_pylist())
        sizes = text_lengths(table)
        left["text_bytes"] -= int(sizes.sum())
        left["kept_text_bytes"] -= int(sizes[np.asarray(kept_mask(table))].sum())
    return names, left


def erase_rows(folder: str, part: Part, rows: Ints, target: str) -> Part:
    """Writes the part file anew at `target`, without the text of `rows` (ascending); returns its entry for the commit,
    which counts the bytes of text that are left in the file. A file without those texts comes out the same."""
    counts = PartCounts()

    def change(table: pa.Table, first: int) -> pa.Table:
        low, high = np.searchsorted(rows, [first, first + table.num_rows])
        if low < high:
            table = _erased(table, rows[low:high] - first)
        counts.add(table)
        return table

    facts = rewrite_groups(storage.join(folder, part.file), target, change)
    return counts.part(part.file, part.source, facts)


def _erased(table: pa.Table, rows: Ints) -> pa.Table:
    gone = np.zeros(table.num_rows, bool)
    gone[rows] = True
    parts = [table.filter(pa.array(~gone)), without_text(table.filter(pa.array(gone)))]
    order = np.concatenate([np.flatnonzero(~gone), rows])
    return pa.concat_tables(parts).take(pa.array(np.argsort(order))).combine_chunks()
