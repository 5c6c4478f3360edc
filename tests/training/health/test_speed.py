"""Who is slow each time is found, whoever was slow once is not."""

import torch

from training.health.speed import SlowRanks, SpeedProbe


def test_a_process_that_is_slow_three_times_in_a_row() -> None:
    ranks = SlowRanks(torch.device("cuda"))
    assert ranks.look([1.0, 1.0, 1.6, 1.0, 1.0]) == {}
    assert ranks.look([1.0, 1.0, 1.6, 3.0, 1.0]) == {}
    assert ranks.look([2.0, 2.0, 3.2, 2.0, 2.0]) == {2: 1.6}
    assert ranks.look([1.0, 1.0, 1.2, 1.0, 1.0]) == {}
    assert ranks.look([1.0, 1.0, 1.6, 1.0, 1.0]) == {}


def test_the_probe_takes_time_and_draws_nothing() -> None:
    before = torch.get_rng_state()
    assert 0 < SpeedProbe(torch.device("cpu")).seconds() < 1
    assert torch.equal(torch.get_rng_state(), before)
