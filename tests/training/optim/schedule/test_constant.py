"""The learning rate by hand: 2 steps of warm-up, then the peak."""

from training.optim.schedule.constant import Constant


def test_rates() -> None:
    config = Constant(warmup_steps=2)
    assert [config.rate(step, steps=5, peak=4.0) for step in range(5)] == [2.0, 4.0, 4.0, 4.0, 4.0]
