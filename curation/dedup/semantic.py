"""Semantic dedup: documents are duplicates when their vectors point in nearly the same direction.

Source: Abbas et al. 2023, "SemDeDup: Data-efficient learning at web-scale through semantic deduplication"
(arXiv:2303.09540): k-means divides the embeddings, and each group is compared by cosine.

    - fit: {kmeans: {model: vectors.vec, clusters: 1000}}
    - dedup: {semantic: {model: vectors.vec, centroids: "@kmeans"}}

Vectors come from an encoder (`curation/models/embeddings/encoders.py`) or from a column of the documents. A document is
compared within the groups of its `probes` nearest centroids, so duplicates are found if they share one. A group of n
documents of D dimensions costs n² D / 2 multiplications: choose enough centroids to keep groups below some ten thousand
documents. In a larger group, only the best-ranked `max_part` documents are compared with all.

A document without a vector has no key and is never a duplicate: an empty text or one without a known word; in a column,
null, a wrong length, length 0, or a value that is not finite. The paper keeps the document farthest from a cluster's
centroid; here, as with every method, the stage's `keep` decides.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Links, Pairs
from curation.core.errors import InputError, RecipeError
from curation.core.protocols import Ints, Uint64s
from curation.models.embeddings import encoders, kmeans
from curation.models.embeddings.directions import Vectors, different, dots, error, nearest, unit
from curation.text.kernels.mix64 import GOLDEN, splitmix64_each

TOLERANCE = 1e-6  # of a cosine: the precision of float32 vectors


@dataclass(frozen=True, kw_only=True)
class Semantic(Links):
    """Where vectors come from, how they are grouped, and how close duplicates are."""

    centroids: Annotated[str, '.npy, float32[k, D]: its path, or "@kmeans"']
    model: Annotated[str | tuple[str, ...], "the encoder's file or files: either this …"] = ""
    column: Annotated[str, "… or a column of vectors, lists of D floats"] = ""
    encoder: Annotated[str, "a file in curation/models"] = "word_vectors"
    threshold: Annotated[float, "cosine"] = 0.95
    probes: Annotated[int, "nearest centroids in whose groups a document is compared"] = 1
    max_part: Annotated[int, "documents of a group that are compared with all others"] = 50_000

    reads: ClassVar[tuple[str, ...]] = ("text",)
    fitted_by: ClassVar[dict[str, str]] = {"centroids": "kmeans"}
    has_vectors: ClassVar[bool] = True
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if bool(self.model) == bool(self.column):
            raise RecipeError("give either model, the encoder's file, or column, the name of a column of vectors")
        if not 0.0 < self.threshold <= 1.0:
            raise RecipeError(f"threshold is {self.threshold}; give a cosine above 0 and up to 1")
        if min(self.probes, self.max_part) < 1:
            raise RecipeError(
                f"probes is {self.probes} and max_part {self.max_part}; give probes and max_part of 1 or more"
            )
        if not self.centroids:
            raise RecipeError('centroids names no file: give its path, or "@kmeans" after a `fit: {kmeans: …}`')
        encoders.check(self.encoder)
        if self.column:
            object.__setattr__(self, "reads", (self.column,))

    def assets(self) -> Mapping[str, str | tuple[str, ...]]:
        """Where the files are. Raises InputError if one is missing."""
        centroids: dict[str, str | tuple[str, ...]] = {"centroids": kmeans.locate(self.centroids)}
        return centroids | ({"model": encoders.locate(self.model)} if self.model else {})

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """`probes` keys per document that has a vector, in row order, nearest centroid first."""
        centroids = kmeans.load(self.centroids)
        vectors = self.embed(batch)
        row = np.flatnonzero(vectors.any(axis=1))
        probes = min(self.probes, len(centroids))
        parts = nearest(vectors[row], centroids, probes).ravel().astype(np.uint64)
        hi = splitmix64_each((parts + np.uint64(1)) * GOLDEN)
        row = np.repeat(row, probes)
        return Keys(hi, np.zeros_like(hi), row, vector=vectors[row])

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Rows of one group whose cosine is `threshold` or more, to within TOLERANCE; equal vectors are paired only
        with the best-ranked of them. `skipped` counts the different vectors after the first `max_part` of a group."""
        assert vector is not None
        fresh = (hi[1:] != hi[:-1]) | (lo[1:] != lo[:-1])
        bounds = np.concatenate([[0], np.flatnonzero(fresh) + 1, [len(hi)]])
        pairs: list[tuple[Ints, Ints]] = [(np.empty(0, np.int64), np.empty(0, np.int64))]
        skipped = 0
        for start, stop in itertools.pairwise(bounds.tolist()):
            if stop - start < 2:
                continue
            left, right, beyond = close_pairs(vector[start:stop], self.threshold - TOLERANCE, self.max_part)
            pairs.append((left + start, right + start))
            skipped += beyond
        left, right = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
        return Pairs(left, right, skipped)

    def embed(self, batch: pa.RecordBatch) -> Vectors:
        """float32[N, D]; all 0 for a document without a vector."""
        dimensions = kmeans.load(self.centroids).shape[1]
        if self.column:
            return _column(batch.column(self.column), self.column, dimensions)
        encoder = encoders.load(self.encoder, self.model)
        if encoder.dimensions != dimensions:
            raise InputError(f"{self.centroids} has {dimensions} dimensions, {self.model} {encoder.dimensions}")
        return encoder.embed(batch.column("text"))


