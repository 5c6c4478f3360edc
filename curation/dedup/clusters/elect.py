"""One document of each cluster survives: the smallest node, or several where a cluster above a limit is split.

The input is the edges of whole clusters. A cluster is above a limit if it has too many documents or too large a
diameter, as chains of near-duplicates have whose ends are no longer alike; for the diameter, the largest distance in
edges between two documents, identical documents count as one. Splitting goes by verification: the best remaining
document survives and takes its remaining direct neighbours, until none remain. Every dropped document then has an edge
to its survivor, or is identical to one that has.

Diameters are measured by a double sweep: from the root to the farthest document, and from there to the one farthest
from it. That is exact on trees. On other graphs it is never too high, and at worst half the true value. A review tells
how many clusters there are of each size, the largest, and those above the limits.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.protocols import Ints
from curation.dedup.clusters.edges import Edges, LinkGraph, Rows, number_nodes, roots
from curation.text.kernels.compiler.kernel import Int, Out, kernel

LARGEST = 10  # clusters that a review shows
SAMPLED = 5  # documents of each, beside the root


@dataclass(frozen=True)
class Cluster:
    """A cluster of connected documents, before splitting."""

    root: int  # its best document's engine id
    documents: int  # the root included
    diameter: int
    members: tuple[int, ...]  # engine ids of the next `SAMPLED` documents, in the order of survival


@dataclass(frozen=True)
class Review:
    """The clusters of one bucket, or of several together."""

    sizes: tuple[tuple[int, int], ...] = ()  # (up to so many documents, clusters): 2, 3, 4, then powers of two
    largest: tuple[Cluster, ...] = ()  # up to `LARGEST`, the largest first
    above: tuple[Cluster, ...] = ()  # likewise, of the clusters above a limit
    clusters_above: int = 0
    clusters_split: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`, also after writing and reading."""
        shown = {
            name: tuple(Cluster(**{**cluster, "members": tuple(cluster["members"])}) for cluster in value[name])
            for name in ("largest", "above")
        }
        sizes = tuple((upto, clusters) for upto, clusters in value["sizes"])
        return cls(sizes, **shown, clusters_above=value["clusters_above"], clusters_split=value["clusters_split"])


def merge_reviews(reviews: Sequence[Review]) -> Review:
    """The review of all clusters together; does not depend on the order of the reviews."""
    sizes: Counter[int] = Counter()
    for review in reviews:
        sizes.update(dict(review.sizes))
    return Review(
        tuple(sorted(sizes.items())),
        largest_first([cluster for review in reviews for cluster in review.largest]),
        largest_first([cluster for review in reviews for cluster in review.above]),
        sum(review.clusters_above for review in reviews),
        sum(review.clusters_split for review in reviews),
    )


def largest_first(clusters: Sequence[Cluster]) -> tuple[Cluster, ...]:
    """The `LARGEST` clusters with the most documents; in a tie, those with the lowest root."""
    return tuple(sorted(clusters, key=lambda cluster: (-cluster.documents, cluster.root))[:LARGEST])


def histogram(sizes: Ints) -> tuple[tuple[int, int], ...]:
    """(most documents, clusters) for each class of sizes that occurs: 2, 3, 4, 5-8, 9-16 and so on."""
    _, exponents = np.frexp((sizes - 1).astype(np.float64))  # size - 1 < 2^exponent, so size <= 2^exponent
    upto, clusters = np.unique(np.where(sizes == 3, 3, 1 << exponents.astype(np.int64)), return_counts=True)
    return tuple(zip(upto.tolist(), clusters.tolist(), strict=True))


