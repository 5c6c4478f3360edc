"""Reviews: the classes of sizes, the largest clusters, and many reviews as one."""

import json

import numpy as np
import pytest

from curation.dedup.clusters.review import LARGEST, Cluster, Review, histogram, merge_reviews


def cluster(root: int, documents: int) -> Cluster:
    return Cluster(root, documents, 1, (root + 1,))


ONE = Review(((2, 5), (8, 1)), (cluster(7, 8), cluster(3, 2)), (cluster(7, 8),), 1, 1)
OTHER = Review(((2, 1), (3, 1), (16, 2)), (cluster(5, 9), cluster(4, 9)), (), 0, 0)


@pytest.mark.parametrize(
    ("size", "upto"),
    [(2, 2), (3, 3), (4, 4), (5, 8), (8, 8), (9, 16), (16, 16), (17, 32), (2**20, 2**20), (2**20 + 1, 2**21)],
)
def test_class_of_a_size(size: int, upto: int) -> None:
    assert histogram(np.array([size])) == ((upto, 1),)


def test_histogram_counts_clusters() -> None:
    assert histogram(np.array([2, 9, 3, 2, 10, 5])) == ((2, 2), (3, 1), (8, 1), (16, 2))
    assert histogram(np.empty(0, np.int64)) == ()


def test_merging_adds_up_and_sorts() -> None:
    merged = merge_reviews([ONE, OTHER])
    assert merged.sizes == ((2, 6), (3, 1), (8, 1), (16, 2))
    assert [(one.root, one.documents) for one in merged.largest] == [(4, 9), (5, 9), (7, 8), (3, 2)]
    assert merged.above == (cluster(7, 8),)
    assert (merged.clusters_above, merged.clusters_split) == (1, 1)
    assert merge_reviews([OTHER, ONE]) == merged
    assert merge_reviews([Review(), merged]) == merged
    assert merge_reviews([]) == Review()


def test_only_the_largest_stay() -> None:
    parts = [Review(largest=tuple(cluster(10 * i + j, j + 2) for j in range(LARGEST))) for i in range(3)]
    merged = merge_reviews(parts)
    assert len(merged.largest) == LARGEST
    assert [one.documents for one in merged.largest[:4]] == [LARGEST + 1] * 3 + [LARGEST]
    assert [one.root for one in merged.largest[:3]] == [9, 19, 29]


def test_to_json_and_back() -> None:
    assert Review.from_json(json.loads(json.dumps(ONE.to_json()))) == ONE
    assert Review.from_json(Review().to_json()) == Review()
