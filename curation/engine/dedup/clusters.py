"""Links of all methods become clusters, and each cluster elects its survivor.

Where the links fit `local_links`, one task holds them all; else rounds of large-star and small-star pass over buckets
of documents and no task holds more than a bucket. Both find the same clusters.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.document import ROW_BITS
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.dedup.clusters.edges import Edges
from curation.dedup.clusters.elect import Limits, Verdicts, elect
from curation.dedup.clusters.review import Review, merge_reviews
from curation.engine.dedup.layout import GATHERED, LINK_SCHEMA, VERDICT_SCHEMA, VERIFIED, ByBlock, Layout
from curation.engine.dedup.options import DedupOptions
from curation.engine.dedup.rounds import LINK_BYTES, ROOTED_SCHEMA, cluster_by_rounds, is_of_rounds
from curation.engine.run.exchange import Step, batches_for, delivered
from curation.engine.run.routing import Outbox, Sent, read_file
from curation.engine.run.work import MEMORY, Needs, Unit

ELECTED, ELECTED_APART = "_elected", "_elected-apart"  # by one task, by one per bucket: a resumed run may do the other


@dataclass(frozen=True)
class Clusters:
    """Verdicts by block, what a reader sees of the clusters, and the rounds that it took (0: one task)."""

    verdicts: Sent
    review: dict[str, object]
    rounds: int


def link_files(layout: Layout, *, verified: bool) -> list[str]:
    """All files of links, in a fixed order; those of earlier runs among themselves are not needed."""
    files = [layout.file(layout.keyed, "links", shard) for shard in range(layout.shards)]
    files += [layout.file(layout.collided, "links", bucket) for bucket in range(layout.buckets)]
    return files + [layout.file(VERIFIED, "links", block) for block in range(layout.blocks if verified else 0)]


def find_clusters(step: Step, layout: Layout, options: DedupOptions, links: int, *, verified: bool) -> Clusters:
    """Writes the verdicts of every document that is linked with another, by the block of its shard."""
    files = link_files(layout, verified=verified)
    rounds, folder, units = 0, ELECTED, [Unit(0, None)]
    if links > options.local_links:
        labelled = cluster_by_rounds(step, layout, files, links)
        rounds, folder = labelled.rounds, ELECTED_APART
        buckets = len(labelled.links.bounds)
        units = [Unit(number, labelled.links.to(number, buckets)) for number in range(buckets)]
    work = ElectStep(layout, tuple(files), options.clusters, folder, links // len(units), len(units))
    elections = step("elect", work, units, folder)
    review = merge_reviews([Review.from_json(commit.extra["review"]) for commit in elections])
    verdicts = Sent.of(layout.folder, folder, "verdicts", elections)
    verdicts = delivered(step, verdicts, ByBlock(layout), folder + GATHERED)
    return Clusters(verdicts, review.to_json(), rounds)


def passing(name: str) -> bool:
    """True for folders of these steps, which nothing reads once the stage is done."""
    return name.removesuffix(GATHERED) in (ELECTED, ELECTED_APART) or is_of_rounds(name)


@dataclass(frozen=True)
class ElectStep:
    """Survivors of clusters: of those in all `files`, or of those whose links the unit is sent."""

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
        links = self._all() if unit.payload is None else unit.payload.table(ROOTED_SCHEMA)
        edges, equal = Edges.from_table(links.combine_chunks()), np.asarray(links["equal"])
        verdicts, review = elect(edges, equal, self.limits, stays_from=self.layout.shards << ROW_BITS)
        table, to = self._own(verdicts, links), ByBlock(self.layout)
        outbox = Outbox(self.layout.folder, self.folder, unit.number)
        outbox.send("verdicts", table, to, batches_for(self.senders, to.receivers))
        return outbox.done(review=review.to_json(), documents=table.num_rows)

    def _all(self) -> pa.Table:
        return pa.concat_tables([LINK_SCHEMA.empty_table(), *map_threads(read_file, self.files)])

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
