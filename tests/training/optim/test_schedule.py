"""The learning rate at its corners, by hand: 4 steps of warm-up, 8 of cosine."""

import pytest

from training.config import ScheduleConfig
from training.optim.schedule import warmup_cosine

CONFIG = ScheduleConfig(warmup_steps=4, final_fraction=0.2)


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
    assert warmup_cosine(step, steps=12, peak=1.0, config=CONFIG) == pytest.approx(rate)


def test_without_warmup_it_only_falls() -> None:
    config = ScheduleConfig(warmup_steps=0, final_fraction=0.0)
    rates = [warmup_cosine(step, steps=5, peak=2.0, config=config) for step in range(5)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0)
    assert rates[0] < 2.0
