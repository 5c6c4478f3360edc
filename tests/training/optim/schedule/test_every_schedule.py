"""What holds for each schedule: every update has a rate, the last one too."""

import pytest

from curation.core import catalog
from training.config.components import SCHEDULE, Schedule
from training.optim.schedule.warm_up import Decay


@pytest.mark.parametrize("steps", [1, 2, 9, 100])
@pytest.mark.parametrize("key", catalog.known(SCHEDULE))
def test_no_update_is_wasted(key: str, steps: int) -> None:
    config = catalog.find(SCHEDULE, key)()
    assert isinstance(config, Schedule)
    short = config.shortened(steps)
    assert min(short.rate(step, steps=steps, peak=1.0) for step in range(steps)) > 0


@pytest.mark.parametrize("key", catalog.known(SCHEDULE))
@pytest.mark.parametrize("fraction", [0.25, 1.0])
def test_the_last_update_has_the_fraction_asked_for(key: str, fraction: float) -> None:
    made = catalog.find(SCHEDULE, key)
    if issubclass(made, Decay):
        config = made(warmup_steps=2, final_fraction=fraction)
        assert config.rate(19, steps=20, peak=8.0) == pytest.approx(8 * fraction)


@pytest.mark.parametrize("key", catalog.known(SCHEDULE))
def test_a_fall_to_zero_ends_one_update_after_the_last(key: str) -> None:
    made = catalog.find(SCHEDULE, key)
    if issubclass(made, Decay):
        assert made(warmup_steps=2, final_fraction=0.0).share(21, 20) == pytest.approx(0, abs=1e-12)
