"""Components as one union-find finds them, and as the rounds do, by steps that see one bucket at a time."""

from collections.abc import Sequence

import numpy as np

from curation.dedup.clusters.components import ROUNDS
from curation.dedup.clusters.edges import Edges, Labels, bucket_of_doc, number_nodes, roots


def local_components(edges: Edges) -> Labels:
    """Labels of every document with an edge to another one, sorted by doc."""
    nodes = number_nodes(edges.take(edges.doc_a != edges.doc_b))
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    order = np.argsort(nodes.doc)
    root = root[order]
    return Labels(nodes.doc[order], nodes.rank[order], nodes.rank[root], nodes.doc[root])


def components_by_rounds(edges: Edges, buckets: int, rounds_limit: int) -> tuple[Labels, int]:
    """The same, and the number of rounds."""
    parts, rounds, quiet = [edges], 0, 0
    while quiet < 2:
        assert rounds < rounds_limit, f"components need more than {rounds_limit} rounds"
        targets, star = ROUNDS[rounds % 2]
        stars = [star(rows) for rows in _exchanged([targets(part) for part in parts], buckets)]
        parts = [part for part, _ in stars]
        quiet = 0 if any(changed for _, changed in stars) else quiet + 1
        rounds += 1
    labels = Labels.concat([_labels(rows) for rows in _exchanged(parts, buckets)])
    return labels.take(np.argsort(labels.doc)), rounds


def _exchanged(parts: Sequence[Edges], buckets: int) -> list[Edges]:
    """The rows of all parts in the buckets of their first documents."""
    rows = Edges.concat(parts)
    bucket = bucket_of_doc(rows.doc_a, buckets)
    return [rows.take(bucket == number) for number in range(buckets)]


def _labels(edges: Edges) -> Labels:
    """Labels of a bucket's stars: all edges of each are there, by doc_a, which is the root."""
    first = np.unique(edges.doc_a, return_index=True)[1]
    doc = np.concatenate([edges.doc_b, edges.doc_a[first]])
    rank = np.concatenate([edges.rank_b, edges.rank_a[first]])
    root_rank = np.concatenate([edges.rank_a, edges.rank_a[first]])
    root_doc = np.concatenate([edges.doc_a, edges.doc_a[first]])
    return Labels(doc, rank, root_rank, root_doc)
