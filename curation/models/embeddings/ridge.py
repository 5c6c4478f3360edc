"""A ridge head: predicts a score from a text's vector, a * x + b, with the squares of a penalized.

Source: Hoerl and Kennard 1970, "Ridge Regression: Biased Estimation for Nonorthogonal Problems"
(doi:10.1080/00401706.1970.10488634).

The head minimizes mean((a * x + b - score)²) + penalty * |a|² over the documents that have a vector; b is not
penalized. Sums are in float64 in the order of the documents, and a Cholesky factorization that is written out here
solves the equations: the same documents in the same order give the same bytes on any machine.
N documents, D dimensions.
"""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from curation.models.embeddings.directions import Vectors
from curation.text.kernels.compiler.kernel import Grid, Out, kernel

Floats = npt.NDArray[np.float64]

FORMAT = "winnow ridge head 1"
PENALTY = 1e-5  # the variance of unit vectors along one of D axes is below 1 / D


@dataclass(frozen=True)
class RidgeHead:
    """What `fit` learned. `encoder` says which vectors it was trained on, such as the hash of the encoder's files."""

    weights: tuple[float, ...]  # D
    intercept: float
    penalty: float
    documents: int  # it learned from
    encoder: str = ""

    kind: ClassVar[str] = "ridge head"

    def predict(self, vectors: Vectors) -> Floats:
        """float64[N] for float32[N, D]; NaN for a text without a vector. Raises ValueError for another D."""
        if vectors.ndim != 2 or vectors.shape[1] != len(self.weights):
            shape = "×".join(map(str, vectors.shape))
            raise ValueError(f"a ridge head for {len(self.weights)} dimensions was given vectors of {shape}")
        return _predict(np.ascontiguousarray(vectors, np.float32), np.array(self.weights), self.intercept)

    def to_bytes(self) -> bytes:
        """The head as JSON."""
        return (json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n").encode()


def fit(vectors: Vectors, scores: npt.ArrayLike, *, penalty: float = PENALTY, encoder: str = "") -> RidgeHead:
    """From float32[N, D] and float[N]. Rows of zeros, which are texts without a vector, are left out.

    Raises ValueError where fewer than two different scores are left, or the penalty leaves the equations without one
    solution.
    """
    values = np.asarray(scores, np.float64)
    if vectors.ndim != 2 or values.shape != (len(vectors),):
        raise ValueError(f"{values.shape} scores for vectors of {vectors.shape}")
    if not np.isfinite(values).all() or not np.isfinite(vectors).all():
        raise ValueError("a score or a vector is not finite")
    if not (math.isfinite(penalty) and penalty >= 0):
        raise ValueError(f"penalty is {penalty}; it must be 0 or more")
    present = vectors.any(axis=1)
    vectors = np.ascontiguousarray(vectors[present], np.float32)
    values = values[present]
    if len(np.unique(values)) < 2:
        raise ValueError(f"{len(values):,} documents with a vector have fewer than two different scores")
    means = _means(vectors)
    mean_score = math.fsum(values.tolist()) / len(values)
    products, targets = _sums(vectors, means, values - mean_score)
    products /= len(values)
    products[np.diag_indices_from(products)] += penalty
    weights = targets / len(values)
    _solve(products, weights)
    if not np.isfinite(weights).all():
        raise ValueError(f"the vectors depend on each other; a penalty above {penalty:g} gives one solution")
    intercept = mean_score - math.fsum((weights * means).tolist())
    return RidgeHead(tuple(weights.tolist()), intercept, penalty, len(values), encoder)


def parse(content: bytes) -> RidgeHead:
    """The head of `to_bytes`. Raises ValueError where the content is damaged or of another kind."""
    try:
        fields: dict[str, Any] = json.loads(content)
        if fields.pop("format", None) != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        head = RidgeHead(**fields | {"weights": tuple(float(weight) for weight in fields["weights"])})
        if not head.weights or not np.isfinite([*head.weights, head.intercept]).all():
            raise ValueError("its weights are not finite numbers")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"it is not a ridge head: {error}") from error
    return head


@kernel
def _means(vectors: Vectors) -> Floats:
    """float64[D]"""
    sums = np.zeros(vectors.shape[1], np.float64)
    for row in range(vectors.shape[0]):
        for d in range(vectors.shape[1]):
            sums[d] += np.float64(vectors[row, d])
    sums /= vectors.shape[0]
    return sums


@kernel
def _sums(vectors: Vectors, means: Floats, scores: Floats) -> tuple[Grid[Floats], Floats]:
    """(float64[D, D]: the lower triangle of the centred vectors' products; float64[D]: theirs with the scores)."""
    dimensions = vectors.shape[1]
    products = np.zeros((dimensions, dimensions), np.float64)
    targets = np.zeros(dimensions, np.float64)
    centred = np.empty(dimensions, np.float64)
    for row in range(vectors.shape[0]):
        for d in range(dimensions):
            centred[d] = np.float64(vectors[row, d]) - means[d]
        for d in range(dimensions):
            value = centred[d]
            targets[d] += value * scores[row]
            for e in range(d + 1):
                products[d, e] += value * centred[e]
    return products, targets


@kernel
def _solve(matrix: Out[Grid[Floats]], targets: Out[Floats]) -> None:
    """Turn the targets float64[D] into the solution for a symmetric matrix, of which the lower triangle is read and
    overwritten; NaN where the matrix is not positive definite."""
    size = matrix.shape[0]
    for d in range(size):
        largest = matrix[d, d]
        for e in range(d + 1):
            total = matrix[d, e]
            for k in range(e):
                total -= matrix[d, k] * matrix[e, k]
            if e < d:
                matrix[d, e] = total / matrix[e, e]
            elif total > largest * 1e-14:
                matrix[d, d] = math.sqrt(total)
            else:
                matrix[d, d] = np.nan
    for d in range(size):
        for k in range(d):
            targets[d] -= matrix[d, k] * targets[k]
        targets[d] /= matrix[d, d]
    for d in range(size - 1, -1, -1):
        for k in range(d + 1, size):
            targets[d] -= matrix[k, d] * targets[k]
        targets[d] /= matrix[d, d]


@kernel
def _predict(vectors: Vectors, weights: Floats, intercept: float) -> Floats:
    """float64[N]"""
    scores = np.empty(vectors.shape[0], np.float64)
    for row in range(vectors.shape[0]):
        total = intercept
        present = False
        for d in range(vectors.shape[1]):
            total += np.float64(vectors[row, d]) * weights[d]
            present = present or vectors[row, d] != 0
        scores[row] = total if present else np.nan
    return scores
