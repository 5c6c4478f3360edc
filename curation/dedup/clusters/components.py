"""Connected components: duplicates of duplicates become one cluster, whose root is its smallest node.

Source: Kiveris et al. 2014, "Connected Components in MapReduce and Beyond" (SoCC), large-star and small-star.

For edges that do not fit in memory, rounds of small-star and large-star alternate. Edges stay in the parts that they
are dealt to, whatever their documents. A part keeps its edges as stars around the smallest node of each of its own
components. For a round it tells every node's bucket what the node hangs on here (`proposals`); the bucket finds the
least of what all parts say (`least`) and answers; then the part hangs its edges anew (`hang`). Small-star hangs each
node and its smaller neighbours on the smallest of them, large-star each node's larger neighbours on its smallest one.
When neither changes an edge, every component is a star around its smallest node, of which parts have pieces.

So nothing gathers in one place: a part has never more edges than it began with, and a document that has edges to a
billion others gets one proposal from each part. It is correct because stars connect the nodes that the edges connected,
and either star keeps components (see the paper). It terminates: of all trees on the same nodes the star around the
smallest has the lowest sum of node numbers over its edges, either star replaces an end of an edge by a smaller one, and
so that sum falls with every change.

A document with no edge except to itself has no label: every component has two documents or more.
"""

import numpy as np

from curation.core.protocols import Ints
from curation.dedup.clusters.edges import Edges, Labels, number_nodes, roots

SMALL, LARGE = "small", "large"
ROUNDS = (SMALL, LARGE)  # made in turn until two in a row change nothing


def contract(edges: Edges) -> Edges:
    """Stars of the components of these edges: (root, leaf), each leaf once."""
    nodes = number_nodes(edges.take(edges.doc_a != edges.doc_b))
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    leaf = np.flatnonzero(root != np.arange(len(root)))
    root = root[leaf]
    return Edges(nodes.rank[root], nodes.doc[root], nodes.rank[leaf], nodes.doc[leaf])


def proposals(stars: Edges) -> Labels:
    """What each node of stars hangs on: a leaf on its root, a root on itself."""
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
    rank, doc = least.root_rank[at], least.root_doc[at]
    moved = doc != stars.doc_a
    turned = moved & (kind == SMALL)  # the root comes to hang on what its leaf hangs on elsewhere
    other_rank, other = np.where(turned, stars.rank_a, stars.rank_b), np.where(turned, stars.doc_a, stars.doc_b)
    return contract(Edges(rank, doc, other_rank, other)), int(np.count_nonzero(moved))


def root_docs(docs: Ints, labels: Labels) -> Ints:
    """int64[N]: the root of each document. `labels` are sorted by doc. Raises KeyError if a document has none."""
    at = np.searchsorted(labels.doc, docs)
    if len(docs) and (not len(labels) or at.max() >= len(labels) or (labels.doc[at] != docs).any()):
        raise KeyError("a document without a label")
    return labels.root_doc[at]
