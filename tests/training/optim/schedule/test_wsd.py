"""The learning rate by hand: warm-up, the peak, and a decay from a step, from a phase, or over the last tenth."""

import pytest

from training.optim.schedule.wsd import Wsd

CONFIG = Wsd(warmup_steps=2, decay_from=4, shape="linear")


@pytest.mark.parametrize(
    ("config", "rates"),
    [
        pytest.param(CONFIG, [4.0, 8.0, 8.0, 8.0, 6.4, 4.8, 3.2, 1.6], id="linear, to 0 after the last"),
        pytest.param(
            Wsd(warmup_steps=2, decay_from=4, final_fraction=0.5),
            [4.0, 8.0, 8.0, 8.0, 6.0, 8 - 4 * 0.5**0.5, 8 - 4 * 0.75**0.5, 4.0],
            id="1 - sqrt, to half",
        ),
        pytest.param(
            Wsd(warmup_steps=2),
            [4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8 - 8 * 0.5**0.5],
            id="the last tenth, or one step",
        ),
    ],
)
def test_rates(config: Wsd, rates: list[float]) -> None:
    assert [config.rate(step, steps=8, peak=8.0) for step in range(8)] == pytest.approx(rates)


def test_the_last_tenth() -> None:
    rates = [Wsd(warmup_steps=0, shape="linear").rate(step, steps=40, peak=8.0) for step in (35, 36, 37, 39)]
    assert rates == pytest.approx([8.0, 6.4, 4.8, 1.6])


def test_a_decay_begins_with_a_phase() -> None:
    config = Wsd(warmup_steps=2, decay_from="anneal", shape="linear")
    config.check(3)
    assert config.with_phases({"main": 0, "anneal": 4}) == CONFIG
    assert CONFIG.with_phases({"main": 0}) is CONFIG


def test_a_phase_that_the_mix_has_not() -> None:
    with pytest.raises(ValueError, match=r"decay_from is 'aneal', but the mix has no .* name; did you mean 'anneal'"):
        Wsd(decay_from="aneal").with_phases({"main": 0, "anneal": 40})
    with pytest.raises(ValueError, match="decay_from is 1; give 2 or more"):
        Wsd(warmup_steps=2, decay_from="anneal").with_phases({"anneal": 1})


def test_a_decay_has_a_step() -> None:
    CONFIG.check(5)
    with pytest.raises(ValueError, match="decay_from is 4, but the run has only 4 steps; give fewer than 4"):
        CONFIG.check(4)


def test_a_shorter_run_has_no_phases() -> None:
    assert Wsd(warmup_steps=2, decay_from="anneal").shortened(4) == Wsd(warmup_steps=1)
