"""Boosting: it learns what no single question tells, weighs rows, and always makes the same trees."""

import numpy as np
import pytest

from curation.extract.student.boosting import BINS, Boosting, fit_trees
from curation.extract.student.trees import Trees, probabilities

ROWS = 4000
SMALL = Boosting(trees=40, features=1.0)


def table(seed: int = 0) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return np.random.default_rng(seed).normal(size=(5, ROWS)).astype(np.float32)


def fitted(rows: np.ndarray, targets: np.ndarray, how: Boosting = SMALL, weights: np.ndarray | None = None) -> Trees:
    ones = np.ones(rows.shape[1], np.float32)
    return fit_trees(rows, targets.astype(np.float32), ones if weights is None else weights.astype(np.float32), how)


def test_it_learns_what_two_features_say_together() -> None:
    rows = table()
    judged = probabilities(fitted(rows, (rows[1] > 0) != (rows[3] > 0.5)), table(1))
    truth = (table(1)[1] > 0) != (table(1)[3] > 0.5)
    assert ((judged > 0.5) == truth).mean() > 0.97


def test_targets_between_0_and_1_are_met() -> None:
    rows = np.where(table() > 0, 1, 0).astype(np.float32)
    judged = probabilities(fitted(rows, 0.2 + 0.6 * rows[2]), rows)
    assert judged == pytest.approx(0.2 + 0.6 * rows[2], abs=0.03)


def test_rows_count_by_their_weights() -> None:
    rows = table()
    targets = np.arange(ROWS) % 2
    judged = probabilities(fitted(rows, targets, weights=np.where(targets, 9, 1)), rows)
    assert judged.mean() == pytest.approx(0.9, abs=0.02)


def test_the_same_rows_make_the_same_trees() -> None:
    rows = table()
    first, second = (fitted(rows, rows[0] > 0.3) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    other = fitted(rows, rows[0] > 0.3, Boosting(trees=40, features=1.0, seed=2))
    assert not np.array_equal(first.values, other.values)


@pytest.mark.parametrize("distinct", [1, 2, BINS - 1, BINS, BINS + 1, ROWS])
def test_features_of_few_and_of_many_values(distinct: int) -> None:
    rows = np.tile(np.arange(ROWS, dtype=np.float32) % distinct, (2, 1))
    judged = probabilities(fitted(rows, rows[0] >= distinct // 2), rows)
    assert ((judged > 0.5) == (rows[0] >= distinct // 2)).mean() > 0.97


def test_all_targets_the_same() -> None:
    assert probabilities(fitted(table(), np.ones(ROWS)), table()).min() > 0.99
