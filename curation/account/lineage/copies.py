"""The copies of documents: documents with the same text, and documents that a dedup stage put in the same cluster.

Documents with the same `text_hash` have the same text; a look-up finds them in every source, kept or dropped. Members
of a cluster may have copies in the clusters of other dedup stages, so the search repeats until it finds nothing new.
Clusters are compared as they were before any was split. One pass over a narrow column of a dedup stage gives the
members of the clusters in question. Memory: a shard's columns and the copies.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from curation.account.lineage.look_up import find
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import Rows, SealedShard, SealedStage
from curation.account.sealed.walk import merged, origin, spread
from curation.core.document import ROW_BITS
from curation.core.threads import map_threads

NO_CLUSTER = -1
SAME = ("doc_id", "text_hash")  # columns in which copies agree


@dataclass
class Copies:
    """`rows` of the first stages include the requested rows; `elsewhere` lists copies in earlier runs."""

    rows: Rows
    elsewhere: list[dict[str, str | None]] = field(default_factory=list)  # {"run", "doc_id"}
    passes: int = 0  # over dedup stages


def with_copies(run: RunFolder, requested: Rows) -> Copies:
    """The documents of `requested`, rows of first stages, and all their copies, including documents with the same
    doc_id in the stages of earlier recipes."""
    copies = Copies(requested)
    searched: dict[SealedStage, Ints] = {}  # clusters
    fresh = requested
    while fresh:
        clusters_by_stage = _clusters(spread(run, fresh))
        fresh = merged(*(find(run, name, values_of(fresh, name))[0] for name in SAME))
        for stage, clusters in clusters_by_stage.items():
            new = np.setdiff1d(clusters, searched.get(stage, np.empty(0, np.int64)))
            if len(new):
                searched[stage] = np.union1d(clusters, searched.get(stage, new))
                copies.elsewhere += _elsewhere(stage, new)
                fresh = merged(fresh, _members(run, stage, new))
                copies.passes += 1
        fresh = _without(fresh, copies.rows)
        copies.rows = merged(copies.rows, fresh)
    return copies


def values_of(rows: Rows, name: str) -> list[str]:
    """The distinct values of a column in some rows, without null, in order of stage, shard and row."""
    shards = sorted(rows, key=lambda shard: shard.key)
    columns = map_threads(lambda shard: shard.column(name, rows[shard]), shards)
    return list(dict.fromkeys(value for column in columns for value in column.drop_null().to_pylist()))


def link_methods(stage: SealedStage) -> list[str]:
    """The columns of the dedup methods that link documents; empty for other stages."""
    types = dict(stage.manifest.schema)
    return [key for key in stage.manifest.order if "cluster:" in types.get(key, "")] if stage.verb.clusters else []


def _clusters(rows: Rows) -> dict[SealedStage, Ints]:
    """The clusters of the rows, by dedup stage."""
    clusters: dict[SealedStage, Ints] = {}
    for shard in sorted(rows, key=lambda shard: shard.key):
        for key in link_methods(shard.stage):
            own = _column(shard, key)[rows[shard]]
            clusters[shard.stage] = np.union1d(clusters.get(shard.stage, own[:0]), own[own != NO_CLUSTER])
    return clusters


def _members(run: RunFolder, stage: SealedStage, clusters: Ints) -> Rows:
    """The members of the clusters, as rows of first stages. Reads all shards of the stage."""

    def of_shard(shard: SealedShard) -> Rows:
        columns = [_column(shard, key) for key in link_methods(stage)]
        rows = [np.flatnonzero(np.isin(column, clusters)) for column in columns]
        return merged(*(origin(run, shard, own) for own in rows if len(own)))

    return merged(*map_threads(of_shard, stage.shards))


def _column(shard: SealedShard, key: str) -> Ints:
    """int64[N]: each row's cluster in one method's column."""
    column = shard.read([f"{key}.cluster"])[key].combine_chunks()
    return np.asarray(pc.fill_null(pc.struct_field(column, "cluster"), NO_CLUSTER))


def _elsewhere(stage: SealedStage, clusters: Ints) -> list[dict[str, str | None]]:
    """The documents of earlier runs among the clusters' names; their shards are numbered after the stage's own."""
    places = map(stage.document, clusters[clusters >> ROW_BITS >= len(stage.shards)].tolist())
    documents = ((place.folder, place.shard.row(place.row) if place.shard is not None else {}) for place in places)
    return [{"run": folder.rpartition("/")[0], "doc_id": row.get("doc_id")} for folder, row in documents]


def _without(rows: Rows, others: Rows) -> Rows:
    left = {shard: np.setdiff1d(own, others.get(shard, own[:0])) for shard, own in rows.items()}
    return {shard: own for shard, own in left.items() if len(own)}
