"""Linear warm-up to the peak, then a cosine down to a fraction of it at the last step.

Source: Loshchilov and Hutter 2017, "SGDR" (arXiv:1608.03983), one cosine without restarts, after a linear warm-up.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from training.config.components import Schedule
from training.config.ranges import check_least


@dataclass(frozen=True, kw_only=True)
class Cosine(Schedule):
    """Linear warm-up, then one cosine."""

    warmup_steps: Annotated[int, "updates up to the peak"] = 20
    final_fraction: Annotated[float, "of the peak learning rate, at the last step"] = 0.1

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_least(self, 0, "warmup_steps")
        if not 0 <= self.final_fraction <= 1:
            raise ValueError(f"final_fraction is {self.final_fraction}; give 0 to 1")

    def check(self, steps: int) -> None:
        """Raises ValueError if the warm-up leaves no step for the cosine."""
        if self.warmup_steps >= steps:
            raise ValueError(
                f"warmup_steps is {self.warmup_steps}, but the run has only {steps} steps; give fewer than {steps}"
            )

    def shortened(self, steps: int) -> "Cosine":
        """With a warm-up over a quarter of the steps at most."""
        return replace(self, warmup_steps=min(self.warmup_steps, steps // 4))

    def rate(self, step: int, *, steps: int, peak: float) -> float:
        """peak / warmup_steps at step 0, the peak at the last warm-up step, final_fraction * peak at the last step."""
        done = step + 1
        if done <= self.warmup_steps:
            return peak * done / self.warmup_steps
        progress = (done - self.warmup_steps) / (steps - self.warmup_steps)
        cosine = (1 + math.cos(math.pi * progress)) / 2
        return peak * (self.final_fraction + (1 - self.final_fraction) * cosine)
