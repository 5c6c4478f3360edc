"""Boosted oblivious trees: a level of a tree asks all rows the same, so that the bits of a leaf's number are answers.

Source: Prokhorenkova et al. 2018, "CatBoost: unbiased boosting with categorical features" (NeurIPS), section 4.
F features, N rows, T trees of LEVELS levels.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.page import Int32s
from curation.extract.blocks.sums import Floats
from curation.text.kernels.compiler.kernel import Grid, Out, kernel

Uint32s: TypeAlias = npt.NDArray[np.uint32]

LEVELS = 6
LEAVES = 1 << LEVELS
_AT_ONCE = 1024  # rows: what trees ask of them stays in the cache


class Trees(NamedTuple):
    """A row goes right at a level if its feature is above the border."""

    features: Grid[Int32s]  # int32[T, LEVELS]
    borders: Grid[Floats]  # float32[T, LEVELS]
    values: Grid[Floats]  # float32[T, LEAVES]: added to the logarithm of the odds
    bias: np.float32


@kernel
def probabilities(trees: Trees, rows: Grid[Floats]) -> Floats:
    """float32[N] of float32[F, N]."""
    size = rows.shape[1]
    odds = np.full(size, trees.bias, np.float32)
    leaves = np.empty(_AT_ONCE, np.uint32)
    for start in range(0, size, _AT_ONCE):
        stop = min(start + _AT_ONCE, size)
        for tree in range(trees.features.shape[0]):
            asked = trees.features[tree]
            _find_leaves(
                rows[asked[0]][start:stop],
                rows[asked[1]][start:stop],
                rows[asked[2]][start:stop],
                rows[asked[3]][start:stop],
                rows[asked[4]][start:stop],
                rows[asked[5]][start:stop],
                trees.borders[tree],
                leaves,
            )
            _add_values(trees.values[tree], leaves, odds[start:stop])
    for row in range(size):
        odds[row] = np.float32(1) / (np.float32(1) + np.exp(-odds[row]))
    return odds


@kernel
def _find_leaves(
    a: Floats, b: Floats, c: Floats, d: Floats, e: Floats, f: Floats, borders: Floats, leaves: Out[Uint32s]
) -> None:
    """Of each row, by the six features that a tree asks for. One loop over all levels writes a leaf once, which takes
    half the time of a loop for each level (November 2026)."""
    above_a = borders[0]
    above_b = borders[1]
    above_c = borders[2]
    above_d = borders[3]
    above_e = borders[4]
    above_f = borders[5]
    for row in range(a.size):
        leaves[row] = (
            np.uint32(a[row] > above_a)
            | np.uint32(b[row] > above_b) << np.uint32(1)
            | np.uint32(c[row] > above_c) << np.uint32(2)
            | np.uint32(d[row] > above_d) << np.uint32(3)
            | np.uint32(e[row] > above_e) << np.uint32(4)
            | np.uint32(f[row] > above_f) << np.uint32(5)
        )


@kernel
def _add_values(values: Floats, leaves: Uint32s, odds: Out[Floats]) -> None:
    for row in range(odds.size):
        odds[row] += values[leaves[row]]
