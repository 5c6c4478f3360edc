"""Intervals by hand: Student's over seeds, the bootstrap over documents, and both together."""

import math

import numpy as np
import pytest

from curation.account.compare.intervals import RESAMPLES, Estimate, estimate, resampled


def test_an_interval_over_seeds_is_students() -> None:
    """1, 2, 3: standard error 1 / sqrt 3, t of 2 degrees of freedom 4.302653."""
    found = estimate(np.array([1.0, 2.0, 3.0]), np.full(RESAMPLES, 2.0))
    half = 4.302653 / math.sqrt(3)
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - half, 2 + half), abs=1e-5)


def test_an_interval_over_documents_is_of_percentiles() -> None:
    found = estimate(np.array([0.5, 0.5]), np.linspace(0, 1, 2001))
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.025, 0.975))


def test_both_noises_add_in_squares() -> None:
    """Seeds 1 and 3: standard error 1, t of 1 degree of freedom 12.706205. Documents: 2 - 5 and 2 + 9."""
    resamples = np.concatenate([np.full(60, -3.0), np.full(1880, 2.0), np.full(60, 11.0)])
    found = estimate(np.array([1.0, 3.0]), resamples)
    assert found.low == pytest.approx(2 - math.hypot(12.706205, 5), abs=1e-5)
    assert found.high == pytest.approx(2 + math.hypot(12.706205, 9), abs=1e-5)


@pytest.mark.parametrize(
    ("low", "high", "noise"),
    [
        pytest.param(-0.1, 0.1, True, id="around 0"),
        pytest.param(0.0, 0.1, True, id="from 0"),
        pytest.param(-0.2, -0.1, False, id="below 0"),
        pytest.param(0.1, 0.2, False, id="above 0"),
    ],
)
def test_noise_is_an_interval_with_0(low: float, high: float, noise: bool) -> None:
    assert Estimate((low + high) / 2, low, high).within_noise is noise


def test_resamples_are_paired_and_spread_as_theory_says() -> None:
    rng = np.random.default_rng(1)
    size = np.full(400, 100.0)
    bits = 200 + 20 * rng.standard_normal(400)
    found = resampled(np.stack([bits, bits + 50], axis=1), size, seed=0)
    assert found.shape == (RESAMPLES, 2)
    assert np.ptp(found[:, 1] - found[:, 0]) < 1e-12  # the same documents for both runs
    assert found[:, 0].mean() == pytest.approx(bits.sum() / size.sum(), abs=2e-4)
    assert found[:, 0].std() == pytest.approx(bits.std() / 100 / 20, rel=0.1)


def test_long_documents_weigh_more() -> None:
    """A resample has one of three values: both the first, both the second, or one of each."""
    found = resampled(np.array([[100.0], [900.0]]), np.array([100.0, 300.0]), seed=3)
    assert np.unique(found.round(9)).tolist() == [1.0, 2.5, 3.0]
