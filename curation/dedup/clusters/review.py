"""What a reader sees of the clusters: how many there are of which size, the largest, and those above the limits.

A cluster's diameter is the number of edges on the longest of the shortest paths between two of its documents, of which
those that are the same count as one, so 0 where all are. It is measured by a double sweep: exact where the edges form a
tree, else possibly too low (`curation/dedup/clusters/elect.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]

LARGEST = 10  # clusters that a review shows
SAMPLED = 5  # documents of each, beside the root


@dataclass(frozen=True)
class Cluster:
    """One cluster as it was found, before splitting: documents that are connected."""

    root: int  # its best document's engine id
    documents: int  # the root included
    diameter: int
    members: tuple[int, ...]  # engine ids of the next `SAMPLED` documents in the order of survival


@dataclass(frozen=True)
class Review:
    """Of the clusters of one bucket, or of several together."""

    sizes: tuple[tuple[int, int], ...] = ()  # (up to so many documents, clusters): 2, 3, 4, then powers of two
    largest: tuple[Cluster, ...] = ()  # up to `LARGEST`, the largest first
    above: tuple[Cluster, ...] = ()  # likewise, of the clusters above a limit
    clusters_above: int = 0
    clusters_split: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Of what `to_json` gave, also after it was written and read."""
        shown = {name: tuple(_cluster(one) for one in value[name]) for name in ("largest", "above")}
        sizes = tuple((upto, clusters) for upto, clusters in value["sizes"])
        return cls(sizes, **shown, clusters_above=value["clusters_above"], clusters_split=value["clusters_split"])


def merge_reviews(reviews: Sequence[Review]) -> Review:
    """The review of all clusters together; the order of the reviews does not matter."""
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
    """The `LARGEST` with the most documents; of equal ones those with the lowest root."""
    return tuple(sorted(clusters, key=lambda cluster: (-cluster.documents, cluster.root))[:LARGEST])


def histogram(sizes: Ints) -> tuple[tuple[int, int], ...]:
    """(most documents, clusters) for each class of sizes (2 and more) that occurs: 2, 3, 4, 5-8, 9-16 and so on."""
    _, exponents = np.frexp((sizes - 1).astype(np.float64))  # size - 1 < 2^exponent, so size <= 2^exponent
    upto, clusters = np.unique(np.where(sizes == 3, 3, 1 << exponents.astype(np.int64)), return_counts=True)
    return tuple(zip(upto.tolist(), clusters.tolist(), strict=True))


def _cluster(value: Mapping[str, Any]) -> Cluster:
    return Cluster(**{**value, "members": tuple(value["members"])})
