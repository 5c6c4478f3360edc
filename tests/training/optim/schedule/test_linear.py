"""The learning rate by hand: 2 steps of warm-up, 4 of a straight line."""

import pytest

from training.optim.schedule.linear import Linear


@pytest.mark.parametrize(
    ("final_fraction", "rates"),
    [
        pytest.param(0.0, [4.0, 8.0, 6.4, 4.8, 3.2, 1.6], id="to zero, one update after the last"),
        pytest.param(0.5, [4.0, 8.0, 7.0, 6.0, 5.0, 4.0], id="to half"),
    ],
)
def test_rates(final_fraction: float, rates: list[float]) -> None:
    config = Linear(warmup_steps=2, final_fraction=final_fraction)
    assert [config.rate(step, steps=6, peak=8.0) for step in range(6)] == pytest.approx(rates)


def test_it_falls_to_zero_unless_told_otherwise() -> None:
    assert Linear(warmup_steps=1).rate(99, steps=100, peak=1.0) == pytest.approx(1 / 100)
