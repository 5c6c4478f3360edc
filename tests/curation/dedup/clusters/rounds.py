"""Components as one union-find finds them, and as the rounds do, by steps that see one part or bucket at a time."""

from collections.abc import Sequence

import numpy as np

from curation.dedup.clusters.edges import (
    ROUNDS,
    Edges,
    Labels,
    bucket_of_doc,
    contract,
    hang,
    least,
    number_nodes,
    proposals,
    roots,
)


def local_components(edges: Edges) -> Labels:
    """Labels of every document with an edge to another one, sorted by doc."""
    nodes = number_nodes(edges.take(edges.doc_a != edges.doc_b))
    root = roots(len(nodes.doc), nodes.a, nodes.b)
    order = np.argsort(nodes.doc)
    root = root[order]
    return Labels(nodes.doc[order], nodes.rank[order], nodes.rank[root], nodes.doc[root])


def components_by_rounds(edges: Edges, buckets: int, rounds_limit: int) -> tuple[Labels, int]:
    """The same, and the number of rounds; edges are dealt to as many parts as there are buckets of documents."""
    dealt = np.arange(len(edges)) % buckets
    stars = [contract(edges.take(dealt == part)) for part in range(buckets)]
    rounds = 0
    quiet = 0
    while quiet < len(ROUNDS):
        assert rounds < rounds_limit, f"components need more than {rounds_limit} rounds"
        told = _told(stars, buckets)
        hung = [hang(part, told, ROUNDS[rounds % len(ROUNDS)]) for part in stars]
        assert all(len(after) <= len(before) for before, (after, _) in zip(stars, hung, strict=True))
        stars = [part for part, _ in hung]
        quiet = 0 if any(changed for _, changed in hung) else quiet + 1
        rounds += 1
    return _told(stars, buckets), rounds


def _told(stars: Sequence[Edges], buckets: int) -> Labels:
    """What the buckets of documents say of all nodes, sorted by doc."""
    rows = Labels.concat([proposals(part) for part in stars])
    bucket = bucket_of_doc(rows.doc, buckets)
    labels = Labels.concat([least(rows.take(bucket == number)) for number in range(buckets)])
    return labels.take(np.argsort(labels.doc))
