"""Warm-up, stable, decay: the peak for most of the run, and a fall in its last part, which the best data may share.

    schedule: {wsd: {decay_from: anneal}}

Source: Hu et al. 2024, "MiniCPM" (arXiv:2404.06395), whose decay takes the last tenth; Hägele et al. 2024, "Scaling
Laws and Compute-Optimal Training Beyond Fixed Training Durations" (arXiv:2405.18392), for the shape 1 - sqrt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

from curation.core.close_names import nearest
from training.config.ranges import check_least
from training.optim.schedule.warm_up import Decay


@dataclass(frozen=True, kw_only=True)
class Wsd(Decay):
    """Linear warm-up, the peak, and a fall."""

    decay_from: Annotated[int | str | None, "updates before the decay, or phase of the mix; None: the last tenth"] = (
        None
    )
    shape: Annotated[Literal["linear", "1-sqrt"], "of the decay: 1 - progress, or 1 - sqrt(progress)"] = "1-sqrt"

    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.decay_from, str):
            check_least(self, self.warmup_steps, "decay_from")

    def check(self, steps: int) -> None:
        """Raises ValueError if the warm-up, or what is before the decay, leaves no step."""
        super().check(steps)
        if isinstance(self.decay_from, int) and self.decay_from >= steps:
            raise ValueError(
                f"decay_from is {self.decay_from}, but the run has only {steps} steps; give fewer than {steps}"
            )

    def with_phases(self, begins: Mapping[str, int]) -> Self:
        """As in Schedule."""
        if not isinstance(self.decay_from, str):
            return self
        if self.decay_from not in begins:
            hint = nearest(self.decay_from, begins)
            raise ValueError(f"decay_from is {self.decay_from!r}, but the mix has no phase of this name{hint}")
        return replace(self, decay_from=begins[self.decay_from])

    def shortened(self, steps: int) -> Self:
        """With a decay over the last tenth too, since a shorter run has no phases."""
        return replace(super().shortened(steps), decay_from=None)

    def begins(self, steps: int) -> int:
        """As in Decay."""
        assert not isinstance(self.decay_from, str), "with_phases comes first"
        if self.decay_from is None:
            return max(self.warmup_steps, steps - max(1, round(steps / 10)))
        return self.decay_from

    def left(self, progress: float) -> float:
        """As in Decay."""
        return 1 - (progress if self.shape == "linear" else progress**0.5)
