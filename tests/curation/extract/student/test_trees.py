"""Trees: the kernel gives what the definition gives."""

import numpy as np
import pytest

from curation.extract.student.trees import Trees, probabilities
from curation.text.kernels.compiler.kernel import read_only

SHAPE = (3, 2)


@pytest.fixture
def trees() -> Trees:
    choose = np.random.default_rng(1)
    features = choose.integers(0, 4, SHAPE).astype(np.int32)
    values = choose.normal(size=(3, 4)).astype(np.float32)
    return read_only(Trees(features, choose.normal(size=SHAPE).astype(np.float32), values, np.float32(0.25)))


def test_each_level_gives_a_bit_of_the_leaf(trees: Trees) -> None:
    rows = np.random.default_rng(2).normal(size=(4, 50)).astype(np.float32)
    rows[trees.features[0, 0], 0] = trees.borders[0, 0]  # what is on the border is not above it
    odds = np.full(50, 0.25)
    for tree in range(3):
        for row in range(50):
            bits = [rows[trees.features[tree, level], row] > trees.borders[tree, level] for level in range(2)]
            odds[row] += trees.values[tree, bits[0] + 2 * bits[1]]
    assert probabilities(trees, rows) == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_no_rows(trees: Trees) -> None:
    assert probabilities(trees, np.empty((4, 0), np.float32)).shape == (0,)
