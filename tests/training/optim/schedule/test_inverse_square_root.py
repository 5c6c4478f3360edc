"""The learning rate by hand: 4 steps of warm-up, then down with the square root, whatever the number of steps."""

import pytest

from training.optim.schedule.inverse_square_root import InverseSquareRoot


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        pytest.param(0, 0.25, id="first step"),
        pytest.param(3, 1.0, id="end of the warm-up"),
        pytest.param(15, 0.5, id="four times as many"),
        pytest.param(99, 0.2, id="twenty-five times as many"),
    ],
)
def test_rate(step: int, rate: float) -> None:
    config = InverseSquareRoot(warmup_steps=4)
    assert config.rate(step, steps=100, peak=1.0) == config.rate(step, steps=1000, peak=1.0) == pytest.approx(rate)


def test_without_a_warm_up_it_begins_at_the_peak() -> None:
    config = InverseSquareRoot(warmup_steps=0)
    assert [config.rate(step, steps=4, peak=6.0) for step in (0, 3)] == [6.0, 3.0]
