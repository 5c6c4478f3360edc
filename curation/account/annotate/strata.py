"""Divides documents into strata by a signal, and draws about equally many from each.

The strata of a numeric signal lie between its quantiles 1, 10, 50, 90 and 99 %: six, of which the outer four are rare,
so that a sample has as many of the extremes as of the middle, whichever end is the good one. Those of a text signal are
its most frequent values. Cuts are those of all sources together. N = documents.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)
MOST_VALUES = 20  # of a text signal that have a stratum of their own
OTHERS = "(others)"
UNMEASURED = "(unmeasured)"

Ints = npt.NDArray[np.int64]


def strata_of(values: pa.Array) -> tuple[list[str], Ints]:
    """(names, int64[N]: each document's stratum as the index of its name). `values`: numeric, boolean or string [N]."""
    return _of_texts(values) if _is_text(values.type) else _of_numbers(values)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _of_numbers(values: pa.Array) -> tuple[list[str], Ints]:
    numbers = np.asarray(pc.fill_null(values.cast(pa.float64()), float("nan")))
    measured = ~np.isnan(numbers)
    cuts = np.unique(np.quantile(numbers[measured], QUANTILES, method="higher")) if measured.any() else np.empty(0)
    stratum = np.searchsorted(cuts, numbers, side="right")
    shown = [f"{cut:.6g}" for cut in cuts]
    if len(set(shown)) < len(shown):
        shown = [f"{cut!r}" for cut in cuts.tolist()]
    between = [f"{low} to {high}" for low, high in pairwise(shown)]
    names = [f"below {shown[0]}", *between, f"{shown[-1]} and above"] if shown else []
    stratum[~measured] = len(names)
    return [*names, UNMEASURED], stratum.astype(np.int64)


def _of_texts(values: pa.Array) -> tuple[list[str], Ints]:
    counts = sorted((-row["counts"], row["values"]) for row in pc.value_counts(values.drop_null()).to_pylist())
    names = [value for _, value in counts[:MOST_VALUES]]
    index = pc.fill_null(pc.index_in(values, value_set=pa.array(names, values.type)), len(names))
    stratum = np.asarray(index.cast(pa.int64())).copy()
    stratum[np.asarray(values.is_null())] = len(names) + 1
    return [*names, OTHERS, UNMEASURED], stratum


def draw(cells: Ints, hashes: npt.NDArray[np.uint64], documents: int) -> Ints:
    """int64[K]: up to `documents` rows, those of the smallest hashes in each cell, about equally many of each.

    `cells` int64[N] has each row's cell. The first rows of the result are of different cells, and so on, so that any
    beginning of it is spread as evenly as the whole.
    """
    order = np.lexsort((hashes, cells))
    _, starts, sizes = np.unique(cells[order], return_index=True, return_counts=True)
    taken = allotted(sizes.tolist(), documents)
    rows = [order[start : start + count] for start, count in zip(starts.tolist(), taken, strict=True)]
    rank = np.concatenate([np.empty(0, np.int64), *(np.arange(count) for count in taken)])
    together = np.concatenate([np.empty(0, np.int64), *rows])
    return together[np.argsort(rank, kind="stable")]


def allotted(sizes: Sequence[int], documents: int) -> list[int]:
    """How many documents each cell gives: as equal as its size allows, `documents` in all if there are so many."""
    shares = [0] * len(sizes)
    left = documents
    for place, cell in enumerate(sorted(range(len(sizes)), key=lambda cell: sizes[cell])):
        shares[cell] = min(sizes[cell], left // (len(sizes) - place))
        left -= shares[cell]
    return shares
