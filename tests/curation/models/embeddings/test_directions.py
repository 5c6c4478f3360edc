"""Unit vectors, products and nearest centroids, against exact arithmetic."""

import io
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.embeddings.directions import Vectors, different, dots, error, nearest, read_floats, unit


def drawn(rows: int, dimensions: int, seed: int = 0) -> Vectors:
    return unit(np.random.default_rng(seed).normal(size=(rows, dimensions)))


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        pytest.param([3.0, 4.0], [0.6, 0.8], id="ordinary"),
        pytest.param([-2.0, 0.0], [-1.0, 0.0], id="negative"),
        pytest.param([3e300, 4e300], [0.6, 0.8], id="squares too large"),
        pytest.param([3e-300, 4e-300], [0.6, 0.8], id="squares too small"),
        pytest.param([0.0, 0.0], [0.0, 0.0], id="no direction"),
        pytest.param([float("nan"), 1.0], [0.0, 0.0], id="no number first"),
        pytest.param([1.0, float("nan")], [0.0, 0.0], id="no number last"),
        pytest.param([float("-inf"), 1.0], [0.0, 0.0], id="infinite"),
    ],
)
def test_unit(vector: list[float], expected: list[float]) -> None:
    assert unit(np.array([vector])).tolist() == np.array([expected], np.float32).tolist()


def test_products_are_exact_and_blocks_err_less_than_stated() -> None:
    vectors = drawn(40, 300)
    left, right = np.triu_indices(40, 1)
    exact = np.array(
        [
            float(sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(vectors[i], vectors[j], strict=True)))
            for i, j in zip(left[:50], right[:50], strict=True)
        ]
    )
    assert np.abs(dots(vectors, left[:50], right[:50]) - exact).max() < 1e-15
    blocked = (vectors @ vectors.T)[left, right]
    assert np.abs(blocked - dots(vectors, left, right)).max() < error(300) / 2


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 4), st.integers(0, 99))
def test_nearest_like_sorting(rows: int, k: int, count: int, seed: int) -> None:
    vectors = drawn(rows, 3, seed)
    centroids = drawn(k, 3, seed + 100)
    count = min(count, k)
    exact = vectors.astype(np.float64) @ centroids.T.astype(np.float64)
    assert nearest(vectors, centroids, count).tolist() == np.argsort(-exact, axis=1, kind="stable")[:, :count].tolist()


def test_of_equally_near_centroids_the_first() -> None:
    centroids = unit(np.array([[0, 1], [1, 0], [1, 0], [1, 1], [1, 0]]))
    assert nearest(unit(np.array([[1, 0.1], [1, 1]])), centroids, 4).tolist() == [[1, 2, 4, 3], [3, 0, 1, 2]]


def test_nearly_equal_products_are_told_apart() -> None:
    centroids = np.array([[1, 0], [1, 1e-7], [1, 2e-7]], np.float32)
    vectors = np.array([[1, 1e-3], [1, -1e-3]], np.float32)
    assert nearest(vectors, centroids, 3).tolist() == [[2, 1, 0], [0, 1, 2]]


def test_alone_as_among_many() -> None:
    vectors = drawn(3000, 20)
    centroids = drawn(2000, 20, 1)
    together = nearest(vectors, centroids, 2)
    for row in (0, 1500, 2999):
        assert nearest(vectors[row : row + 1], centroids, 2).tolist() == [together[row].tolist()]


def test_different() -> None:
    first, same = different(np.array([[1, 2], [0, 1], [1, 2], [1, 3], [0, 1]], np.float32))
    assert first.tolist() == [0, 1, 3]
    assert same.tolist() == [0, 1, 0, 3, 1]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_any_width(tmp_path: Path, kind: npt.DTypeLike) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 2.5], [0, -1]], kind))
    found = read_floats(str(tmp_path / "a.npy"))
    assert found.dtype == kind
    assert found.tolist() == [[1, 2.5], [0, -1]]


def saved(array: npt.NDArray[np.generic]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(saved(np.ones(2)), r"got float64\[2\]", id="one dimension"),
        pytest.param(saved(np.ones((2, 2, 2))), r"got float64\[2, 2, 2\]", id="three dimensions"),
        pytest.param(saved(np.ones((2, 2), np.int64)), r"got int64\[2, 2\]", id="whole numbers"),
        pytest.param(saved(np.array([[None, 1], [1, 2]])), "it holds object, not numbers", id="objects"),
        pytest.param(saved(np.ones((100, 2)))[:900], "has 900 bytes, which do not hold", id="half an array"),
        pytest.param(b"\x80\x04pickled", r"does not begin as a \.npy file", id="no array"),
    ],
)
def test_what_is_no_array_of_floats(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_floats(str(tmp_path / "a.npy"))
