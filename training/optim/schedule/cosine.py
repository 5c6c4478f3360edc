"""Linear warm-up to the peak, then a cosine down to a fraction of it.

Source: Loshchilov and Hutter 2017, "SGDR" (arXiv:1608.03983), one cosine without restarts, after a linear warm-up.
"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from training.optim.schedule.warm_up import Decay


@dataclass(frozen=True, kw_only=True)
class Cosine(Decay):
    """Linear warm-up, then one cosine."""

    final_fraction: Annotated[float, "of the peak learning rate, at the last step; 0: one step later"] = 0.1

    version: ClassVar[int] = 2

    def left(self, progress: float) -> float:
        """As in Decay."""
        return (1 + math.cos(math.pi * progress)) / 2
