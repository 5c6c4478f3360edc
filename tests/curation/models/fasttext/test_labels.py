"""Label scores by hand: a small tree, and the losses without one. Against the library: test_fasttext.py."""

import numpy as np
import pytest

from curation.models.fasttext.labels import huffman, label_scores

NO_TREE = np.empty(0, np.int64)


def test_the_two_rarest_are_joined_first() -> None:
    # Labels 0, 1, 2 with 9, 2, 1: node 3 joins 2 and 1, node 4 joins it with 0.
    assert huffman(np.array([9, 2, 1])).tolist() == [2, 1, 3, 0]


def test_scores_multiply_down_the_tree() -> None:
    output = np.array([[np.log(3)], [np.log(4)], [0]], np.float32)  # to the right at 3 and 4: 0.75 and 0.8
    scores = label_scores(np.ones((1, 1), np.float32), output, "hs", huffman(np.array([9, 2, 1])))
    assert scores[0] == pytest.approx([0.8, 0.2 * 0.75, 0.2 * 0.25], abs=3e-5)


def test_a_tree_of_one_label() -> None:
    scores = label_scores(np.ones((2, 3), np.float32), np.ones((1, 3), np.float32), "hs", huffman(np.array([5])))
    assert scores.tolist() == [[1.0], [1.0]]


def test_softmax() -> None:
    output = np.log(np.array([[1], [2], [5]], np.float32))
    assert label_scores(np.ones((1, 1), np.float32), output, "softmax", NO_TREE)[0] == pytest.approx(
        [0.12501, 0.25001, 0.62501]
    )


@pytest.mark.parametrize("loss", ["ova", "ns"])
def test_sigmoids_in_steps(loss: str) -> None:
    dots = np.array([[0.0], [0.03], [1 / 32], [8.1], [-8.1]], np.float32)
    scores = label_scores(np.ones((1, 1), np.float32), dots, loss, NO_TREE)[0]
    assert scores == pytest.approx([0.50001, 0.50001, 1 / (1 + np.exp(-1 / 32)) + 1e-5, 1.0, 1e-5])
