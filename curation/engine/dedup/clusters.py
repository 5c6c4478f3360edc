"""Links of all methods become clusters, and each cluster elects its survivor.

Up to `local_links` links, one task holds them all. More of them are clustered in rounds of large-star and small-star
over buckets of documents, and no task holds more than a bucket. Both find the same clusters.

A giant is a cluster too large for the task of its root: each bucket of documents elects its own part of it. *tell*:
parts tell the buckets which of their documents are in a giant, and which methods link them. *count*: buckets count
these documents and name the best; the cluster's size is the sum. *decide*: the survivor of each document is the
cluster's root. The diameter is not measured. To split a cluster, a task needs its whole graph, so a giant is refused
where clusters may be split, unless all its documents are identical: those are never split.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.document import ROW_BITS
from curation.core.errors import StageError
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.dedup.clusters.edges import Edges
from curation.dedup.clusters.elect import (
    LARGEST,
    SAMPLED,
    Cluster,
    Limits,
    Review,
    Verdicts,
    elect,
    histogram,
    largest_first,
    merge_reviews,
)
from curation.engine.dedup.layout import GATHERED, LINK_SCHEMA, VERDICT_SCHEMA, ByBlock, Layout
from curation.engine.dedup.rounds import LINK_BYTES, ROOTED_SCHEMA, ByDoc, LabelledLinks, LabelStep, cluster_by_rounds
from curation.engine.executor.work import Cheap, Unit
from curation.engine.recipe.options import DedupOptions
from curation.engine.run.exchange import Step, batches_for, delivered
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import SentFiles, Slices, read_file

GIANT = 16_000_000  # links of a cluster, above which no task holds it
TOLD = "_giants-told"
COUNTED = "_giants-counted"
DECIDED = "_giants-decided"
UNMEASURED = -1  # the diameter of a cluster whose graph no task has seen
MEMBER_SCHEMA = pa.schema([("doc", pa.int64()), ("rank", pa.uint32()), ("root", pa.int64()), ("methods", pa.uint32())])


def too_large_to_split(links: int) -> StageError:
    """The error for a cluster of so many links that may be split."""
    return StageError(
        f"a cluster has {links:,} links, and a task that splits clusters holds up to {GIANT:,} of one: raise the "
        "threshold of the method that links these documents, remove `split`, so that one of them survives, or raise "
        "`local_links` to the number of all links, so that one task holds them all (100 bytes each)"
    )


def elect_giants(
    step: Step, layout: Layout, labelled: LabelledLinks, files: tuple[str, ...], roots: Sequence[int], limits: Limits
) -> tuple[SentFiles, Review]:
    """Verdicts on the documents of the clusters with these roots, by block, and the review of these clusters; `files`
    are all files of links."""
    parts = len(labelled.roots.bounds)
    units = [Unit(n, {"roots": labelled.roots.to(n, parts)}) for n in range(parts)]
    member_commits = step("giants", TellStep(layout, parts, labelled.memory, files, tuple(roots)), units, TOLD)
    members = SentFiles.of(layout.folder, TOLD, "members", member_commits).compact()
    units = [Unit(n, {"members": members.to(n, parts)}) for n in range(parts)]
    counted = step("giants", GiantsStep(layout), units, COUNTED)
    documents = {root: sum(commit.extra["documents"].get(str(root), 0) for commit in counted) for root in roots}
    decided = step("giants", DecideStep(layout, documents, parts), [Unit(n, None) for n in range(parts)], DECIDED)
    sent = SentFiles.of(layout.folder, DECIDED, "verdicts", decided)
    verdicts = delivered(step, sent, ByBlock(layout), DECIDED + GATHERED).compact()
    return verdicts, _review(documents, [commit.extra["best"] for commit in counted], limits)


@dataclass(frozen=True)
class TellStep(LabelStep):
    """Sends a part's documents of the giants to their buckets."""

    roots: tuple[int, ...] = ()

    def run(self, unit: Unit) -> Commit:
        links = self.rooted(unit)
        links = links.filter(pa.array(np.isin(np.asarray(links["root"]), self.roots)))
        bits = np.uint32(1) << np.asarray(links["method"]).astype(np.uint32)
        sides = [[links[f"doc_{side}"], links[f"rank_{side}"], links["root"], pa.array(bits)] for side in "ab"]
        rows = pa.concat_tables([pa.Table.from_arrays(side, schema=MEMBER_SCHEMA) for side in sides])
        outbox = Outbox(self.layout.folder, TOLD, unit.number)
        outbox.send("members", each_once(rows), ByDoc(self.parts))
        return outbox.done()


