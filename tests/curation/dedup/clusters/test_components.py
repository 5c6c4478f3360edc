"""Components of graphs made by hand, of large ones, and of any, against a slow and obvious union-find."""

import math
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.clusters.edges import LARGE, SMALL, Edges, Labels, contract, hang, least, proposals, root_docs
from tests.curation.dedup.clusters.rounds import components_by_rounds, local_components

Row = tuple[int, int, int, int]


def edges(a: list[int], b: list[int], rank: int = 0) -> Edges:
    """Edges between documents of one rank."""
    ranks = np.full(len(a), rank, np.uint32)
    return Edges(ranks, np.array(a, np.int64), ranks, np.array(b, np.int64))


def rows(labels: Labels) -> list[Row]:
    """(doc, rank, root_rank, root_doc) of each label."""
    columns = (labels.doc, labels.rank, labels.root_rank, labels.root_doc)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def pairs(edges: Edges) -> list[tuple[int, int]]:
    return list(zip(edges.doc_a.tolist(), edges.doc_b.tolist(), strict=True))


def test_two_components_by_hand() -> None:
    found = local_components(edges([30, 10, 50], [20, 30, 40]))
    assert rows(found) == [(10, 0, 0, 10), (20, 0, 0, 10), (30, 0, 0, 10), (40, 0, 0, 40), (50, 0, 0, 40)]


def test_the_root_has_the_smallest_rank_then_the_smallest_doc() -> None:
    ranks = np.array([9, 4, 4, 5], np.uint32)
    docs = np.array([1, 2, 3, 4])
    graph = Edges(ranks[:-1], docs[:-1], ranks[1:], docs[1:])
    assert rows(local_components(graph)) == [(1, 9, 4, 2), (2, 4, 4, 2), (3, 4, 4, 2), (4, 5, 4, 2)]


def test_self_loops_and_repeated_edges() -> None:
    assert rows(local_components(edges([1, 7, 2, 1, 2], [1, 7, 1, 2, 1]))) == [(1, 0, 0, 1), (2, 0, 0, 1)]


def test_no_edges() -> None:
    assert rows(local_components(Edges.concat([]))) == []


def slow_components(edges: Edges) -> list[Row]:
    columns = (getattr(edges, name).tolist() for name in edges.schema.names)
    parts: list[set[tuple[int, int]]] = []
    for rank_a, a, rank_b, b in zip(*columns, strict=True):
        joined = {(rank_a, a), (rank_b, b)}
        if a != b:
            parts, touched = [p for p in parts if not p & joined], [p for p in parts if p & joined]
            parts.append(joined.union(*touched))
    return sorted((doc, rank, *min(part)) for part in parts for rank, doc in part)


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    """Up to 40 edges between up to 20 documents of few ranks."""
    doc = np.array(draw(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=20, unique=True)), np.int64)
    rank = np.array(draw(st.lists(st.sampled_from([0, 1, 2**32 - 1]), min_size=len(doc), max_size=len(doc))), np.uint32)
    ends = st.integers(0, len(doc) - 1)
    pairs = np.array(draw(st.lists(st.tuples(ends, ends), max_size=40)), np.int64).reshape(-1, 2)
    a = pairs[:, 0]
    b = pairs[:, 1]
    return Edges(rank[a], doc[a], rank[b], doc[b])


@given(graphs())
def test_like_the_slow_way(graph: Edges) -> None:
    assert rows(local_components(graph)) == slow_components(graph)


@given(graphs(), st.integers(1, 9))
def test_rounds_give_the_same_for_any_number_of_buckets(graph: Edges, buckets: int) -> None:
    labels, rounds = components_by_rounds(graph, buckets, 20)
    assert rows(labels) == slow_components(graph)
    assert rounds <= 14


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(graph: Edges, random: Random) -> None:
    order = np.array(random.sample(range(len(graph)), len(graph)), np.int64)
    turned = Edges(graph.rank_b, graph.doc_b, graph.rank_a, graph.doc_a).take(order)
    assert rows(local_components(turned)) == rows(local_components(graph))
    assert rows(components_by_rounds(turned, 3, 20)[0]) == rows(local_components(graph))


def test_stars_of_edges() -> None:
    assert sorted(pairs(contract(edges([5, 5, 9, 9, 4], [3, 4, 8, 8, 4])))) == [(3, 4), (3, 5), (8, 9)]
    ranked = Edges(np.array([7], "u4"), np.array([1]), np.array([0], "u4"), np.array([2]))
    assert pairs(contract(ranked)) == [(2, 1)]


