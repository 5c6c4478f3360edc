"""Replaced token detection: a row by hand, and weights by which the two means add up."""

import numpy as np
import pytest

from tests.training.objectives.rows import PADDING, document, row_of
from training.objectives.replaced_token import ReplacedToken


def test_a_row_by_hand() -> None:
    objective = ReplacedToken(probability=0.25)
    row = row_of(objective, document(1, 13, ended=False), padding=4)
    example = objective.example(row, np.random.default_rng(0))
    mask = row.ids.named["mask"]
    # 12 tokens, 3 hidden; a row without padding would have 4.
    assert example.places is not None
    places = example.places[:3].tolist()
    assert example.labels.tolist() == [101 + place for place in places] + [PADDING]
    assert example.weights.tolist() == [1, 1, 1, 0]
    assert example.inputs.tolist() == [mask if at in places else 101 + at for at in range(12)] + [PADDING] * 4
    assert example.uniforms is not None
    assert example.uniforms.shape == (4,)
    assert ((example.uniforms >= 0) & (example.uniforms < 1)).all()
    assert example.detection is not None
    assert example.detection.tolist() == [50 * 3 / 12] * 12 + [0] * 4


def test_the_losses_are_means_over_their_own_places() -> None:
    objective = ReplacedToken(detection_weight=10)
    examples = [
        objective.example(row_of(objective, document(1, length)), np.random.default_rng(0)) for length in (65, 65)
    ]
    labels = sum(float(example.weights.sum()) for example in examples)
    weights = np.concatenate([example.detection for example in examples if example.detection is not None])
    # Were each token's detection loss 1, the sum divided by the number of labels would be the weight of the mean.
    assert weights.sum() / labels == pytest.approx(10)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="detection_weight is 0; give a number above 0"):
        ReplacedToken(detection_weight=0)