def each_once(rows: pa.Table) -> pa.Table:
    """Each document once, ascending, with the methods of all its rows."""
    rows = rows.take(pa.array(np.argsort(np.asarray(rows["doc"]), kind="stable"))).combine_chunks()
    doc = np.asarray(rows["doc"])
    first = np.flatnonzero(np.concatenate([[True], doc[1:] != doc[:-1]])) if len(doc) else np.empty(0, np.int64)
    methods = np.bitwise_or.reduceat(np.asarray(rows["methods"]), first) if len(doc) else np.empty(0, np.uint32)
    once = rows.take(pa.array(first))
    return once.set_column(once.schema.get_field_index("methods"), MEMBER_SCHEMA.field("methods"), pa.array(methods))


@dataclass(frozen=True)
class GiantsStep(Cheap):
    """A bucket's documents of giants, each once; counts those of each cluster and names the best."""

    layout: Layout

    def run(self, unit: Unit) -> Commit:
        members = each_once(unit.payload["members"].table(MEMBER_SCHEMA))
        outbox = Outbox(self.layout.folder, COUNTED, unit.number)
        outbox.put("members", members)
        doc, rank, root = (np.asarray(members[name]) for name in ("doc", "rank", "root"))
        order = np.lexsort((doc, rank, root))
        roots, first, counts = np.unique(root[order], return_index=True, return_counts=True)
        best = {}
        for cluster, start, count in zip(roots.tolist(), first.tolist(), counts.tolist(), strict=True):
            shown = order[start : start + min(count, SAMPLED + 1)]
            best[str(cluster)] = list(zip(rank[shown].tolist(), doc[shown].tolist(), strict=True))
        documents = dict(zip(map(str, roots.tolist()), counts.tolist(), strict=True))
        return outbox.done(documents=documents, best=best)


@dataclass(frozen=True)
class DecideStep(Cheap):
    """Verdicts on a bucket's documents; `documents` are the sizes of clusters by root."""

    layout: Layout
    documents: dict[int, int]
    senders: int

    def run(self, unit: Unit) -> Commit:
        members = read_file(self.layout.file(COUNTED, "members", unit.number))
        members = members.filter(pa.array(np.asarray(members["doc"]) >> ROW_BITS < self.layout.shards))
        root = np.asarray(members["root"])
        copies = np.array([self.documents[cluster] for cluster in root.tolist()], np.int64)
        arrays = [members["doc"], members["root"], members["root"], pa.array(copies), members["methods"]]
        verdicts = pa.Table.from_arrays(arrays, schema=VERDICT_SCHEMA)
        to = ByBlock(self.layout)
        outbox = Outbox(self.layout.folder, DECIDED, unit.number)
        outbox.send("verdicts", verdicts, to, batches_for(self.senders, to.receivers))
        return outbox.done(documents=verdicts.num_rows)


def _review(documents: dict[int, int], best: Sequence[dict[str, list[list[int]]]], limits: Limits) -> Review:
    shown = []
    for root, count in documents.items():
        members = sorted((rank, doc) for bucket in best for rank, doc in bucket.get(str(root), ()))
        shown.append(Cluster(root, count, UNMEASURED, tuple(doc for _, doc in members[1 : SAMPLED + 1])))
    largest = largest_first(shown)[:LARGEST]
    above = [
        cluster for cluster in shown if limits.max_documents is not None and cluster.documents > limits.max_documents
    ]
    sizes = histogram(np.array(list(documents.values()), np.int64))
    return Review(sizes, largest, largest_first(above), clusters_above=len(above))


# By one task, and by one per bucket. Two folders, because a resumed run may choose the other way.
ELECTED = "_elected"
ELECTED_APART = "_elected-apart"


@dataclass(frozen=True)
class Clusters:
    """Verdicts by block, the review of the clusters for the manifest, and the number of rounds (0: one task)."""

    verdicts: tuple[SentFiles, ...]
    review: dict[str, object]
    rounds: int


