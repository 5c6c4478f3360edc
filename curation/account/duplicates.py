"""What dedup removed and from whom: clusters by size, the largest with samples, removal by source and domain."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.core.errors import InputError
from curation.core.manifest import Manifest
from curation.models.lists import public_suffixes
from curation.text.urls.parse import parse_urls

BEGINNING = 160  # characters of a sample's text
DOMAINS = 20  # with the most documents removed
NO_DOMAIN = "(none)"


@dataclass(frozen=True)
class Sample:
    """One document of a cluster: its url and how its text begins. `kept` is false for a duplicate."""

    url: str | None
    doc_id: str | None
    beginning: str
    kept: bool


@dataclass(frozen=True)
class ShownCluster:
    """One cluster: its documents, the edges of the longest shortest path, and its best documents."""

    documents: int
    diameter: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Removal:
    """What a source or domain had and lost."""

    name: str
    documents: int
    removed: int

    @property
    def share(self) -> float:
        return self.removed / self.documents if self.documents else 0.0


@dataclass(frozen=True)
class StageDuplicates:
    """One dedup stage. `sizes`: (up to so many documents, clusters); `found`: its counts of keys, links and pairs."""

    name: str
    rows: int
    removed: dict[str, int]  # by method
    found: dict[str, Any]
    sizes: tuple[tuple[int, int], ...]
    largest: tuple[ShownCluster, ...]
    above: tuple[ShownCluster, ...]
    clusters_above: int
    clusters_split: int
    by_source: tuple[Removal, ...]
    by_domain: tuple[Removal, ...]


def duplicates(run: RunFolder) -> list[StageDuplicates]:
    """Every dedup stage of the run, in order. Raises InputError where there is none."""
    stages = [_of_stage(stage) for stage in run.stages if stage.verb.clusters]
    if not stages:
        raise InputError(f"{run.folder} has no sealed dedup stage; put `- dedup: {{exact: {{}}}}` into its recipe")
    return stages


def _of_stage(stage: Stage) -> StageDuplicates:
    manifest = stage.manifest
    figures = dict(manifest.dedup or {})
    clusters = figures.pop("clusters", None) or {}
    dropped = manifest.merged("dropped")
    removed = {
        reason.removeprefix("dedup.").partition(":")[0]: count
        for reason, count in dropped.items()
        if reason.startswith("dedup.")
    }
    return StageDuplicates(
        name=manifest.name,
        rows=manifest.total("rows"),
        removed=removed,
        found={name: value for name, value in figures.items() if name != "earlier"},
        sizes=tuple((upto, count) for upto, count in clusters.get("sizes", ())),
        largest=tuple(_shown(stage, cluster) for cluster in clusters.get("largest", ())),
        above=tuple(_shown(stage, cluster) for cluster in clusters.get("above", ())),
        clusters_above=clusters.get("clusters_above", 0),
        clusters_split=clusters.get("clusters_split", 0),
        by_source=_by_source(manifest),
        by_domain=_by_domain(stage),
    )


def _shown(stage: Stage, cluster: dict[str, Any]) -> ShownCluster:
    samples = tuple(_sample(stage, doc) for doc in (cluster["root"], *cluster["members"]))
    return ShownCluster(cluster["documents"], cluster["diameter"], samples)


def _sample(stage: Stage, doc: int) -> Sample:
    place = stage.document(doc)
    if place.shard is None:
        return Sample(None, None, f"(of {place.folder}, which is no longer there)", kept=True)
    values = place.shard.row(place.row, beginning=4 * BEGINNING)
    beginning = " ".join(values["text"].split())[:BEGINNING]
    kept = (
        values["drop_reason"] is None or place.folder != stage.folder
    )  # what an earlier run has stays, whatever it did with it
    return Sample(values["url"], values["doc_id"], beginning, kept)


def _by_source(manifest: Manifest) -> tuple[Removal, ...]:
    totals: dict[str, list[int]] = {}
    for part in manifest.parts:
        counts = totals.setdefault(part.source, [0, 0])
        counts[0] += part.rows
        counts[1] += sum(count for reason, count in part.dropped.items() if reason.startswith("dedup."))
    return tuple(Removal(name, rows, removed) for name, (rows, removed) in totals.items())


def _by_domain(stage: Stage) -> tuple[Removal, ...]:
    """The registered domains that lost most documents, ties by name; one pass over two columns."""
    tables = [pa.table({"domain": pa.array([], pa.string()), "rows": pa.array([], pa.int64())})]
    tables[0] = tables[0].append_column("removed", pa.array([], pa.int64()))
    tables += [_domains_of(shard.read(["url", "drop_reason"])) for shard in stage.shards]
    total = pa.concat_tables(tables).group_by("domain").aggregate([("rows", "sum"), ("removed", "sum")])
    total = total.filter(pc.greater(total["removed_sum"], 0))
    order = [("removed_sum", "descending"), ("domain", "ascending")]
    return tuple(
        Removal(row["domain"], row["rows_sum"], row["removed_sum"])
        for row in total.sort_by(order).slice(0, DOMAINS).to_pylist()
    )


def _domains_of(table: pa.Table) -> pa.Table:
    urls = parse_urls(table["url"].cast(pa.large_string()).combine_chunks())
    domain = public_suffixes.load(public_suffixes.EMBEDDED).registered(urls).cast(pa.string())
    removed = pc.fill_null(pc.starts_with(table["drop_reason"], "dedup."), False)
    counted = pa.table({"domain": pc.fill_null(domain, NO_DOMAIN), "removed": removed.cast(pa.int64())})
    counted = counted.group_by("domain").aggregate([("removed", "count"), ("removed", "sum")])
    return counted.rename_columns(["domain", "rows", "removed"])
