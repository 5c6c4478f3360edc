"""Connected components: duplicates of duplicates become one cluster, whose root is its smallest node.

Source: Kiveris et al. 2014, "Connected Components in MapReduce and Beyond" (SoCC), large-star and small-star.

For edges that do not fit in memory, rounds of small-star and large-star alternate over bucketed edges (`ROUNDS`).
`targets` makes rows that each go to one document; all rows of a document meet in its bucket, and a `star` makes the
bucket's new edges. Small-star hangs each node and its smaller neighbours on the smallest of them; large-star hangs each
node's larger neighbours on its smallest one. When neither changes an edge, every component is a star around its
smallest node.

Small-star here joins all rows of a bucket, not only those of one node: it replaces the bucket's edges by stars of its
own components. This takes fewer rounds with few buckets, and gives each edge once. It is correct because a bucket's new
edges connect exactly the nodes that its old edges connected. It terminates: a star has no more edges than what it
replaces, and of all trees on the same nodes the star around the smallest has the lowest sum of node numbers over its
edges; large-star replaces an end of an edge by a smaller one; so that sum falls with every change. Large-star cannot be
joined in this way: a node without a smaller neighbour has no row there, and would be lost when another node of its
bucket is smaller.

A document with no edge except to itself has no label: every component has two documents or more.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from curation.core.protocols import Ints
from curation.dedup.clusters.edges import Edges, Labels, distinct_pairs, number_nodes, roots

Targets: TypeAlias = Callable[[Edges], Edges]
Star: TypeAlias = Callable[[Edges], tuple[Edges, int]]


def targets_small(edges: Edges) -> Edges:
    """Each edge as a row of its larger node, `a`; no self-loops. Rows go to the bucket of doc_a."""
    edges = edges.take(edges.doc_a != edges.doc_b)
    swap = (edges.rank_a < edges.rank_b) | ((edges.rank_a == edges.rank_b) & (edges.doc_a < edges.doc_b))
    return Edges(
        np.where(swap, edges.rank_b, edges.rank_a),
        np.where(swap, edges.doc_b, edges.doc_a),
        np.where(swap, edges.rank_a, edges.rank_b),
        np.where(swap, edges.doc_a, edges.doc_b),
    )


def small_star(rows: Edges) -> tuple[Edges, int]:
    """A bucket's rows of `targets_small` -> its new edges, smaller node first, each once, and how many rows changed."""
    nodes = number_nodes(rows)
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    changed = int(np.count_nonzero(root[nodes.a] != nodes.b))
    leaf = np.flatnonzero(root != np.arange(len(root)))
    root = root[leaf]
    return Edges(nodes.rank[root], nodes.doc[root], nodes.rank[leaf], nodes.doc[leaf]), changed


def targets_large(edges: Edges) -> Edges:
    """Each edge as a row of either node, `a`; no self-loops. Rows go to the bucket of doc_a."""
    edges = edges.take(edges.doc_a != edges.doc_b)
    return Edges.concat([edges, Edges(edges.rank_b, edges.doc_b, edges.rank_a, edges.doc_a)])


def large_star(rows: Edges) -> tuple[Edges, int]:
    """A bucket's rows of `targets_large` -> its new edges, smaller node first, each once, and how many rows changed."""
    nodes = number_nodes(rows)
    smallest = np.arange(len(nodes.doc))
    np.minimum.at(smallest, nodes.a, nodes.b)
    larger = nodes.b > nodes.a
    node, leaf = nodes.a[larger], nodes.b[larger]
    root = smallest[node]
    changed = int(np.count_nonzero(root != node))
    root, leaf = distinct_pairs(root, leaf)
    return Edges(nodes.rank[root], nodes.doc[root], nodes.rank[leaf], nodes.doc[leaf]), changed


# Made in turn until two in a row change nothing.
ROUNDS: tuple[tuple[Targets, Star], ...] = ((targets_small, small_star), (targets_large, large_star))


def root_docs(edges: Edges, labels: Labels) -> Ints:
    """int64[E]: the root of each edge; its bucket is where the cluster comes together.

    `labels` are sorted by doc and contain every doc_a. Raises KeyError if one is missing; a self-loop of a document
    without a label is its own root.
    """
    at = np.searchsorted(labels.doc, edges.doc_a)
    known = at < len(labels)
    known[known] = labels.doc[at[known]] == edges.doc_a[known]
    if not (known | (edges.doc_a == edges.doc_b)).all():
        raise KeyError("an edge without a label")
    root = edges.doc_a.copy()
    root[known] = labels.root_doc[at[known]]
    return root
