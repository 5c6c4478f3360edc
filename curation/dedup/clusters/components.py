"""Connected components: duplicates of duplicates become one cluster, whose root is its smallest node.

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

import numpy as np

from curation.core.protocols import Ints
from curation.dedup.clusters.edges import Edges, Labels, number_nodes, roots

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
