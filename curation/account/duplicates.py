"""Summarises what dedup removed: clusters by size, the largest with samples, removal by source and host."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation.account.redacted import Redactor
from curation.account.sealed.provenance import hosts
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.status import not_yet
from curation.core.errors import InputError

BEGINNING = 160  # characters of a sample's text
HOSTS = 20  # shown, with the most documents removed
PREFIX = "dedup."  # of drop reasons
NO_HOST = "(none)"


@dataclass(frozen=True)
class Removal:
    """Documents of a source or host before dedup, and those removed."""

    name: str
    documents: int
    removed: int

    @property
    def share(self) -> float:
        return self.removed / self.documents if self.documents else 0.0


@dataclass(frozen=True)
class StageDuplicates:
    """One dedup stage. `sizes`: (largest number of documents, clusters); `figures`: counts of keys, links and pairs.

    A cluster has its number of `documents`, its `diameter` (edges of the longest shortest path) and `samples` of its
    best documents: `url`, `doc_id`, the `beginning` of the text, and `kept`, false for a duplicate.
    """

    name: str
    rows: int
    removed: dict[str, int]  # by method
    figures: dict[str, Any]
    sizes: tuple[tuple[int, int], ...]
    largest: tuple[dict[str, Any], ...]
    above: tuple[dict[str, Any], ...]
    clusters_above: int
    clusters_split: int
    by_source: tuple[Removal, ...]
    by_host: tuple[Removal, ...]


def duplicates(run: RunFolder) -> list[StageDuplicates]:
    """Every dedup stage of the run, in order. Raises InputError if there is none."""
    redactor = Redactor.of(run)
    stages = [stage_duplicates(stage, redactor, stage.shards) for stage in run.stages if stage.verb.clusters]
    if not stages:
        pending = not_yet(run) or "add `- dedup: {exact: {}}` to its recipe"
        raise InputError(f"{run.folder} has no sealed dedup stage; {pending}")
    return stages


def stage_duplicates(stage: SealedStage, redactor: Redactor, shards: Sequence[SealedShard]) -> StageDuplicates:
    """Duplicates of one dedup stage; hosts are counted in the given shards."""
    manifest = stage.manifest
    figures = dict(manifest.dedup or {})
    clusters = figures.pop("clusters", None) or {}
    removed = {
        reason.removeprefix(PREFIX).partition(":")[0]: count
        for reason, count in manifest.merged("dropped").items()
        if reason.startswith(PREFIX)
    }
    return StageDuplicates(
        name=manifest.name,
        rows=manifest.total("rows"),
        removed=removed,
        figures={name: value for name, value in figures.items() if name != "earlier"},
        sizes=tuple((upto, count) for upto, count in clusters.get("sizes", ())),
        largest=tuple(_shown(stage, redactor, cluster) for cluster in clusters.get("largest", ())),
        above=tuple(_shown(stage, redactor, cluster) for cluster in clusters.get("above", ())),
        clusters_above=clusters.get("clusters_above", 0),
        clusters_split=clusters.get("clusters_split", 0),
        by_source=_by_source(stage),
        by_host=_by_host(shards),
    )


def _shown(stage: SealedStage, redactor: Redactor, cluster: dict[str, Any]) -> dict[str, Any]:
    samples = tuple(_sample(stage, redactor, doc) for doc in (cluster["root"], *cluster["members"]))
    return {"documents": cluster["documents"], "diameter": cluster["diameter"], "samples": samples}


def _sample(stage: SealedStage, redactor: Redactor, doc: int) -> dict[str, Any]:
    place = stage.document(doc)
    if place.shard is None:
        gone = f"(in {place.folder}, which no longer exists)"
        return {"url": None, "doc_id": None, "beginning": gone, "kept": True}
    row = redactor.row(place.shard.row(place.row, beginning=4 * BEGINNING))
    return {
        "url": row["url"],
        "doc_id": row["doc_id"],
        "beginning": " ".join(row["text"].split())[:BEGINNING],
        # A document of an earlier run always survives.
        "kept": row["drop_reason"] is None or place.folder != stage.folder,
    }


def _by_source(stage: SealedStage) -> tuple[Removal, ...]:
    rows = Counter[str]()
    removed = Counter[str]()
    for part in stage.manifest.parts:
        rows[part.source] += part.rows
        removed[part.source] += sum(count for reason, count in part.dropped.items() if reason.startswith(PREFIX))
    return tuple(Removal(name, rows[name], removed[name]) for name in rows)


def _by_host(shards: Sequence[SealedShard]) -> tuple[Removal, ...]:
    """The hosts that lost most documents, ties by name. Makes one pass over two columns."""
    rows = Counter[str]()
    removed = Counter[str]()
    for shard in shards:
        table = shard.read(["url", "drop_reason"])
        dropped = pc.fill_null(pc.starts_with(table["drop_reason"], PREFIX), False)
        counts = pa.table({"host": pc.fill_null(hosts(table["url"]), NO_HOST), "removed": dropped.cast(pa.int64())})
        for row in counts.group_by("host").aggregate([("removed", "count"), ("removed", "sum")]).to_pylist():
            rows[row["host"]] += row["removed_count"]
            removed[row["host"]] += row["removed_sum"]
    lost = sorted((-count, name) for name, count in removed.items() if count)
    return tuple(Removal(name, rows[name], -count) for count, name in lost[:HOSTS])
