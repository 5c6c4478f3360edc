"""Close vectors, against a product of every vector with every other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup import cosine_pairs
from curation.dedup.cosine_pairs import close_pairs
from curation.models.embeddings.directions import Vectors, unit

EVERY = 10**9


def pairs(vectors: Vectors, limit: float, most: int = EVERY) -> list[tuple[int, int]]:
    left, right, _ = close_pairs(vectors, limit, most)
    return list(zip(left.tolist(), right.tolist(), strict=True))


def slowly(vectors: Vectors, limit: float, most: int = EVERY) -> list[tuple[int, int]]:
    """Every close pair of different vectors, and each copy with the first that it equals."""
    rows = [tuple(vector) for vector in vectors.tolist()]
    first = [rows.index(row) for row in rows]
    heads = sorted(set(first))
    exact = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    close = {(i, j) for n, j in enumerate(heads) for i in heads[: min(n, most)] if exact[i, j] >= limit}
    return sorted(close | {(first[j], j) for j in range(len(rows)) if first[j] != j}, key=lambda pair: pair[::-1])


coordinates = st.integers(-3, 3)


@given(
    st.lists(st.tuples(coordinates, coordinates, coordinates).filter(any), min_size=1, max_size=40),
    st.sampled_from([0.3, 0.7, 0.9, 0.999999]),
    st.integers(1, 40),
)
def test_like_every_pair(points: list[tuple[int, int, int]], limit: float, most: int) -> None:
    vectors = unit(np.array(points))
    assert pairs(vectors, limit, most) == slowly(vectors, limit, most)


@pytest.mark.parametrize("most", [EVERY, 300, 256, 100])
@pytest.mark.parametrize("rows", [64, 100, 1024])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, rows: int, most: int) -> None:
    monkeypatch.setattr(cosine_pairs, "ROWS", rows)
    vectors = unit(np.random.default_rng(2).normal(size=(400, 6)))
    found = pairs(vectors, 0.8, most)
    assert found == slowly(vectors, 0.8, most)
    assert found


def test_exactly_at_the_limit_and_past_it() -> None:
    vectors = np.array([[1, 0], [0.5, 0.75], [0.25, 0.9375]], np.float32)  # products of these are exact
    assert pairs(vectors, 0.5) == [(0, 1), (1, 2)]
    assert pairs(vectors, np.nextafter(0.5, 1)) == [(1, 2)]
    assert pairs(vectors, 0.828125) == [(1, 2)]
    assert pairs(vectors, np.nextafter(0.828125, 1)) == []


def test_how_many_are_not_compared_with_all() -> None:
    vectors = unit(np.array([[1, 0], [1, 0], [0, 1], [1, 0.01], [0.01, 1], [0.01, 1.001]]))
    left, right, skipped = close_pairs(vectors, 0.99, 2)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 1), (0, 3), (2, 4), (2, 5)]
    assert skipped == 3
    assert close_pairs(vectors, 0.99, 5)[2] == 0


def test_a_hundred_thousand_copies() -> None:
    vectors = np.tile(unit(np.array([[1, 2, 3], [3, 2, 1]])), (50_000, 1))
    left, right, skipped = close_pairs(vectors, 0.99, 1000)
    assert len(right) == 99_998
    assert set(left.tolist()) == {0, 1}
    assert skipped == 0


def test_one_vector_and_none() -> None:
    assert pairs(unit(np.array([[1, 0]])), 0.9) == []
    assert pairs(np.empty((0, 2), np.float32), 0.9) == []