def test_what_nodes_hang_on() -> None:
    stars = edges([3, 3, 8], [5, 4, 9])
    assert rows(least(proposals(stars))) == [(3, 0, 0, 3), (4, 0, 0, 3), (5, 0, 0, 3), (8, 0, 0, 8), (9, 0, 0, 8)]
    assert rows(least(Labels.concat([proposals(stars), proposals(edges([2, 4], [4, 8]))]))) == [
        (2, 0, 0, 2),
        (3, 0, 0, 3),
        (4, 0, 0, 2),
        (5, 0, 0, 3),
        (8, 0, 0, 4),
        (9, 0, 0, 8),
    ]


def test_small_star_hangs_the_root_on_what_its_leaf_hangs_on() -> None:
    stars = edges([3, 3], [4, 5])
    elsewhere = proposals(edges([2], [4]))
    found, changed = hang(stars, least(Labels.concat([proposals(stars), elsewhere])), SMALL)
    assert (sorted(pairs(found)), changed) == ([(2, 3), (2, 5)], 1)  # 4 hangs on 2 in the other part


def test_large_star_hangs_leaves_on_what_their_root_hangs_on() -> None:
    stars = edges([3, 3], [4, 5])
    elsewhere = proposals(edges([2], [3]))
    found, changed = hang(stars, least(Labels.concat([proposals(stars), elsewhere])), LARGE)
    assert (sorted(pairs(found)), changed) == ([(2, 4), (2, 5)], 2)  # 3 hangs on 2 in the other part
    assert hang(stars, least(proposals(stars)), LARGE)[1] == 0


def test_root_docs() -> None:
    labels = local_components(edges([30, 10, 50], [20, 30, 40]))
    assert root_docs(np.array([30, 10, 50]), labels).tolist() == [10, 10, 40]
    for doc in (35, 60):
        with pytest.raises(KeyError):
            root_docs(np.array([doc]), labels)
    assert root_docs(np.empty(0, np.int64), Labels.concat([])).tolist() == []


def numbered(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], *, ranked: bool) -> Edges:
    """Edges of documents 0, 1, … under ids and, where `ranked`, ranks without any order."""
    nodes = max(a.max(), b.max()) + 1
    random = np.random.default_rng(nodes)
    ids = random.permutation(nodes) << 20 if ranked else np.arange(nodes)
    ranks = random.integers(0, 2**32, nodes).astype(np.uint32) if ranked else np.zeros(nodes, np.uint32)
    return Edges(ranks[a], ids[a], ranks[b], ids[b])


def assert_all_agree(graph: Edges, buckets: int, components: int) -> None:
    """Rounds give the labels of one union-find, in a number of rounds that grows with the logarithm of the nodes, and
    there are so many components, each within its edges."""
    expected = local_components(graph)
    labels, rounds = components_by_rounds(graph, buckets, 100)
    assert all((getattr(labels, name) == getattr(expected, name)).all() for name in labels.schema.names)
    assert rounds <= 2 * math.log2(len(labels)) + 4
    root_a, root_b = (expected.root_doc[np.searchsorted(expected.doc, end)] for end in (graph.doc_a, graph.doc_b))
    assert (root_a == root_b).all()
    assert len(np.unique(expected.root_doc)) == components


@pytest.mark.parametrize(("buckets", "ranked"), [(8, True), pytest.param(1, False, marks=pytest.mark.soak)])
def test_chain_of_a_hundred_thousand(buckets: int, ranked: bool) -> None:
    assert_all_agree(numbered(np.arange(99_999), np.arange(1, 100_000), ranked=ranked), buckets, 1)


@pytest.mark.soak
@pytest.mark.parametrize("centre", [0, 10**6 - 1])
def test_star_of_a_million(centre: int) -> None:
    leaves = np.delete(np.arange(10**6), centre)
    assert_all_agree(numbered(np.full(10**6 - 1, centre), leaves, ranked=False), 8, 1)


@pytest.mark.parametrize(
    "buckets",
    [
        pytest.param(1, marks=pytest.mark.soak),
        pytest.param(8, marks=pytest.mark.slow),
    ],
)
def test_random_graph_of_a_million_edges(buckets: int) -> None:
    ends = np.random.default_rng(4).integers(0, 10**6, (2, 10**6))
    graph = numbered(ends[0], ends[1], ranked=True)
    assert_all_agree(graph, buckets, components_one_by_one(graph))


def components_one_by_one(graph: Edges) -> int:
    """How many components of two or more nodes there are, by walking from each node not yet seen."""
    neighbours: dict[int, list[int]] = {}
    for a, b in pairs(graph):
        if a != b:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    seen: set[int] = set()
    found = 0
    for start in neighbours:
        found += start not in seen
        ahead = [start]
        while ahead:
            node = ahead.pop()
            if node not in seen:
                seen.add(node)
                ahead.extend(neighbours[node])
    return found
