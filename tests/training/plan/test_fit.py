"""A law is found again in noisy losses that it gave, and runs that do not determine one are refused."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from curation.core.errors import InputError
from training.plan.fit import LawFit, Observation, fit_law
from training.plan.laws import BESIROGLU

LADDER = [(size, size * ratio) for size in (1e7, 2e7, 4e7, 8e7, 16e7) for ratio in (5, 20, 80)]


def observed(sizes: Sequence[tuple[float, float]], noise: float = 0.001, seed: int = 0) -> list[Observation]:
    off = np.random.default_rng(seed).normal(0, noise, len(sizes))
    return [
        Observation(*size, BESIROGLU.loss(*size) * float(np.exp(one))) for size, one in zip(sizes, off, strict=True)
    ]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_refits_exponents_from_200_noisy_points(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    sizes = list(zip(10 ** rng.uniform(7, 10, 200), 10 ** rng.uniform(8.5, 11.5, 200), strict=True))
    found = fit_law(observed(sizes, 0.002, seed), resamples=40)
    assert found.law.model_exponent == pytest.approx(BESIROGLU.model_exponent, abs=0.01)
    assert found.law.data_exponent == pytest.approx(BESIROGLU.data_exponent, abs=0.01)
    assert found.law.irreducible == pytest.approx(BESIROGLU.irreducible, abs=0.02)
    low, high = found.interval(lambda law: law.model_exponent)
    assert low < found.law.model_exponent < high < low + 0.03


def test_without_noise_it_is_exact_in_any_order() -> None:
    runs = observed(LADDER, 0)
    found = fit_law(runs, resamples=40)
    assert found.law.model_exponent == pytest.approx(BESIROGLU.model_exponent, abs=1e-3)
    assert found.law.data_scale == pytest.approx(BESIROGLU.data_scale, rel=0.02)
    assert fit_law(runs[::-1], resamples=40) == found


def test_a_run_that_failed_moves_it_little() -> None:
    runs = observed(LADDER * 3)
    runs[0] = runs[0]._replace(loss=9.0)
    assert fit_law(runs, resamples=40).law.model_exponent == pytest.approx(BESIROGLU.model_exponent, abs=0.03)


def test_a_prediction_and_its_interval() -> None:
    found = fit_law(observed(LADDER), resamples=100)
    told = found.predict(1.2e9, 24e9)
    assert told.interval.low < BESIROGLU.loss(1.2e9, 24e9) < told.interval.high
    assert told.interval.high - told.interval.low < 0.1
    with pytest.raises(InputError, match=r"is 1\.3e\+22 .* add a run of 1\.3e\+19"):
        found.predict(7e9, 3e11)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        pytest.param(LADDER[:2], "2 runs do not determine the 5 unknowns", id="two points"),
        pytest.param(LADDER[:8], "8 runs do not determine .* give 9 or more", id="8 points"),
        pytest.param(
            [(size, 1e9 * more) for size in (1e7, 1e8) for more in range(1, 6)],
            "2 different numbers of parameters, and a law needs 3: add runs with other models",
            id="two models",
        ),
        pytest.param(
            [(1e7 * more, tokens) for more in range(1, 6) for tokens in (1e9, 1.05e9)],
            "1 different numbers of tokens, and a law needs 3: add runs with other steps",
            id="one number of tokens",
        ),
        pytest.param(
            [(1e7 * more, 2e8 * more) for more in range(1, 10)],
            "tokens go with parameters in these runs (correlation of logs 1.000)",
            id="20 tokens a parameter",
        ),
    ],
)
def test_runs_that_do_not_suffice(sizes: list[tuple[float, float]], message: str) -> None:
    pattern = message if ".*" in message else re.escape(message)
    with pytest.raises(InputError, match=pattern):
        fit_law(observed(sizes), resamples=40)


def test_noise_that_leaves_an_exponent_open() -> None:
    with pytest.raises(InputError, match=r"leave the exponent of parameters between .* wider than itself"):
        fit_law(observed(LADDER[:9], 0.02, 1), resamples=40)


@pytest.mark.parametrize(("noise", "runs"), [(0.05, 9), (0.02, 15)])
def test_noise_that_hides_the_irreducible_loss(noise: float, runs: int) -> None:
    with pytest.raises(InputError, match=r"which no text has: .* add larger and smaller ones"):
        fit_law(observed(LADDER[:runs], noise), resamples=40)


def test_noise_that_leaves_a_prediction_open() -> None:
    other = replace(BESIROGLU, irreducible=2.2)
    open_fit = LawFit(BESIROGLU, (BESIROGLU, other), tuple(observed(LADDER)))
    with pytest.raises(InputError, match=r"between 2\.609 and 2\.973, wider than 10% of it: add runs, larger ones"):
        open_fit.predict(6e8, 2e10)
