"""Linear warm-up to the peak, then down with the square root of the updates, whatever the length of the run.

Source: Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 5.3. T5 (arXiv:1910.10683) has the
same fall after 10,000 updates at the peak.
"""

from dataclasses import dataclass
from typing import ClassVar

from training.optim.schedule.warm_up import WarmUp


@dataclass(frozen=True, kw_only=True)
class InverseSquareRoot(WarmUp):
    """Linear warm-up, then peak * sqrt(warmup_steps / updates)."""

    version: ClassVar[int] = 1

    def share(self, done: int, steps: int) -> float:
        """As in WarmUp; without a warm-up the first update has the peak."""
        del steps
        root: float = (max(self.warmup_steps, 1) / done) ** 0.5
        return root
