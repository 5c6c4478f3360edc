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
from curation.dedup.clusters.edges import Edges
from curation.dedup.clusters.elect import Limits, Verdicts, elect
from curation.dedup.clusters.review import Review, merge_reviews
from curation.engine.dedup.layout import LINK_SCHEMA, VERIFIED, Layout
from curation.engine.dedup.options import DedupOptions
from curation.engine.dedup.rounds import Step, cluster_by_rounds, is_of_rounds
from curation.engine.run.routing import done, read_all, write_routed
from curation.engine.run.work import Cheap, Unit

ELECTED, ELECTED_APART = "_elected", "_elected-apart"  # by one task, by one per bucket: a resumed run may do the other

VERDICT_SCHEMA = pa.schema(
    [
        ("doc", pa.int64()),
        ("survivor", pa.int64()),  # itself where it survives
        ("cluster", pa.int64()),
        ("copies", pa.int64()),
        ("methods", pa.uint32()),  # bit n: the method of number n links it with another document
    ]
)


@dataclass(frozen=True)
class Clusters:
    """Files of verdicts, what a reader sees of the clusters, and the rounds that it took (0: one task)."""

    verdicts: tuple[str, ...]
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
    rounds, count, folder = 0, 1, ELECTED
    if links > options.local_links:
        files, rounds = cluster_by_rounds(step, layout, files)
        count, folder = layout.buckets, ELECTED_APART
    units = [Unit(number, None) for number in range(count)]
    elections = step("elect", ElectStep(layout, tuple(files), options.clusters, folder), units, folder)
    review = merge_reviews([Review.from_json(commit.extra["review"]) for commit in elections])
    return Clusters(tuple(layout.file(folder, "verdicts", number) for number in range(count)), review.to_json(), rounds)


def passing(name: str) -> bool:
    """True for folders of these steps, which nothing reads once the stage is done."""
    return name in (ELECTED, ELECTED_APART) or is_of_rounds(name)


@dataclass(frozen=True)
class ElectStep(Cheap):
    """Survivors of the clusters whose links this unit is sent, in its own part of each of `files`."""

    layout: Layout
    files: tuple[str, ...]
    limits: Limits
    folder: str

    def run(self, unit: Unit) -> Commit:
        links = read_all(self.files, LINK_SCHEMA, unit.number)
        edges, equal = Edges.from_table(links.combine_chunks()), np.asarray(links["equal"])
        verdicts, review = elect(edges, equal, self.limits, stays_from=self.layout.shards << ROW_BITS)
        table = self._own(verdicts, links)
        path = self.layout.file(self.folder, "verdicts", unit.number)
        write_routed(path, table, self.layout.block_of(np.asarray(table["doc"])), self.layout.blocks)
        return done(self.layout.folder, unit.number, [path], review=review.to_json(), documents=table.num_rows)

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
