"""Boosted oblivious trees: a level of a tree asks all rows the same, so that the bits of a leaf's number are answers.

Source: Prokhorenkova et al. 2018, "CatBoost: unbiased boosting with categorical features" (NeurIPS), section 4.
F features, N rows, T trees of D levels.
"""

from typing import NamedTuple

import numpy as np

from curation.extract.blocks.page import Int32s
from curation.extract.blocks.sums import Floats
from curation.text.kernels.compiler.kernel import Grid, Out, kernel


class Trees(NamedTuple):
    """A row goes right at a level if its feature is above the border."""

    features: Grid[Int32s]  # int32[T, D]
    borders: Grid[Floats]  # float32[T, D]
    values: Grid[Floats]  # float32[T, 2**D]: added to the logarithm of the odds
    bias: np.float32


@kernel
def probabilities(trees: Trees, rows: Grid[Floats]) -> Floats:
    """float32[N] of float32[F, N]."""
    size = rows.shape[1]
    odds = np.full(size, trees.bias, np.float32)
    leaves = np.empty(size, np.int32)
    for tree in range(trees.features.shape[0]):
        leaves[:] = 0
        for level in range(trees.features.shape[1]):
            _add_bit(rows[trees.features[tree, level]], trees.borders[tree, level], np.int32(1 << level), leaves)
        values = trees.values[tree]
        for row in range(size):
            odds[row] += values[leaves[row]]
    for row in range(size):
        odds[row] = np.float32(1) / (np.float32(1) + np.exp(-odds[row]))
    return odds


@kernel
def _add_bit(column: Floats, border: np.float32, bit: np.int32, leaves: Out[Int32s]) -> None:
    for row in range(column.size):
        leaves[row] += bit if column[row] > border else np.int32(0)
