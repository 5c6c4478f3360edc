"""Finds jumps of the loss and of the gradient's norm.

A step's distance is how far the logarithm of its value lies above the median of the RECENT steps before it, since a
loss falls. Its deviation is how far that lies above the median distance, in units of their spread: 1.4826 times the
median absolute deviation, which for a normal distribution is its standard deviation. Medians are hardly moved by the
jumps themselves (Rousseeuw and Croux 1993, "Alternatives to the median absolute deviation").

A step is odd if its loss deviates and its norm does too, or if the loss alone deviates twice as far: a hard batch moves
the loss alone a little, and clipping lets single large norms pass without harm.
"""

from collections import deque
from collections.abc import Sequence
from math import inf, log
from statistics import median
from typing import NamedTuple

from training.config.run import SpikeWatch

RECENT = 8  # steps
FEWEST = 32  # steps before any can be odd
NORMAL = 1.4826
LEAST_SPREAD = 0.005  # of a logarithm: half a percent is no jump, however calm the steps before were


class OddStep(NamedTuple):
    """`step` from 0; the loss in nats, and both deviations."""

    step: int
    loss: float
    loss_deviation: float
    norm_deviation: float


class SpikeDetector:
    """Takes one step after the other. Odd ones are not compared with later."""

    def __init__(self, rule: SpikeWatch) -> None:
        self._rule = rule
        self._losses = _Past(rule.window)
        self._norms = _Past(rule.window)

    def see(self, first: int, losses: Sequence[float], norms: Sequence[float]) -> list[OddStep]:
        """The odd ones among steps first, first + 1, …; an infinite or undefined value is odd."""
        odd = []
        for step, (loss, norm) in enumerate(zip(losses, norms, strict=True), first):
            found = OddStep(step, loss, self._losses.deviation(loss), self._norms.deviation(norm))
            both = min(found.loss_deviation, found.norm_deviation)
            if self._losses.steps >= FEWEST and max(both, found.loss_deviation / 2) > self._rule.deviations:
                odd.append(found)
            else:
                self._losses.add(loss)
                self._norms.add(norm)
        return odd


class _Past:
    """Values of one quantity."""

    def __init__(self, window: int) -> None:
        self.steps = 0
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._distances: deque[float] = deque(maxlen=window)

    def deviation(self, value: float) -> float:
        if not self._distances:
            return 0.0
        middle = median(self._distances)
        spread = NORMAL * median(abs(distance - middle) for distance in self._distances)
        return (self._distance(value) - middle) / max(spread, LEAST_SPREAD)

    def add(self, value: float) -> None:
        self.steps += 1
        if self._recent:
            self._distances.append(self._distance(value))
        self._recent.append(_log(value))

    def _distance(self, value: float) -> float:
        return _log(value) - median(self._recent)


def _log(value: float) -> float:
    if 0 < value < inf:
        return log(value)
    return -inf if value == 0 else inf
