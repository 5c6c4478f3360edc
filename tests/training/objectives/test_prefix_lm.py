"""The prefix objective: what is seen and what counts by hand, and how long prefixes are."""

import numpy as np

from tests.training.objectives.rows import document, row_of
from training.batch import Row
from training.objectives.prefix_lm import PrefixLm

OBJECTIVE = PrefixLm()


def marks(row: Row, seed: int = 0) -> tuple[list[int], list[int]]:
    example = OBJECTIVE.example(row, np.random.default_rng(seed))
    assert example.seen is not None
    return example.seen.astype(int).tolist(), example.weights.astype(int).tolist()


def test_two_tokens_by_hand() -> None:
    row = row_of(OBJECTIVE, [10, 11], [20, 21], [30], padding=1)
    assert marks(row) == ([1, 0, 1, 0, 1], [1, 0, 1, 0, 0])
    example = OBJECTIVE.example(row, np.random.default_rng(0))
    assert example.inputs.tolist() == [10, 11, 20, 21, 30]
    assert example.labels.tolist() == [11, 20, 21, 30, 1]
    assert example.segments.tolist() == [1, 1, 2, 2, 3]


def test_documents_that_see_each_other_have_one_prefix() -> None:
    row = row_of(OBJECTIVE, [10, 11, 12], [20, 21, 22], padding=2, apart=False)
    for seed in range(20):
        seen, counts = marks(row, seed)
        prefix = sum(seen)
        assert seen == [1] * prefix + [0] * (7 - prefix)
        assert counts == [0] * (prefix - 1) + [1] * (6 - prefix) + [0, 0]


def test_padding_may_stand_before_text() -> None:
    row = row_of(OBJECTIVE, [10, 11], apart=False)
    moved = row._replace(tokens=np.array([1, 1, 10, 11], np.uint16), segments=np.array([0, 0, 1, 1], np.int32))
    assert marks(moved) == ([0, 0, 1], [0, 0, 1])


def test_all_lengths_are_as_likely() -> None:
    row = row_of(OBJECTIVE, document(1, 5))
    rng = np.random.default_rng(0)
    examples = (OBJECTIVE.example(row, rng) for _ in range(4000))
    lengths = np.bincount([int(example.weights.sum()) for example in examples])
    assert lengths[0] == 0
    assert (abs(lengths[1:] - 1000) < 3 * (4000 * 0.25 * 0.75) ** 0.5).all()
    assert len(lengths) == 5
