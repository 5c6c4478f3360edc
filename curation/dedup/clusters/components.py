"""Connected components: duplicates of duplicates become one cluster, whose root is its smallest node.

Source: Kiveris et al. 2014, "Connected Components in MapReduce and Beyond" (SoCC), large-star and small-star.

For edges that do not fit in memory: rounds are made over edges in buckets, small-star and large-star in turn
(`ROUNDS`): `targets` makes rows that each go to one document, all rows of a document meet in its bucket, and a `star`
makes the bucket's new edges. Small-star hangs each node and its smaller
neighbours on the smallest of them, large-star each node's larger neighbours on its smallest one. When neither changes
an edge any more, every component is a star around its smallest node.

Small-star here joins all rows of a bucket and not only those of one node: it replaces the bucket's edges by stars of
its own components, which takes fewer rounds where buckets are few, and at once gives each edge once. It is right,
because nodes are connected by a bucket's new edges exactly when they were by its old ones. It ends: a star has no more
edges than what it replaces, and of all trees on the same nodes the star around the smallest has the lowest sum of node
numbers over its edges; large-star replaces an end of an edge by a smaller one; so that sum falls with every change.
Large-star cannot be joined in this way: a node without a smaller neighbour has no row of its own there, and would be
lost when another node of its bucket is smaller.

A document whose only edges join it with itself has no label: every component has two documents or more.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from curation.dedup.clusters.edges import Edges, Ints, Labels, distinct_pairs, number_nodes, roots

Targets: TypeAlias = Callable[[Edges], Edges]
Star: TypeAlias = Callable[[Edges], tuple[Edges, int]]


def targets_small(edges: Edges) -> Edges:
    """Each edge as a row of its larger node, which is `a`; no self-loops. Rows go to the bucket of doc_a."""
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
    """Each edge as a row of either node, which is `a`; no self-loops. Rows go to the bucket of doc_a."""
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
    """int64[E]: the root of each edge, by whose bucket its cluster comes together.

    `labels` are sorted by doc and hold that of every doc_a: those of the bucket that the edges are in by doc_a, or all.
    Raises KeyError where there is none; a self-loop of a document that has no label is its own root.
    """
    at = np.searchsorted(labels.doc, edges.doc_a)
    known = at < len(labels)
    known[known] = labels.doc[at[known]] == edges.doc_a[known]
    if not (known | (edges.doc_a == edges.doc_b)).all():
        raise KeyError("an edge without a label")
    root = edges.doc_a.copy()
    root[known] = labels.root_doc[at[known]]
    return root
