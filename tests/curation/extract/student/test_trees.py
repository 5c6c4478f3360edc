"""Trees: the kernel gives what the definition gives."""

import numpy as np
import pytest

from curation.extract.student.trees import LEAVES, LEVELS, Trees, probabilities
from curation.text.kernels.compiler.kernel import read_only

SHAPE = (3, LEVELS)


@pytest.fixture
def trees() -> Trees:
    choose = np.random.default_rng(1)
    features = choose.integers(0, 4, SHAPE).astype(np.int32)
    values = choose.normal(size=(3, LEAVES)).astype(np.float32)
    return read_only(Trees(features, choose.normal(size=SHAPE).astype(np.float32), values, np.float32(0.25)))


@pytest.mark.parametrize("size", [1, 50, 1023, 1024, 1025])
def test_each_level_gives_a_bit_of_the_leaf(trees: Trees, size: int) -> None:
    rows = np.random.default_rng(2).normal(size=(4, size)).astype(np.float32)
    rows[trees.features[0, 0], 0] = trees.borders[0, 0]  # what is on the border is not above it
    odds = np.full(size, 0.25)
    for tree in range(3):
        for row in range(size):
            bits = [rows[trees.features[tree, level], row] > trees.borders[tree, level] for level in range(LEVELS)]
            odds[row] += trees.values[tree, sum(bit << level for level, bit in enumerate(map(int, bits)))]
    assert probabilities(trees, rows) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_no_rows(trees: Trees) -> None:
    assert probabilities(trees, np.empty((4, 0), np.float32)).shape == (0,)