def _column(lists: pa.Array, name: str, dimensions: int) -> Vectors:
    """float32[N, D] from lists of floats."""
    kind = lists.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if not is_list or not pa.types.is_floating(kind.value_type):
        raise InputError(f"column {name!r} holds {kind}; vectors are lists of floats")
    if pa.types.is_fixed_size_list(kind):
        if kind.list_size != dimensions:
            raise InputError(f"column {name!r} has vectors of {kind.list_size} dimensions, the centroids {dimensions}")
        lists = lists.cast(pa.large_list(kind.value_type))
    vectors = np.zeros((len(lists), dimensions), np.float64)
    rows = np.flatnonzero(lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False) == dimensions)
    values = lists.take(pa.array(rows)).flatten()
    vectors[rows] = values.to_numpy(zero_copy_only=False).reshape(-1, dimensions)  # a null value is NaN
    return unit(vectors)


ROWS = 1024  # of a block


def close_pairs(vectors: Vectors, limit: float, most: int) -> tuple[Ints, Ints, int]:
    """Rows of unit vectors whose product is `limit` or more: left int64[M], right int64[M], each left < right. Only the
    products of two blocks of ROWS are held at a time, and equal vectors are compared once: copies by the million cost
    nothing.

    Vectors after the first `most` different ones are compared only with these; their number comes third. Equal vectors
    are paired only with the first of them. Ascending by right, then left.
    """
    first, same = different(vectors)
    distinct = vectors[first]
    copies = np.flatnonzero(same != np.arange(len(same)))
    pairs = [(same[copies], copies)]
    for begin in range(0, len(first), ROWS):
        right = distinct[begin : begin + ROWS]
        for start in range(0, min(begin + 1, most), ROWS):
            left = distinct[start : min(start + ROWS, most)]
            lefts, rights = _close(left, right, limit, start - begin)
            pairs.append((first[lefts + start], first[rights + begin]))
    lefts, rights = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    order = np.lexsort((lefts, rights))
    return lefts[order], rights[order], max(0, len(first) - most)


def _close(left: Vectors, right: Vectors, limit: float, ahead: int) -> tuple[Ints, Ints]:
    """Pairs of rows of two blocks, each pair once; the left block begins `ahead` rows after the right one."""
    products = left @ right.T
    slack = error(left.shape[1])
    rows, columns = np.nonzero(products >= limit - slack)
    once = rows + ahead < columns
    rows = rows[once]
    columns = columns[once]
    near = np.flatnonzero(products[rows, columns] < limit + slack)
    if not len(near):
        return rows, columns
    exact = dots(np.concatenate([left, right]), rows[near], columns[near] + len(left))
    kept = np.ones(len(rows), np.bool_)
    kept[near] = exact >= limit
    return rows[kept], columns[kept]
