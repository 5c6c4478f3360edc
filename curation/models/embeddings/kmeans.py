"""Spherical k-means: assigns unit vectors to k centroids by direction, so that later only near ones are compared.

Source: Dhillon and Modha 2001, "Concept Decompositions for Large Sparse Text Data using Clustering"
(doi:10.1023/A:1007612920971).

Each round assigns every vector to its nearest centroid, then moves each centroid to the direction of its vectors' sum.
The first centroids are k different vectors drawn by the seed; a centroid without vectors moves to the vector farthest
from its own centroid. Assignments and sums are exact (see `directions`), so the same vectors in the same order give the
same bytes on any machine. The file of centroids is a .npy array float32[k, D], which other tools can write too.
N vectors.
"""

import io
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError
from curation.models.embeddings.directions import Ints, Vectors, different, nearest, read_floats, unit
from curation.text.kernels.compiler.kernel import Grid, Out, kernel


def centroids_of(vectors: Vectors, *, clusters: int, rounds: int, seed: int) -> Vectors:
    """float32[k, D] unit vectors from float32[N, D] unit vectors; `clusters` is k.

    Raises InputError if fewer than `clusters` of the vectors differ.
    """
    starts, _ = different(vectors)
    if len(starts) < clusters:
        raise InputError(
            f"{len(starts):,} different vectors in the text to learn from cannot have {clusters:,} centroids; "
            "lower clusters or raise sample_bytes"
        )
    drawn = np.random.default_rng(seed).permutation(len(starts))[:clusters]
    centroids = vectors[starts[np.sort(drawn)]]
    assigned = np.full(len(vectors), -1, np.int64)
    for _ in range(rounds):
        before = assigned
        assigned = nearest(vectors, centroids)[:, 0]
        if np.array_equal(before, assigned):
            break
        centroids = _moved(vectors, centroids, assigned)
    return centroids


def _moved(vectors: Vectors, centroids: Vectors, assigned: Ints) -> Vectors:
    sums = np.zeros(centroids.shape, np.float64)
    closeness = np.empty(len(vectors), np.float64)
    _sum_vectors(vectors, centroids, assigned, sums, closeness)
    moved = unit(sums)
    empty = np.flatnonzero(~moved.any(axis=1))
    moved[empty] = vectors[np.argsort(closeness, kind="stable")[: len(empty)]]
    return moved


def to_bytes(centroids: Vectors) -> bytes:
    """The file's content."""
    file = io.BytesIO()
    np.save(file, centroids, allow_pickle=False)
    return file.getvalue()


def locate(uri: str) -> str:
    """The path or URI itself. Raises InputError if there is no such file."""
    if storage.size(uri) < 0:
        raise InputError(f"no centroids at {uri}; give the path of a result of `fit: {{kmeans: …}}`, or @kmeans")
    return uri


@lru_cache(maxsize=4)
def load(uri: str) -> Vectors:
    """float32[k, D] unit vectors, read once per process. Raises InputError if the file holds none."""
    try:
        centroids = unit(read_floats(locate(uri)))
        if not len(centroids) or not centroids.any(axis=1).all():
            raise ValueError("some have no direction" if len(centroids) else "there are none")
    except ValueError as error:
        raise InputError(f"{uri} is not a .npy array of centroids: {error}") from error
    centroids.flags.writeable = False
    return centroids


@kernel
def _sum_vectors(
    vectors: Vectors,
    centroids: Vectors,
    assigned: Ints,
    sums: Out[Grid[npt.NDArray[np.float64]]],
    closeness: Out[npt.NDArray[np.float64]],
) -> None:
    """Add each vector to its centroid's row of `sums`, in order, and write its cosine to `closeness`."""
    for row in range(assigned.size):
        k = assigned[row]
        total = 0.0
        for d in range(vectors.shape[1]):
            value = np.float64(vectors[row, d])
            sums[k, d] += value
            total += value * np.float64(centroids[k, d])
        closeness[row] = total
