"""Jumps are found, and nothing else: hard batches, falling losses and large single norms are none."""

import math

import numpy as np
import pytest

from training.config.run import SpikeWatch
from training.watch.spike import OddStep, SpikeDetector

RNG = np.random.default_rng(3)
FALLING = (4 + 6 * np.exp(-np.arange(400) / 60) + RNG.normal(0, 0.02, 400)).tolist()
NORMS = np.exp(RNG.normal(0, 0.2, 400)).tolist()


def odd(losses: list[float], norms: list[float]) -> list[int]:
    detector = SpikeDetector(SpikeWatch())
    found: list[OddStep] = []
    for first in range(0, len(losses), 7):  # looked at now and then
        found += detector.see(first, losses[first : first + 7], norms[first : first + 7])
    return [step.step for step in found]


def test_a_falling_loss_is_no_jump() -> None:
    assert odd(FALLING, NORMS) == []


@pytest.mark.parametrize(
    ("loss", "norm", "found"),
    [
        pytest.param(9.0, 5.0, True, id="both jump"),
        pytest.param(9.0, 1.0, True, id="the loss doubles"),
        pytest.param(4.2, 1.0, False, id="a hard batch"),
        pytest.param(4.0, 50.0, False, id="one large norm"),
        pytest.param(math.nan, 1.0, True, id="no number"),
        pytest.param(math.inf, math.inf, True, id="infinite"),
        pytest.param(2.0, 0.1, False, id="a step down"),
    ],
)
def test_what_is_a_jump(loss: float, norm: float, found: bool) -> None:
    losses = FALLING.copy()
    norms = NORMS.copy()
    losses[300], norms[300] = loss, norm
    assert odd(losses, norms) == ([300] if found else [])


def test_steps_after_a_jump_are_compared_with_those_before_it() -> None:
    losses = FALLING.copy()
    norms = NORMS.copy()
    losses[300:340] = [8.0] * 40
    norms[300:340] = [6.0] * 40
    assert odd(losses, norms) == list(range(300, 340))


def test_the_first_steps_are_only_seen() -> None:
    assert odd([4.0] * 31 + [40.0], [1.0] * 32) == []
    assert odd([4.0] * 32 + [40.0], [1.0] * 33) == [32]


def test_two_medians_by_hand() -> None:
    """Logarithms 0, 1, -1, 0.5 have distances 1, -1.5, 0.5, whose median is 0.5 and deviations 0.5, 2, 0."""
    detector = SpikeDetector(SpikeWatch(window=4))
    detector.see(0, np.exp([0.0, 1.0, -1.0, 0.5]).tolist(), [1.0] * 4)
    assert detector._losses.deviation(math.exp(2.0)) == pytest.approx((1.75 - 0.5) / (1.4826 * 0.5))
