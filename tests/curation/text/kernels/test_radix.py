"""Sorted rows beside NumPy's, and places of values that occur again."""

import numpy as np
import numpy.typing as npt
import pytest

from curation.text.kernels.radix import order_by, perhaps_repeated

RNG = np.random.default_rng(7)


def drawn(kind: type[np.generic], low: int, high: int, rows: int = 5000) -> npt.NDArray[np.generic]:
    return RNG.integers(low, high, rows, dtype=kind)


@pytest.mark.parametrize(
    "columns",
    [
        (drawn(np.uint64, 0, 2**64 - 1), drawn(np.int64, 0, 9)),
        (drawn(np.uint64, 0, 50), np.zeros(5000, np.uint64), drawn(np.uint32, 0, 3), drawn(np.int64, 0, 2**40)),
        (drawn(np.int64, -(2**63), 2**63 - 1) // 2**52, drawn(np.int64, -5, 5)),
        (drawn(np.uint64, 2**63, 2**63 + 9), drawn(np.int64, 0, 2)),
        (np.zeros(5000, np.int64),),
        (np.empty(0, np.uint64), np.empty(0, np.int64)),
        (np.ones(1, np.int64),),
    ],
)
def test_rows_are_ordered_as_by_a_stable_sort(columns: tuple[npt.NDArray[np.generic], ...]) -> None:
    before = [column.copy() for column in columns]
    assert order_by(*columns).tolist() == np.lexsort(columns[::-1]).tolist()
    assert all(np.array_equal(column, same) for column, same in zip(columns, before, strict=True))


@pytest.mark.parametrize(
    "values", [drawn(np.uint64, 0, 2**64 - 1), drawn(np.uint64, 0, 20_000), np.empty(0, np.uint64)]
)
def test_all_repeated_values_are_found(values: npt.NDArray[np.uint64]) -> None:
    places = perhaps_repeated(values)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    repeated = np.flatnonzero(counts[inverse] > 1)
    assert set(repeated.tolist()) <= set(places.tolist())
    assert places.tolist() == sorted(set(places.tolist()))
    assert len(places) - len(repeated) <= len(values) / 4
