"""Causal: labels are the next tokens, and padding carries no loss wherever it stands."""

import numpy as np

from training.objectives.causal import causal

TOKENS = np.array([[5, 6, 7, 0, 1], [8, 1, 1, 9, 0]], np.uint16)
SEGMENTS = np.array([[1, 1, 2, 2, 0], [1, 0, 0, 2, 2]], np.int32)


def test_labels_are_the_next_tokens_and_padding_does_not_count() -> None:
    example = causal(TOKENS, SEGMENTS, np.random.default_rng(0))
    assert example.inputs.tolist() == [[5, 6, 7, 0], [8, 1, 1, 9]]
    assert example.labels.tolist() == [[6, 7, 0, 1], [1, 1, 9, 0]]
    assert example.mask.tolist() == [[True, True, True, False], [False, False, True, True]]
    assert example.segments.tolist() == [[1, 1, 2, 2], [1, 0, 0, 2]]
    assert example.inputs.dtype == example.labels.dtype == np.int64


def test_it_draws_nothing_and_leaves_the_rows_alone() -> None:
    before, rng = TOKENS.copy(), np.random.default_rng(3)
    causal(TOKENS, SEGMENTS, rng)
    assert (before == TOKENS).all()
    assert rng.integers(1 << 30) == np.random.default_rng(3).integers(1 << 30)