VERDICT_SCHEMA = pa.schema(
    [("doc", pa.int64()), ("survivor", pa.int64()), ("cluster", pa.int64()), ("copies", pa.int64())]
)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Which clusters are above a limit, and whether they are split. None = no limit."""

    max_documents: Annotated[int | None, "of a cluster; `winnow duplicates` lists the clusters above either limit"] = (
        None
    )
    max_diameter: Annotated[
        int | None, "links between a cluster's two farthest documents; copies of one text count as one"
    ] = None
    split: Annotated[
        bool, "keep several documents of such a cluster, so that each dropped one is linked to a kept one"
    ] = False

    def __post_init__(self) -> None:
        if self.max_documents is not None and self.max_documents < 2:
            raise ValueError(f"max_documents must be at least 2, got {self.max_documents}: no cluster has fewer")
        if self.max_diameter is not None and self.max_diameter < 1:
            raise ValueError(f"max_diameter must be at least 1, got {self.max_diameter}: no cluster has a smaller one")
        if self.split and self.max_documents is None and self.max_diameter is None:
            raise ValueError("split cuts clusters above a limit: give max_documents or max_diameter, or remove split")


@dataclass(frozen=True, eq=False)
class Verdicts(Rows):
    """One row for each of N documents, sorted by doc."""

    doc: Ints
    survivor: Ints  # the document that it is a duplicate of; itself if it survives
    cluster: Ints  # the smallest node connected with it, whether split or not
    copies: Ints  # documents with the same survivor, that one included

    schema: ClassVar[pa.Schema] = VERDICT_SCHEMA


def elect(
    edges: Edges, equal: npt.NDArray[np.bool_], limits: Limits, *, stays_from: int = 2**63 - 1
) -> tuple[Verdicts, Review]:
    """Verdicts on every document with an edge to another one, and a review of their clusters.

    `edges` are all edges of each of their clusters, in any order; repeats and self-loops change nothing. `equal`
    bool[E] marks edges between identical documents, which are never split. Documents from `stays_from` on belong to
    earlier runs and always survive.
    """
    apart = edges.doc_a != edges.doc_b
    equal = equal[apart]
    nodes = number_nodes(edges.take(apart))
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    clusters = _Clusters(nodes, root, equal)
    above = np.zeros(len(clusters.roots), bool)
    if limits.max_documents is not None:
        above |= clusters.sizes > limits.max_documents
    if limits.max_diameter is not None:
        above |= clusters.diameters(np.arange(len(above))) > limits.max_diameter
    survivor = root
    if limits.split:
        survivor = np.where(np.repeat(above, clusters.sizes)[clusters.place], -1, root)
        _split(survivor, nodes.doc >= stays_from, clusters.same, clusters.offsets, clusters.neighbours)
    copies = np.bincount(survivor, minlength=len(survivor))[survivor]
    order = np.argsort(nodes.doc)
    verdicts = (nodes.doc, nodes.doc[survivor], nodes.doc[root], copies)
    return Verdicts(*(column[order] for column in verdicts)), _review(clusters, above, limits.split)


class _Clusters:
    """C clusters of N nodes, in the order of their roots."""

    def __init__(self, nodes: LinkGraph, root: Ints, equal: npt.NDArray[np.bool_]) -> None:
        self.doc = nodes.doc
        self.members = np.argsort(root, kind="stable")  # [N], cluster by cluster, best first
        self.place = np.empty(len(root), np.int64)  # [N], of each node among the members
        self.place[self.members] = np.arange(len(root))
        self.roots = np.flatnonzero(root == np.arange(len(root)))  # [C]
        self.starts = self.place[self.roots]  # [C], among the members
        self.sizes = np.diff(np.append(self.starts, len(root)))  # [C]
        self.same = roots(len(root), nodes.a[equal], nodes.b[equal])  # [N], the smallest identical node
        a = self.same[nodes.a]
        b = self.same[nodes.b]
        self.offsets, self.neighbours = adjacency(len(root), a[a != b], b[a != b])

    def diameters(self, clusters: Ints) -> Ints:
        return _diameters(self.roots[clusters], self.offsets, self.neighbours)

    def largest(self, clusters: Ints) -> tuple[Cluster, ...]:
        """What a review shows of these clusters, given by index."""
        size = self.sizes[clusters]
        root = self.doc[self.roots[clusters]]
        shown = clusters[np.lexsort((root, -size))[:LARGEST]]
        return largest_first([self._shown(*pair) for pair in zip(shown, self.diameters(shown), strict=True)])

    def _shown(self, cluster: Int, diameter: Int) -> Cluster:
        start = self.starts[cluster]
        size = self.sizes[cluster]
        members = self.doc[self.members[start : start + min(size, SAMPLED + 1)]].tolist()
        return Cluster(members[0], int(size), int(diameter), tuple(members[1:]))


def _review(clusters: _Clusters, above: npt.NDArray[np.bool_], split: bool) -> Review:
    count = int(above.sum())
    return Review(
        histogram(clusters.sizes),
        clusters.largest(np.arange(len(above))),
        clusters.largest(np.flatnonzero(above)),
        clusters_above=count,
        clusters_split=count if split else 0,
    )


@kernel
def adjacency(nodes: Int, a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Offsets int64[N + 1] and neighbours int64[2E]: those of node n are neighbours[offsets[n]:offsets[n + 1]]."""
    at = np.zeros(nodes + 1, np.int64)
    for edge in range(a.size):
        at[a[edge]] += 1
        at[b[edge]] += 1
    total = 0
    for node in range(nodes + 1):
        total, at[node] = total + at[node], total
    offsets = at.copy()
    neighbours = np.empty(2 * a.size, np.int64)
    for edge in range(a.size):
        left = a[edge]
        right = b[edge]
        neighbours[at[left]] = right
        at[left] += 1
        neighbours[at[right]] = left
        at[right] += 1
    return offsets, neighbours


