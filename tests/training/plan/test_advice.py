"""What is advised is what the laws say, from the largest run to 1,000 times as far."""

import pytest

from training.plan.advice import advise, advise_beyond
from training.plan.fit import LawFit, Observation
from training.plan.laws import BESIROGLU, KaplanLaw


def test_a_budget() -> None:
    found = advise(BESIROGLU, 5.76e23, served=1e12, unique=3e11)
    assert found.ratio == pytest.approx(18.4, abs=0.05)
    assert found.served_parameters is not None
    assert found.served_parameters < found.parameters
    assert found.repeated_loss is not None
    assert found.repeated_loss > found.loss
    assert advise(KaplanLaw(), 5.76e23, served=1e12, unique=1e9).served_parameters is None


def test_beyond_runs() -> None:
    fit = LawFit(BESIROGLU, (BESIROGLU, BESIROGLU), (Observation(1e9, 1e10, 2.5),))
    found = advise_beyond(fit, served=None, unique=None)
    assert [one.flops for one in found] == [1e20, 1e21, 1e22]  # of 6e19 to 6e22
    best = BESIROGLU.optimum(1e20).parameters
    assert found[0].parameters_interval == (best, best)
    assert found[0].repeated_loss is None
