"""Spherical k-means: planted clusters, the same bytes each time, and files of centroids."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from curation.core.errors import InputError
from curation.models.embeddings.directions import Vectors, nearest, unit
from curation.models.embeddings.kmeans import centroids_of, load, to_bytes


def planted(clusters: int, each: int, dimensions: int = 8) -> Vectors:
    """Vectors around `clusters` axes, mixed: row n belongs to axis n % clusters."""
    noise = np.random.default_rng(3).normal(size=(clusters * each, dimensions), scale=0.1)
    noise[np.arange(len(noise)), np.arange(len(noise)) % clusters] += 1
    return unit(noise)


def test_planted_clusters_are_found() -> None:
    vectors = planted(4, 200)
    # Of few seeds one draws a vector of each cluster; from there a round finds them.
    found = [centroids_of(vectors, clusters=4, rounds=20, seed=seed) for seed in range(8)]
    best = max(found, key=lambda centroids: closeness(vectors, centroids))
    assigned = nearest(vectors, best)[:, 0]
    assert [len(set(assigned[axis::4])) for axis in range(4)] == [1, 1, 1, 1]
    assert len(set(assigned)) == 4
    assert np.allclose(best[assigned[:4]], unit(np.eye(4, 8)), atol=0.03)


def closeness(vectors: Vectors, centroids: Vectors) -> float:
    return float((vectors * centroids[nearest(vectors, centroids)[:, 0]]).sum())


def test_a_centroid_is_the_direction_of_its_vectors() -> None:
    vectors = unit(np.array([[1, 0], [0.6, 0.8]]))
    found = centroids_of(vectors, clusters=1, rounds=5, seed=0)
    assert np.allclose(found, [[1.6 / np.hypot(1.6, 0.8), 0.8 / np.hypot(1.6, 0.8)]])


def test_as_many_clusters_as_vectors_differ() -> None:
    vectors = unit(np.array([[1, 0], [0, 1], [1, 0], [1, 1], [0, 1]]))
    found = centroids_of(vectors, clusters=3, rounds=5, seed=0)
    assert sorted(found.tolist()) == sorted(vectors[[0, 1, 3]].tolist())
    with pytest.raises(InputError, match=r"3 different vectors .* cannot have 4 centroids"):
        centroids_of(vectors, clusters=4, rounds=5, seed=0)


def test_a_centroid_without_vectors_takes_the_farthest() -> None:
    # Opposite vectors: their sum has no direction, so that the centroid which has both is left without one.
    vectors = unit(np.array([[1, 0], [-1, 0]]))
    found = centroids_of(vectors, clusters=1, rounds=2, seed=0)
    assert found.tolist() in ([[1.0, 0.0]], [[-1.0, 0.0]])


def test_the_same_bytes_each_time_and_others_for_other_seeds() -> None:
    vectors = unit(np.random.default_rng(5).normal(size=(1000, 6)))
    one, again, other = (to_bytes(centroids_of(vectors, clusters=10, rounds=5, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "centroids.npy"
    centroids = planted(3, 1)
    path.write_bytes(to_bytes(centroids))
    assert np.array_equal(load(str(path)), centroids)
    np.save(tmp_path / "longer.npy", np.array([[3.0, 4.0]]))
    assert np.allclose(load(str(tmp_path / "longer.npy")), [[0.6, 0.8]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"no array", "does not begin as", id="no array"),
        pytest.param(np.ones((0, 2)), "there are none", id="none"),
        pytest.param(np.array([[1.0, 0.0], [0.0, 0.0]]), "no direction", id="of length 0"),
        pytest.param(np.array([[1.0, np.nan]]), "no direction", id="not finite"),
    ],
)
def test_a_file_that_holds_none(tmp_path: Path, content: bytes | npt.NDArray[np.float64], message: str) -> None:
    path = tmp_path / "c.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    with pytest.raises(InputError, match=f"c.npy is not a .npy array of centroids.*{message}"):
        load(str(path))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no centroids at .*@kmeans"):
        load(str(tmp_path / "none.npy"))
