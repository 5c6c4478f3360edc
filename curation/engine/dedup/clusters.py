"""Links of all methods become clusters, and each cluster elects its survivor.

Up to `local_links` links, one task holds them all. More of them are clustered in rounds of large-star and small-star
over buckets of documents, and no task holds more than a bucket. Both find the same clusters.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.document import ROW_BITS
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.dedup.clusters.edges import Edges
from curation.dedup.clusters.elect import Limits, Verdicts, elect
from curation.dedup.clusters.review import Review, merge_reviews
from curation.engine.dedup.giants import GIANT, elect_giants, too_large_to_split
from curation.engine.dedup.layout import GATHERED, LINK_SCHEMA, VERDICT_SCHEMA, ByBlock, Layout
from curation.engine.dedup.rounds import LINK_BYTES, ROOTED_SCHEMA, cluster_by_rounds
from curation.engine.executor.work import Unit
from curation.engine.recipe.dedup_options import DedupOptions
from curation.engine.run.exchange import Step, batches_for, delivered
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import SentFiles, Slices, read_file

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
