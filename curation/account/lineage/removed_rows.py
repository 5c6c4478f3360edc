"""Finds the documents of a run that were taken down elsewhere: in the runs that it reads, or by its recipe's list.

A stage that ran under these removals has dropped them as `takedown`; a first stage before it may still hold the text of
one that only its keys gave away. A stage that was sealed before a removal was known still holds all of them.
"""

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.lineage.copies import values_of
from curation.account.lineage.look_up import find
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import Rows, SealedShard
from curation.account.sealed.walk import merged, origin
from curation.core.reasons import TAKEDOWN
from curation.core.removals import KnownTakedown
from curation.core.threads import map_threads
from curation.dedup.page_names import page_names


def dropped_rows(run: RunFolder) -> Rows:
    """The documents that stages of the run dropped as taken down, as rows of first stages."""
    shards = [
        shard
        for stage in run.stages
        if stage.verb.documents and stage.manifest.merged("dropped").get(TAKEDOWN)
        for shard in stage.shards
        if shard.part.dropped.get(TAKEDOWN)
    ]
    return merged(*map_threads(lambda shard: origin(run, shard, _taken(shard)), shards))


def named_rows(run: RunFolder, removals: Iterable[KnownTakedown]) -> Rows:
    """The documents of the run that removals name, by id, text or URL, as rows of first stages. Reads the URLs of all
    documents where a removal names some."""
    every = list(removals)
    ids = dict.fromkeys(name for removal in every for name in removal.doc_ids)
    texts = dict.fromkeys(name for removal in every for name in removal.texts)
    urls = list(dict.fromkeys(name for removal in every for name in removal.urls))
    by_name = [find(run, "doc_id", list(ids))[0], find(run, "text_hash", list(texts))[0]]
    return merged(*by_name, *([_rows_of_pages(run, urls)] if urls else []))


def same_pages(run: RunFolder, urls: Sequence[str]) -> tuple[Rows, set[str]]:
    """The rows of first stages whose URLs name the same pages as these, such as with `utm_source`, and those of `urls`
    that a document has so. Reads the URLs of all documents."""
    names = page_names(pa.array(urls, pa.string())).to_pylist()
    rows = _rows_of_pages(run, [name for name in names if name is not None])
    found = set(page_names(pa.array(values_of(rows, "url"), pa.string())).to_pylist()) - {None}
    return rows, {url for url, name in zip(urls, names, strict=True) if name in found}


def _rows_of_pages(run: RunFolder, names: list[str]) -> Rows:
    shards = [shard for stage in run.stages if stage.verb.begins for shard in stage.shards]
    found = map_threads(lambda shard: _with_url(shard, names), shards)
    return {shard: rows for shard, rows in zip(shards, found, strict=True) if len(rows)}


def with_text(rows: Rows) -> Rows:
    """The rows without those that their first stage dropped as taken down: it never wrote their texts."""
    left = {shard: np.setdiff1d(own, _taken(shard)) for shard, own in rows.items()}
    return {shard: own for shard, own in left.items() if len(own)}


def removed_by(rows: Rows, removals: Collection[KnownTakedown]) -> list[str]:
    """The runs and lists that name one of the documents; all of them where none does, because then a document was
    recognised by its keys."""
    found = list(dict.fromkeys(removal.of for removal in removals if _names_one(rows, removal)))
    return found or list(dict.fromkeys(removal.of for removal in removals))


def _names_one(rows: Rows, removal: KnownTakedown) -> bool:
    wanted = {"doc_id": removal.doc_ids, "text_hash": removal.texts, "url": removal.urls}
    for shard, own in rows.items():
        for name, values in wanted.items():
            if values and pc.any(_named(shard.column(name, own), name, values)).as_py():
                return True
    return False


def _with_url(shard: SealedShard, names: list[str]) -> Ints:
    """The rows of a shard whose URLs have one of these names."""
    return np.flatnonzero(np.asarray(_named(shard.read(["url"])["url"], "url", names)))


def _named(column: pa.ChunkedArray, name: str, values: Collection[str]) -> pa.Array:
    names = page_names(column) if name == "url" else column
    found = pc.is_in(names, pa.array(values, pa.string()))
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _taken(shard: SealedShard) -> Ints:
    """The rows of a shard that were dropped as taken down."""
    if not shard.part.dropped.get(TAKEDOWN):
        return np.empty(0, np.int64)
    return np.flatnonzero(
        np.asarray(pc.fill_null(pc.equal(shard.read(["drop_reason"])["drop_reason"], TAKEDOWN), False))
    )
