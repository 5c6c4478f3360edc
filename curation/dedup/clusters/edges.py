"""Edges between duplicates, and their connected components: duplicates of duplicates become one cluster, whose root is
its smallest node.

A node is a document with its rank, which is the same wherever it occurs. Nodes are ordered by (rank, doc); of two
duplicates the smaller survives. E edges join N nodes. All tables here are parallel arrays of equal length, and go to
and from Arrow under their `schema`.

Source: Kiveris et al. 2014, "Connected Components in MapReduce and Beyond" (SoCC), large-star and small-star.

For edges that do not fit in memory, rounds of small-star and large-star alternate. Each part keeps the edges that it
was given, as stars around the smallest node of each of its components. In a round, a part sends the root of every node
to the node's bucket (`proposals`). The bucket finds the smallest root that any part proposes (`least`) and sends it
back. Then the part attaches its edges to the new roots (`hang`). Small-star attaches each node and its smaller
neighbours to the smallest of them, large-star each node's larger neighbours to its smallest one. When neither changes
an edge, every component is a star around its smallest node, spread over the parts.

So no task holds a whole component: a part never has more edges than at the start, and a document with edges to a
billion others gets one proposal from each part. The result is correct because stars connect the nodes that the edges
connected, and either step keeps components (see the paper). The rounds end because either step replaces an end of an
edge by a smaller node, so the sum of node numbers over all edges falls with every change.

A document with no edge except to itself has no label: every component has two documents or more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.document import bucket_of
from curation.core.protocols import Ints
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.mix64 import murmur3_each

Ranks: TypeAlias = npt.NDArray[np.uint32]

EDGE_SCHEMA = pa.schema(
    [("rank_a", pa.uint32()), ("doc_a", pa.int64()), ("rank_b", pa.uint32()), ("doc_b", pa.int64())]
)
LABEL_SCHEMA = pa.schema(
    [("doc", pa.int64()), ("rank", pa.uint32()), ("root_rank", pa.uint32()), ("root_doc", pa.int64())]
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Parallel arrays, named and typed as in `schema`."""

    schema: ClassVar[pa.Schema]

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, in order."""
        kinds = {field.name: field.type.to_pandas_dtype() for field in cls.schema}
        return cls(**{n: np.concatenate([np.empty(0, t), *(getattr(p, n) for p in parts)]) for n, t in kinds.items()})

    @classmethod
    def from_table(cls, table: pa.Table) -> Self:
        return cls(**{name: np.asarray(table[name]) for name in cls.schema.names})

    def to_table(self) -> pa.Table:
        return pa.table([getattr(self, name) for name in self.schema.names], schema=self.schema)

    def take(self, rows: npt.NDArray[Any]) -> Self:
        """The rows at these indices, or where a mask is true."""
        return type(self)(**{name: getattr(self, name)[rows] for name in self.schema.names})

    def __len__(self) -> int:
        return len(getattr(self, self.schema.names[0]))


@dataclass(frozen=True, eq=False)
class Edges(Rows):
    """E edges, in any order, either end first; repeats and self-loops are allowed."""

    rank_a: Ranks
    doc_a: Ints
    rank_b: Ranks
    doc_b: Ints

    schema: ClassVar[pa.Schema] = EDGE_SCHEMA


@dataclass(frozen=True, eq=False)
class Labels(Rows):
    """The component of each of N documents, named by its smallest node, the root."""

    doc: Ints
    rank: Ranks
    root_rank: Ranks
    root_doc: Ints

    schema: ClassVar[pa.Schema] = LABEL_SCHEMA


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """N documents numbered in the order of survival: node i is rank[i], doc[i]; edge e joins nodes a[e] and b[e]."""

    rank: Ranks  # [N]
    doc: Ints  # [N]
    a: Ints  # [E]
    b: Ints  # [E]


def number_nodes(edges: Edges) -> LinkGraph:
    """Each document of the edges once, numbered so that comparing nodes is comparing numbers."""
    docs = np.concatenate([edges.doc_a, edges.doc_b])
    ranks = np.concatenate([edges.rank_a, edges.rank_b])
    order = np.argsort(docs)
    first, number = _number(docs[order], order)
    doc = docs[first]
    rank = ranks[first]
    if len(rank) and rank.min() != rank.max():
        # By rank, then by doc, the order in which they are numbered already: one sort of one word each.
        order = np.argsort(rank.astype(np.uint64) << np.uint64(32) | np.arange(len(rank), dtype=np.uint64))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        doc = doc[order]
        rank = rank[order]
        number = place[number]
    return LinkGraph(rank, doc, number[: len(edges)], number[len(edges) :])


@kernel
def _number(values: Ints, order: Ints) -> tuple[Ints, Ints]:
    """For values[V] in ascending order, from places order[V]: the first place of each distinct value, [N], and the
    number of the value at each place, [V]."""
    first = np.empty(values.size, np.int64)
    number = np.empty(values.size, np.int64)
    count = 0
    for i in range(values.size):
        if i == 0 or values[i] != values[i - 1]:
            first[count] = order[i]
            count += 1
        number[order[i]] = count - 1
    return first[:count].copy(), number


def bucket_of_doc(doc: Ints, buckets: int) -> Ints:
    """int64[N]: the bucket of each document, in [0, buckets), by a mixed hash that spreads neighbouring documents."""
    return bucket_of(murmur3_each(doc.astype(np.uint64)), buckets)


@kernel
def find(parent: Out[Ints], node: Int) -> Int:
    """The root of a node's tree in parent[N]; halves the path on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@kernel
