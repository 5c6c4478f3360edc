"""95 % intervals of bits per byte, over the draws of training text and over held-out documents.

Both sources of noise are estimated by themselves and put together as if they were independent. Over documents: the
percentiles of a bootstrap that draws documents with replacement, the same ones for all runs, so that of a difference
only what the runs do not share is noise. Over seeds: Student's t for the mean of the seeds' values. Intervals of two
runs are not corrected for how many are compared.

Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13; Student 1908, "The Probable Error of
a Mean". S seeds, R runs, D documents, B resamples.
"""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np
from scipy.special import stdtrit

from curation.models.ngram.estimate import Floats
from curation.text.kernels.compiler.kernel import Grid

RESAMPLES = 2000
# percentiles
LOW = 2.5
HIGH = 97.5


@dataclass(frozen=True)
class Estimate:
    """A value and its interval."""

    value: float
    low: float
    high: float

    @property
    def within_noise(self) -> bool:
        """Whether the interval holds 0: for differences."""
        return self.low <= 0 <= self.high


def resampled(bits: Grid[Floats], size: Floats, seed: int) -> Grid[Floats]:
    """Bits float64[D, R] and UTF-8 bytes float64[D] of documents -> bits per byte float64[B, R] of resamples."""
    documents = len(size)
    rng = np.random.default_rng(seed)
    ratios = np.empty((RESAMPLES, bits.shape[1]))
    for number in range(RESAMPLES):
        times = np.bincount(rng.integers(documents, size=documents), minlength=documents)
        ratios[number] = (times @ bits) / (times @ size)
    return ratios


def estimate(seeds: Floats, resamples: Floats) -> Estimate:
    """From the value float64[S] of each seed, S at least 2, and float64[B] of each resample of the mean over seeds."""
    value = float(seeds.mean())
    student = float(stdtrit(len(seeds) - 1, HIGH / 100))
    of_seeds = student * float(seeds.std(ddof=1)) / sqrt(len(seeds))
    low, high = (float(bound) for bound in np.percentile(resamples, [LOW, HIGH]))
    return Estimate(value, value - hypot(min(low - value, 0), of_seeds), value + hypot(max(high - value, 0), of_seeds))
