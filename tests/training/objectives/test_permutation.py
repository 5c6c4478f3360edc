"""Permutation: a sixth is predicted, last in the order, in spans that lie where they must."""

import numpy as np
import pytest

from tests.training.objectives.rows import END, document, row_of
from training.batch import ExampleShape
from training.objectives.permutation import Permutation

OBJECTIVE = Permutation()


def test_a_sixth_is_predicted_last() -> None:
    assert OBJECTIVE.shape(512) == ExampleShape(inputs=512, labels=85)
    row = row_of(OBJECTIVE, document(1, 513, ended=False))
    example = OBJECTIVE.example(row, np.random.default_rng(0))
    assert example.order is not None
    assert example.places is not None
    assert sorted(example.order.tolist()) == list(range(512))
    assert sorted(example.order[example.places].tolist()) == list(range(427, 512))
    assert (np.diff(example.places) > 0).all()
    assert (example.labels == example.inputs[example.places]).all()
    assert example.weights.tolist() == [1] * 85


def test_ends_are_not_predicted_and_padding_is_last() -> None:
    row = row_of(OBJECTIVE, [1, 10, 11, END], [20, 21, END], padding=6)
    for seed in range(20):
        example = OBJECTIVE.example(row, np.random.default_rng(seed))
        assert example.order is not None
        assert example.order[6:].tolist() == [6, 7, 8, 9, 10, 11]
        assert example.places is not None
        assert example.weights.tolist() == [1, 0]  # of four tokens; of twelve it would be two
        assert example.places[0] in (0, 1, 3, 4)
        assert example.order[example.places[0]] == 5


def test_spans_and_their_stretches() -> None:
    # Two of twelve tokens: in one case of five two spans of one token, each in its half; else a span of two, which
    # reaches from one half into the other in one of eleven places.
    row = row_of(OBJECTIVE, document(1, 13, ended=False))
    rng = np.random.default_rng(0)
    found = [OBJECTIVE.example(row, rng).places for _ in range(4000)]
    places = np.array(found)
    apart = (places[:, 0] < 6) & (places[:, 1] >= 6)
    share = 1 / 5 + 4 / 5 / 11
    assert abs(apart.sum() - 4000 * share) < 3 * (4000 * share * (1 - share)) ** 0.5
    assert (np.diff(places[~apart], axis=1) == 1).all()


def test_the_order_is_drawn_before_and_behind() -> None:
    row = row_of(OBJECTIVE, document(1, 13, ended=False))
    rng = np.random.default_rng(0)
    orders = [OBJECTIVE.example(row, rng).order for _ in range(4000)]
    turns = np.array(orders)[:, 0]
    counts = np.bincount(turns, minlength=12)
    assert (counts > 0).all()
    before = counts[:10]  # turns of a token that is not predicted are as likely as each other
    assert (abs(before - before.mean()) < 4 * before.mean() ** 0.5).all()


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 3 tokens are too short: 17% of them are not one token"):
        OBJECTIVE.shape(3)
    with pytest.raises(ValueError, match="predicted is 0; give a number between 0 and 1"):
        Permutation(predicted=0)
