"""A review of the clusters: how many of each size, the largest, and those above the limits.

A cluster's diameter is the largest distance in edges between two of its documents. Identical documents count as one, so
it is 0 if all are identical. A double sweep measures it: exact on trees, possibly too low elsewhere (`elect.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from curation.core.protocols import Ints

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