def roots(nodes: Int, a: Ints, b: Ints) -> Ints:
    """int64[nodes]: the smallest node connected with each one by the edges a[E], b[E]."""
    parent = np.arange(nodes)
    for edge in range(a.size):
        root_a = find(parent, a[edge])
        root_b = find(parent, b[edge])
        parent[max(root_a, root_b)] = min(root_a, root_b)
    for node in range(nodes):  # a parent is never larger than its child, so its root is known already
        parent[node] = parent[parent[node]]
    return parent


SMALL = "small"
LARGE = "large"
ROUNDS = (SMALL, LARGE)  # alternate until two in a row change nothing


def contract(edges: Edges) -> Edges:
    """Stars of the components of these edges: (root, leaf), each leaf once."""
    nodes = number_nodes(edges.take(edges.doc_a != edges.doc_b))
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    leaf = np.flatnonzero(root != np.arange(len(root)))
    root = root[leaf]
    return Edges(nodes.rank[root], nodes.doc[root], nodes.rank[leaf], nodes.doc[leaf])


def proposals(stars: Edges) -> Labels:
    """The root of each node in these stars; a root is its own."""
    doc, first = np.unique(stars.doc_a, return_index=True)
    rank = stars.rank_a[first]
    return Labels.concat([Labels(stars.doc_b, stars.rank_b, stars.rank_a, stars.doc_a), Labels(doc, rank, rank, doc)])


def least(proposed: Labels) -> Labels:
    """The smallest node that is proposed for each document, sorted by doc."""
    order = np.lexsort((proposed.root_doc, proposed.root_rank, proposed.doc))
    fresh = np.ones(len(order), bool)
    fresh[1:] = proposed.doc[order][1:] != proposed.doc[order][:-1]
    return proposed.take(order[fresh])


def hang(stars: Edges, least: Labels, kind: str) -> tuple[Edges, int]:
    """The stars of the next round, and how many edges changed. `least`, sorted by doc, has all nodes of the stars."""
    end = stars.doc_b if kind == SMALL else stars.doc_a
    at = np.searchsorted(least.doc, end)
    rank = least.root_rank[at]
    doc = least.root_doc[at]
    moved = doc != stars.doc_a
    turned = moved & (kind == SMALL)  # the old root is attached to the root that its leaf has elsewhere
    other_rank = np.where(turned, stars.rank_a, stars.rank_b)
    other = np.where(turned, stars.doc_a, stars.doc_b)
    return contract(Edges(rank, doc, other_rank, other)), int(np.count_nonzero(moved))


def root_docs(docs: Ints, labels: Labels) -> Ints:
    """int64[N]: the root of each document. `labels` are sorted by doc. Raises KeyError if a document has none."""
    at = np.searchsorted(labels.doc, docs)
    if len(docs) and (not len(labels) or at.max() >= len(labels) or (labels.doc[at] != docs).any()):
        raise KeyError("a document without a label")
    return labels.root_doc[at]