def find_clusters(step: Step, layout: Layout, options: DedupOptions, files: tuple[str, ...], links: int) -> Clusters:
    """Writes a verdict on every linked document, by the block of its shard. `files` hold the links, in a fixed order;
    `links` is how many."""
    limits = options.clusters
    if links <= options.local_links:
        work = ElectStep(layout, files, limits, ELECTED, links, 1)
        return _elected(work, step("elect", work, [Unit(0, None)], ELECTED), step, (), 0)
    labelled = cluster_by_rounds(step, layout, files, links)
    parts = len(labelled.links.bounds)
    units = [Unit(number, labelled.links.to(number, parts)) for number in range(parts)]
    work = ElectStep(layout, files, limits, ELECTED_APART, links // parts, parts)
    elections = step("elect", work, units, ELECTED_APART)
    roots = [root for commit in elections for root in commit.extra["giants"]]
    apart = [elect_giants(step, layout, labelled, files, roots, limits)] if roots else []
    return _elected(work, elections, step, apart, labelled.rounds)


def _elected(
    work: "ElectStep", commits: Sequence[Commit], step: Step, apart: Sequence[tuple[SentFiles, Review]], rounds: int
) -> Clusters:
    review = merge_reviews(
        [*(Review.from_json(commit.extra["review"]) for commit in commits), *(review for _, review in apart)]
    )
    sent = SentFiles.of(work.layout.folder, work.folder, "verdicts", commits)
    own = delivered(step, sent, ByBlock(work.layout), work.folder + GATHERED).compact()
    return Clusters((own, *(verdicts for verdicts, _ in apart)), review.to_json(), rounds)


@dataclass(frozen=True)
class ElectStep:
    """Elects the survivors of clusters: of those in all `files`, or of those whose links the unit was sent."""

    layout: Layout
    files: tuple[str, ...]
    limits: Limits
    folder: str
    links: int  # that a unit holds, on average
    senders: int  # units

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + LINK_BYTES * self.links)

    def run(self, unit: Unit) -> Commit:
        links, giants = (self._all(), []) if unit.payload is None else self._received(unit.payload)
        edges = Edges.from_table(links.combine_chunks())
        equal = np.asarray(links["equal"])
        verdicts, review = elect(edges, equal, self.limits, stays_from=self.layout.shards << ROW_BITS)
        table = self._own(verdicts, links)
        to = ByBlock(self.layout)
        outbox = Outbox(self.layout.folder, self.folder, unit.number)
        outbox.send("verdicts", table, to, batches_for(self.senders, to.receivers))
        return outbox.done(review=review.to_json(), documents=table.num_rows, giants=giants)

    def _all(self) -> pa.Table:
        return pa.concat_tables([LINK_SCHEMA.empty_table(), *map_threads(read_file, self.files)])

    def _received(self, slices: Slices) -> tuple[pa.Table, list[int]]:
        """The links that a bucket was sent, without those of giants, and the roots of the giants. Until these are
        known, the links of a few senders are held at a time. Raises StageError for a giant that would have to be
        split."""
        roots = np.empty(0, np.int64)
        counts = np.empty(0, np.int64)
        alike = np.empty(0, np.int64)
        for table in slices.tables(ROOTED_SCHEMA):
            roots, at = np.unique(np.concatenate([roots, np.asarray(table["root"])]), return_inverse=True)
            own = np.ones(table.num_rows, np.int64), ~np.asarray(table["equal"])
            counts, alike = (
                np.bincount(at, weights=np.concatenate(pair), minlength=len(roots)).astype(np.int64)
                for pair in zip((counts, alike), own, strict=True)
            )
        giants = roots[counts > GIANT]
        whole = alike[counts > GIANT] > 0
        if self.limits.split and whole.any():
            raise too_large_to_split(int(counts[counts > GIANT][whole].max()))
        tables = slices.tables(ROOTED_SCHEMA)
        if len(giants):
            tables = (table.filter(pa.array(~np.isin(np.asarray(table["root"]), giants))) for table in tables)
        return pa.concat_tables([ROOTED_SCHEMA.empty_table(), *tables]), giants.tolist()

    def _own(self, verdicts: Verdicts, links: pa.Table) -> pa.Table:
        """Verdicts on the stage's own documents, those of earlier runs left out, with the methods that link each."""
        columns = [verdicts.doc, verdicts.survivor, verdicts.cluster, verdicts.copies, _methods(verdicts.doc, links)]
        table = pa.Table.from_arrays([pa.array(values) for values in columns], schema=VERDICT_SCHEMA)
        return table.filter(pa.array(verdicts.doc >> ROW_BITS < self.layout.shards))


def _methods(docs: Ints, links: pa.Table) -> npt.NDArray[np.uint32]:
    """uint32[N]: bits of the methods that link each of `docs` (ascending, those of all links)."""
    bits = np.zeros(len(docs), np.uint32)
    number = np.asarray(links["method"])
    for method in np.unique(number):
        for side in ("doc_a", "doc_b"):
            own = np.asarray(links[side])[number == method]
            bits[np.searchsorted(docs, own)] |= np.uint32(1) << np.uint32(method)
    return bits
