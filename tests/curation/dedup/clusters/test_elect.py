"""Survivors, copies, diameters, limits at their edge, and splitting, on graphs made by hand."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.clusters.edges import Edges
from curation.dedup.clusters.elect import (
    LARGEST,
    VERDICT_SCHEMA,
    Cluster,
    Limits,
    Review,
    Verdicts,
    adjacency,
    elect,
    histogram,
    merge_reviews,
)

Row = tuple[int, int, int, int]
CHAIN = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
STAR = [(1, other) for other in range(2, 10)]


def edges(pairs: list[tuple[int, int]], ranks: dict[int, int] | None = None) -> Edges:
    ends = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    rank = [np.array([(ranks or {}).get(doc, 0) for doc in end], np.uint32) for end in ends.tolist()]
    return Edges(rank[0], ends[0], rank[1], ends[1])


def rows(verdicts: Verdicts) -> list[Row]:
    """(doc, survivor, cluster, copies) of each document."""
    return list(zip(*(getattr(verdicts, name).tolist() for name in VERDICT_SCHEMA.names), strict=True))


def verdicts(pairs: list[tuple[int, int]], limits: Limits, ranks: dict[int, int] | None = None) -> list[Row]:
    return rows(alike(edges(pairs, ranks), limits)[0])


def review(pairs: list[tuple[int, int]], **limits: int) -> Review:
    return alike(edges(pairs), Limits(**limits))[1]


def alike(given: Edges, limits: Limits) -> tuple[Verdicts, Review]:
    """`elect` where no edge is one of equality."""
    return elect(given, np.zeros(len(given), bool), limits)


def test_one_survivor_per_cluster() -> None:
    pairs = [(30, 20), (20, 10), (50, 40), (20, 30), (60, 60)]
    assert verdicts(pairs, Limits()) == [
        (10, 10, 10, 3),
        (20, 10, 10, 3),
        (30, 10, 10, 3),
        (40, 40, 40, 2),
        (50, 40, 40, 2),
    ]


def test_the_best_rank_survives() -> None:
    pairs = [(10, 20), (20, 30)]
    ranks = {10: 7, 20: 5, 30: 5}
    assert verdicts(pairs, Limits(), ranks) == [(10, 20, 20, 3), (20, 20, 20, 3), (30, 20, 20, 3)]


def test_no_edges() -> None:
    found, seen = alike(Edges.concat([]), Limits(max_documents=2, max_diameter=1, split=True))
    assert (rows(found), seen) == ([], Review())
    assert found.to_table().schema == VERDICT_SCHEMA


@pytest.mark.parametrize(
    ("pairs", "diameter"),
    [
        pytest.param([(1, 2)], 1, id="pair"),
        pytest.param([(1, 2), (2, 3), (1, 3)], 1, id="triangle"),
        pytest.param(CHAIN, 5, id="chain from its end"),
        pytest.param([(3, 1), (1, 4), (4, 6), (3, 5)], 4, id="chain from its middle"),
        pytest.param(STAR, 2, id="star from its centre"),
        pytest.param([(9, other) for other in range(1, 9)], 2, id="star from a leaf"),
        pytest.param([(1, 2), (2, 3), (2, 4), (4, 5), (1, 6), (6, 7), (7, 8)], 6, id="tree"),
        pytest.param([(i, (i + 1) % 6) for i in range(6)], 3, id="ring of six"),
    ],
)
def test_diameter(pairs: list[tuple[int, int]], diameter: int) -> None:
    assert [one.diameter for one in review(pairs).largest] == [diameter]
    assert review(pairs, max_diameter=diameter).clusters_above == 0
    if diameter > 1:
        assert review(pairs, max_diameter=diameter - 1).clusters_above == 1


def test_size_limit_at_and_one_past_it() -> None:
    assert review(STAR, max_documents=9).clusters_above == 0
    assert review(STAR, max_documents=8).clusters_above == 1


def test_above_a_limit_is_reported_and_nothing_else() -> None:
    limits = Limits(max_documents=3)
    found, seen = alike(edges([*CHAIN, (11, 12), (12, 13)]), limits)
    assert rows(found) == verdicts([*CHAIN, (11, 12), (12, 13)], Limits())
    assert (seen.clusters_above, seen.clusters_split) == (1, 0)
    assert seen.above == (Cluster(1, 6, 5, (2, 3, 4, 5, 6)),)


def test_splitting_a_chain() -> None:
    limits = Limits(max_diameter=2, split=True)
    found, seen = alike(edges([*CHAIN, (11, 12), (12, 13)]), limits)
    assert rows(found) == [
        (1, 1, 1, 2),
        (2, 1, 1, 2),
        (3, 3, 1, 2),
        (4, 3, 1, 2),
        (5, 5, 1, 2),
        (6, 5, 1, 2),
        (11, 11, 11, 3),  # at the limit
        (12, 11, 11, 3),
        (13, 11, 11, 3),
    ]
    assert (seen.clusters_above, seen.clusters_split) == (1, 1)
    assert seen.sizes == ((3, 1), (8, 1))  # before splitting


def test_splitting_goes_by_the_order_of_survival() -> None:
    limits = Limits(max_diameter=2, split=True)
    ranks = {1: 9, 2: 8, 3: 7, 4: 0, 5: 6, 6: 5}
    assert verdicts(CHAIN, limits, ranks) == [
        (1, 2, 4, 2),
        (2, 2, 4, 2),
        (3, 4, 4, 3),
        (4, 4, 4, 3),
        (5, 4, 4, 3),
        (6, 6, 4, 1),  # its only neighbour went to 4
    ]


def test_splitting_a_star_from_a_leaf() -> None:
    assert verdicts([(5, 1), (5, 2), (5, 3), (5, 4)], Limits(max_documents=4, split=True)) == [
        (1, 1, 1, 2),
        (2, 2, 1, 1),
        (3, 3, 1, 1),
        (4, 4, 1, 1),
        (5, 1, 1, 2),
    ]


def test_splitting_keeps_what_is_verified_whole() -> None:
    star = verdicts(STAR, Limits(max_documents=2, split=True))
    assert star == [(doc, 1, 1, 9) for doc in range(1, 10)]


def test_the_largest_clusters_with_samples() -> None:
    pairs = [(100 * size, 100 * size + other) for size in range(2, 14) for other in range(1, size)]
    seen = review(pairs, max_documents=11)
    assert [one.documents for one in seen.largest] == [13, 12, 11, 10, 9, 8, 7, 6, 5, 4]
    assert seen.largest[0] == Cluster(1300, 13, 2, (1301, 1302, 1303, 1304, 1305))
    assert seen.largest[-1] == Cluster(400, 4, 2, (401, 402, 403))
    assert [one.root for one in seen.above] == [1300, 1200]
    assert seen.sizes == ((2, 1), (3, 1), (4, 1), (8, 4), (16, 5))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_documents": 1}, "max_documents must be at least 2, got 1"),
        ({"max_diameter": 0}, "max_diameter must be at least 1, got 0"),
        ({"split": True}, "give max_documents or max_diameter"),
    ],
)
def test_limits_that_cannot_be(limits: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Limits(**limits)


def test_neighbours_by_hand() -> None:
    offsets, neighbours = adjacency(4, np.array([0, 2, 3]), np.array([2, 3, 2]))
    assert offsets.tolist() == [0, 1, 1, 4, 6]
    assert neighbours.tolist() == [2, 0, 3, 3, 2, 2]


PAIRS = st.lists(st.tuples(st.integers(1, 15), st.integers(1, 15)), max_size=30)
RANKS = st.dictionaries(st.integers(1, 15), st.integers(0, 2))


@given(PAIRS, RANKS, st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(
    pairs: list[tuple[int, int]], ranks: dict[int, int], random: Random
) -> None:
    limits = Limits(max_documents=5, max_diameter=2, split=True)
    mixed = [pair[::-1] for pair in pairs] + pairs[:3]
    random.shuffle(mixed)
    one = alike(edges(pairs, ranks), limits)
    other = alike(edges(mixed, ranks), limits)
    assert (rows(one[0]), one[1]) == (rows(other[0]), other[1])


@given(PAIRS, RANKS)
def test_what_is_split_is_verified(pairs: list[tuple[int, int]], ranks: dict[int, int]) -> None:
    joined = {frozenset(pair) for pair in pairs}
    node = {doc: (ranks.get(doc, 0), doc) for pair in pairs for doc in pair}
    found = verdicts(pairs, Limits(max_documents=2, split=True), ranks)
    survivors = [survivor for _, survivor, _, _ in found]
    for doc, survivor, cluster, copies in found:
        assert copies == survivors.count(survivor)
        assert survivors[[row[0] for row in found].index(survivor)] == survivor
        assert node[cluster] <= node[survivor] <= node[doc]
        assert doc == survivor or frozenset((doc, survivor)) in joined


@pytest.mark.soak
@pytest.mark.parametrize("shape", ["star", "chain"])
def test_one_cluster_of_a_million_documents(shape: str) -> None:
    docs = np.arange(10**6) * 7 + 5
    first = np.zeros(10**6 - 1, np.int64) if shape == "star" else np.arange(10**6 - 1)
    ranks = np.zeros(10**6 - 1, np.uint32)
    found, seen = alike(Edges(ranks, docs[first], ranks, docs[1:]), Limits(max_diameter=10, split=True))
    assert seen.largest == (Cluster(5, 10**6, 2 if shape == "star" else 10**6 - 1, (12, 19, 26, 33, 40)),)
    assert (found.cluster == 5).all()
    assert (found.copies == (10**6 if shape == "star" else 2)).all()


def test_what_is_the_same_is_never_split() -> None:
    """1 - 2 = 3 = 4 - 5: 2, 3 and 4 are the same, so 1 takes them all, and only 5 has no edge to what 1 is like."""
    given = edges([(1, 2), (2, 3), (3, 4), (4, 5)])
    found, seen = elect(given, np.array([False, True, True, False]), Limits(max_documents=2, split=True))
    assert dict(zip(found.doc.tolist(), found.survivor.tolist(), strict=True)) == {1: 1, 2: 1, 3: 1, 4: 1, 5: 5}
    assert found.copies.tolist() == [4, 4, 4, 4, 1]
    assert seen.clusters_split == 1


def slow_split(pairs: list[tuple[int, int]], equal: list[bool], ranks: dict[int, int]) -> dict[int, int]:
    """Survivor of each document when every cluster is split, by sets of documents that are the same."""
    same = {doc: {doc} for pair in pairs for doc in pair}
    for a, b in [pair for pair, are_equal in zip(pairs, equal, strict=True) if are_equal]:
        joined = same[a] | same[b]
        same.update(dict.fromkeys(joined, joined))
    survivor: dict[int, int] = {}
    for best in sorted(same, key=lambda doc: (ranks.get(doc, 0), doc)):
        if best not in survivor:
            near = [b for a, b in pairs if a in same[best]] + [a for a, b in pairs if b in same[best]]
            taken = same[best].union(*(same[doc] for doc in near if doc not in survivor))
            survivor.update(dict.fromkeys(taken, best))
    return survivor


@given(st.lists(st.tuples(st.integers(1, 15), st.integers(1, 15), st.booleans()), max_size=30), RANKS)
def test_splitting_like_the_slow_way(marked: list[tuple[int, int, bool]], ranks: dict[int, int]) -> None:
    marked = [one for one in marked if one[0] != one[1]]
    pairs = [(a, b) for a, b, _ in marked]
    equal = [are_equal for *_, are_equal in marked]
    found, _ = elect(edges(pairs, ranks), np.array(equal, bool), Limits(max_documents=2, split=True))
    expected = slow_split(pairs, equal, ranks)
    clusters = found.cluster.tolist()
    for doc, survivor, cluster, _ in rows(found):
        assert survivor == expected[doc] if clusters.count(cluster) > 2 else survivor == cluster  # a pair stays whole
    assert len(found) == len(expected)


def test_what_earlier_runs_have_is_dropped_though_they_are_alike() -> None:
    """3 is like 101, and 101 like 100: both are of earlier runs and stay, so 3 goes although it is no copy of 100."""
    given = edges([(100, 101), (101, 3)], {3: 1})
    found, _ = elect(given, np.zeros(2, bool), Limits(max_diameter=1, split=True), stays_from=100)
    assert dict(zip(found.doc.tolist(), found.survivor.tolist(), strict=True)) == {3: 101, 100: 100, 101: 101}


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
