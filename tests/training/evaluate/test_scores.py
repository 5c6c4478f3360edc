"""Log-likelihoods by the definition, one pair at a time, for pairs of many lengths in one call."""

import numpy as np
import pytest
import torch

from tests.training.evaluate.test_generate import MODEL, next_logits
from tests.training.models.made import VOCABULARY
from training.evaluate.scores import scores

RNG = np.random.default_rng(5)
PAIRS = [
    (RNG.integers(0, VOCABULARY, context).tolist(), RNG.integers(0, VOCABULARY, continuation).tolist())
    for context, continuation in ((1, 1), (1, 9), (8, 2), (3, 4), (20, 1))
]


def test_as_one_by_one() -> None:
    for (context, continuation), found in zip(PAIRS, scores(MODEL, PAIRS, 64), strict=True):
        logs = [
            next_logits([*context, *continuation[:at]]).log_softmax(0)[token] for at, token in enumerate(continuation)
        ]
        assert found.log_likelihood == pytest.approx(float(torch.stack(logs).sum()), abs=1e-4)


def test_greedy() -> None:
    context = PAIRS[3][0]
    best = int(next_logits(context).argmax())
    second = int(next_logits([*context, best]).argmax())
    pairs = [(context, [best]), (context, [best, second]), (context, [best, (second + 1) % VOCABULARY])]
    assert [one.greedy for one in scores(MODEL, pairs, 64)] == [True, True, False]


def test_a_row_that_is_too_long_loses_its_beginning() -> None:
    context, continuation = PAIRS[4]
    (cut,) = scores(MODEL, [(context, continuation)], 6)
    (short,) = scores(MODEL, [(context[-6:], continuation)], 64)
    assert cut == pytest.approx(short)
    whole = scores(MODEL, [([3], [*range(4, 14)])], 4)[0].log_likelihood
    assert whole == pytest.approx(scores(MODEL, [([9], [*range(10, 14)])], 64)[0].log_likelihood)
