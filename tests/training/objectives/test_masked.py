"""Masked language modelling: a row by hand, 80 / 10 / 10 over a million hidden tokens, words that share the draw."""

import numpy as np
import pytest

from tests.training.objectives.rows import END, PADDING, document, row_of
from training.batch import ExampleShape
from training.objectives.masked import Masked


def test_a_row_by_hand() -> None:
    objective = Masked(probability=0.5, mask_share=1, random_share=0)
    row = row_of(objective, [1, 10, END], [20, END], padding=4)
    example = objective.example(row, np.random.default_rng(0))
    mask = row.ids.named["mask"]
    # One of the two tokens that can be hidden; a row without padding or ends would have four labels.
    assert objective.shape(8) == ExampleShape(inputs=8, labels=4)
    (at,) = [place for place in (0, 2) if example.inputs[place] == mask]
    assert example.inputs.tolist() == [mask if at == 0 else 10, END, mask if at == 2 else 20, END] + [PADDING] * 4
    assert example.labels.tolist() == [10 if at == 0 else 20, PADDING, PADDING, PADDING]
    assert example.weights.tolist() == [1, 0, 0, 0]
    assert example.places is not None
    assert example.places.tolist() == [at, 0, 0, 0]
    assert example.seen is not None
    assert example.seen.tolist() == [True] * 4 + [False] * 4
    assert example.segments.tolist() == [1, 1, 2, 2, 0, 0, 0, 0]


def test_shares_of_a_million_hidden_tokens() -> None:
    objective = Masked()
    row = row_of(objective, document(1, 2049, ended=False))
    rng = np.random.default_rng(0)
    masked = same = total = 0
    while total < 1_000_000:
        example = objective.example(row, rng)
        assert example.places is not None
        assert len(example.places) == 307  # 15 % of 2,048
        assert (np.diff(example.places) > 0).all()
        assert (example.labels == row.tokens[1:][example.places]).all()
        read = example.inputs[example.places]
        masked += int((read == row.ids.named["mask"]).sum())
        same += int((read == example.labels).sum())
        total += len(read)
    assert abs(masked - 0.8 * total) < 3 * (total * 0.8 * 0.2) ** 0.5
    assert abs(same - 0.1 * total) < 3 * (total * 0.1 * 0.9) ** 0.5
    assert abs(total - masked - same - 0.1 * total) < 3 * (total * 0.1 * 0.9) ** 0.5


def test_the_tokens_of_a_word_share_the_draw() -> None:
    objective = Masked(probability=0.5, unit="words", mask_share=0.5, random_share=0)
    row = row_of(objective, document(1, 201, ended=False))
    example = objective.example(row._replace(tokens=row.tokens + 1), np.random.default_rng(0))
    pairs = (example.inputs == row.ids.named["mask"]).reshape(100, 2)
    assert 10 < pairs[:, 0].sum() < 40
    assert (pairs[:, 0] == pairs[:, 1]).all()


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"mask_share is 0\.95 and random_share 0\.1; give at most 1 together"):
        Masked(mask_share=0.95)
