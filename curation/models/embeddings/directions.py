"""Unit vectors and which of them are close, with the same verdicts on every machine.

A float32 product of blocks is fast, but its order of summation depends on the machine's library and on the block sizes.
Its error is bounded: D terms of unit vectors sum to within D * 2^-24. So values that close to a limit are summed again,
in float64 and in order, and no verdict depends on the machine, its threads or the blocks. N and K vectors of D
dimensions.
"""

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.models.npy_file import parse
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

Vectors: TypeAlias = Grid[npt.NDArray[np.float32]]
Ints: TypeAlias = npt.NDArray[np.int64]

_BLOCK = 1 << 22  # products in memory at a time: 16 MiB


def unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """float32[N, D]: the vectors scaled to length 1; all 0 for those of length 0 or with a value that is not finite."""
    return _unit(np.ascontiguousarray(vectors, np.float64))


def different(vectors: Vectors) -> tuple[Ints, Ints]:
    """(int64[U]: the first row of each different vector, ascending; int64[N]: the first row equal to each)."""
    rows: npt.NDArray[np.void] = np.ascontiguousarray(vectors).view(f"V{vectors.shape[1] * 4}")[:, 0]
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return np.sort(first), first[number]


def error(dimensions: int) -> float:
    """The largest error of a float32 product of two unit vectors."""
    return (dimensions + 8) * 2.0**-23


def nearest(vectors: Vectors, centroids: Vectors, count: int = 1) -> Ints:
    """int64[N, count]: the centroids closest in direction to each unit vector, closest first; ties go to smaller
    numbers. There must be at least `count` centroids."""
    vectors = np.ascontiguousarray(vectors)
    centroids = np.ascontiguousarray(centroids)
    chosen = np.empty((len(vectors), count), np.int64)
    rows = max(1, _BLOCK // len(centroids))
    for begin in range(0, len(vectors), rows):
        block = vectors[begin : begin + rows]
        _nearest(block @ centroids.T, block, centroids, 2 * error(vectors.shape[1]), chosen[begin : begin + rows])
    return chosen


def dots(vectors: Vectors, left: Ints, right: Ints) -> npt.NDArray[np.float64]:
    """float64[M]: the exact product of each pair of rows."""
    return _dots(np.ascontiguousarray(vectors), left, right)


@kernel
def _unit(vectors: Grid[npt.NDArray[np.float64]]) -> Vectors:
    """Scales by the largest value first, so that no square overflows or underflows."""
    units = np.zeros(vectors.shape, np.float32)
    for row in range(vectors.shape[0]):
        largest = 0.0
        total = 0.0
        for d in range(vectors.shape[1]):
            value = abs(vectors[row, d])
            largest = value if value > largest or value != value else largest
        if not 0.0 < largest < np.inf:
            continue
        for d in range(vectors.shape[1]):
            total += (vectors[row, d] / largest) ** 2
        for d in range(vectors.shape[1]):
            units[row, d] = vectors[row, d] / largest / math.sqrt(total)
    return units


@kernel
def _dot(left: Vectors, row: Int, right: Vectors, column: Int) -> float:
    total = 0.0
    for d in range(left.shape[1]):
        total += np.float64(left[row, d]) * np.float64(right[column, d])
    return total


@kernel
def _dots(vectors: Vectors, left: Ints, right: Ints) -> npt.NDArray[np.float64]:
    products = np.empty(left.size, np.float64)
    for pair in range(left.size):
        products[pair] = _dot(vectors, left[pair], vectors, right[pair])
    return products


@kernel
def _insert(best: Out[npt.NDArray[np.float64]], numbers: Out[Ints], held: Int, value: float, number: Int) -> Int:
    """Put a value into a descending list of limited length, after equal ones. Returns the new length."""
    if held == best.size and value <= best[held - 1]:
        return held
    at = min(held, best.size - 1)
    while at > 0 and best[at - 1] < value:
        best[at] = best[at - 1]
        numbers[at] = numbers[at - 1]
        at -= 1
    best[at] = value
    numbers[at] = number
    return min(held + 1, best.size)


@kernel
def _nearest(products: Vectors, vectors: Vectors, centroids: Vectors, near: float, chosen: Out[Grid[Ints]]) -> None:
    """Fill `chosen`; products[n, k] may be off by half of `near`."""
    count = chosen.shape[1]
    best = np.empty(count, np.float64)
    numbers = np.empty(count, np.int64)
    for row in range(chosen.shape[0]):
        held: Int = 0
        for k in range(centroids.shape[0]):
            held = _insert(best, numbers, held, np.float64(products[row, k]), k)
        limit = best[count - 1] - near
        held = 0
        for k in range(centroids.shape[0]):
            if products[row, k] >= limit:
                held = _insert(best, numbers, held, _dot(vectors, row, centroids, k), k)
        for place in range(count):
            chosen[row, place] = numbers[place]


def read_floats(uri: str) -> npt.NDArray[np.floating]:
    """float[N, D] of any width. Raises ValueError if the file does not hold such an array."""
    array: npt.NDArray[np.floating] = parse(storage.read_bytes(uri))
    if array.ndim != 2 or array.dtype.kind != "f" or not array.shape[1]:
        raise ValueError(f"expected a row of floats per vector, got {array.dtype}{list(array.shape)}")
    return array
