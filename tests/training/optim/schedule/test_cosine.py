"""The learning rate at its corners, by hand: 4 steps of warm-up, 8 of cosine."""

import math

import pytest

from training.optim.schedule.cosine import Cosine

CONFIG = Cosine(warmup_steps=4, final_fraction=0.2)


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        pytest.param(0, 0.25, id="first step"),
        pytest.param(3, 1.0, id="end of the warm-up"),
        pytest.param(7, 0.6, id="half of the cosine: mean of peak and end"),
        pytest.param(11, 0.2, id="last step"),
    ],
)
def test_rate(step: int, rate: float) -> None:
    assert CONFIG.rate(step, steps=12, peak=1.0) == pytest.approx(rate)


def test_without_warmup_it_only_falls() -> None:
    config = Cosine(warmup_steps=0, final_fraction=0.0)
    rates = [config.rate(step, steps=5, peak=2.0) for step in range(5)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(1 - math.cos(math.pi / 6))  # 0 comes one update later
    assert rates[0] < 2.0


def test_a_warm_up_leaves_a_step() -> None:
    CONFIG.check(5)
    with pytest.raises(
        ValueError, match=r"steps is 20 by default, .* give fewer than 8, as in schedule.warmup_steps=2"
    ):
        Cosine().check(8)
    with pytest.raises(ValueError, match="warmup_steps is 4, but the run has only 4 steps; give fewer than 4"):
        CONFIG.check(4)


def test_a_short_run_warms_up_over_a_quarter() -> None:
    assert CONFIG.shortened(16) == CONFIG
    assert CONFIG.shortened(15) == Cosine(warmup_steps=3, final_fraction=0.2)
    assert CONFIG.shortened(1).rate(0, steps=1, peak=1.0) == pytest.approx(0.2)


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"final_fraction is 1\.5; give 0 to 1"):
        Cosine(final_fraction=1.5)
    with pytest.raises(ValueError, match="warmup_steps is -1; give 0 or more"):
        Cosine(warmup_steps=-1)
