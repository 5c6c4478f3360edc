"""Clusters that are too large for the task of their root: each bucket of documents elects its own part of them.

*tell*: parts tell the buckets which of their documents are in such a cluster, and which methods link them. *count*:
buckets count these documents and name the best; the cluster's size is the sum. *decide*: the survivor of each document
is the cluster's root. The diameter is not measured. To split a cluster, a task needs its whole graph, so a giant is
refused where clusters may be split, unless all its documents are identical: those are never split.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.document import ROW_BITS
from curation.core.errors import StageError
from curation.dedup.clusters.elect import Limits
from curation.dedup.clusters.review import LARGEST, SAMPLED, Cluster, Review, histogram, largest_first
from curation.engine.dedup.layout import GATHERED, VERDICT_SCHEMA, ByBlock, Layout
from curation.engine.dedup.rounds import ByDoc, LabelledLinks, LabelStep
from curation.engine.executor.work import Cheap, Unit
from curation.engine.run.exchange import Step, batches_for, delivered
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import SentFiles, read_file

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
