"""Linear warm-up to the peak, then a straight line down, to zero if nothing else is said.

Source: Bergsma et al. 2025, "Straight to Zero" (arXiv:2502.15938), which finds a linear decay to zero best.
"""

from dataclasses import dataclass
from typing import ClassVar

from training.optim.schedule.warm_up import Decay


@dataclass(frozen=True, kw_only=True)
class Linear(Decay):
    """Linear warm-up, then a linear fall."""

    version: ClassVar[int] = 2

    def left(self, progress: float) -> float:
        """As in Decay."""
        return 1 - progress