@kernel
def _farthest(start: Int, offsets: Ints, neighbours: Ints, distance: Out[Ints], queue: Out[Ints]) -> tuple[Int, Int]:
    """The node farthest from `start` (in a tie the smallest) and its distance. distance[N] is -1 before and is set for
    the nodes of the cluster; queue[N] is overwritten."""
    queue[0] = start
    distance[start] = 0
    head = 0
    tail = 1
    farthest = start
    while head < tail:
        node = queue[head]
        head += 1
        if distance[node] > distance[farthest] or (node < farthest and distance[node] == distance[farthest]):
            farthest = node
        for i in range(offsets[node], offsets[node + 1]):
            other = neighbours[i]
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue[tail] = other
                tail += 1
    return farthest, distance[farthest]


@kernel
def _diameters(starts: Ints, offsets: Ints, neighbours: Ints) -> Ints:
    """int64[C]: a double sweep from each of C nodes of different clusters; linear in nodes and edges."""
    nodes = offsets.size - 1
    forth = np.full(nodes, -1)
    back = np.full(nodes, -1)
    queue = np.empty(nodes, np.int64)
    diameters = np.empty(starts.size, np.int64)
    for cluster in range(starts.size):
        end, _ = _farthest(starts[cluster], offsets, neighbours, forth, queue)
        _, diameters[cluster] = _farthest(end, offsets, neighbours, back, queue)
    return diameters


@kernel
def _split(survivor: Out[Ints], stays: npt.NDArray[np.bool_], same: Ints, offsets: Ints, neighbours: Ints) -> None:
    """Give a survivor to every node whose survivor[N] is -1, in the order of survival. All nodes of a cluster or none
    are -1.

    Nodes in stays[N] are never duplicates of another one, and rank before all others. same[N] is the smallest identical
    node; only such nodes have neighbours.
    """
    for node in range(survivor.size):
        if survivor[node] >= 0:
            continue
        if same[node] != node:
            survivor[node] = survivor[same[node]]  # a smaller node, so its survivor is known
            continue
        survivor[node] = node
        for i in range(offsets[node], offsets[node + 1]):
            if survivor[neighbours[i]] < 0 and not stays[neighbours[i]]:
                survivor[neighbours[i]] = node
