"""Bases of schedules: a linear warm-up to the peak, and what falls after it to a fraction of the peak."""

from dataclasses import dataclass, replace
from typing import Annotated, Self

from training.config.components import Schedule
from training.config.ranges import check_least


@dataclass(frozen=True, kw_only=True)
class WarmUp(Schedule):
    """Linear warm-up; the subclass says what follows."""

    warmup_steps: Annotated[int, "updates up to the peak"] = 20

    def __post_init__(self) -> None:
        check_least(self, 0, "warmup_steps")

    def check(self, steps: int) -> None:
        """Raises ValueError if the warm-up leaves no step for what follows."""
        if self.warmup_steps >= steps:
            default = " by default" if self.warmup_steps == WarmUp.warmup_steps else ""
            raise ValueError(
                f"warmup_steps is {self.warmup_steps}{default}, but the run has only {steps} steps; give fewer than "
                f"{steps}, as in schedule.warmup_steps={steps // 4}"
            )

    def shortened(self, steps: int) -> Self:
        """With a warm-up over a quarter of the steps at most."""
        return replace(self, warmup_steps=min(self.warmup_steps, steps // 4))

    def rate(self, step: int, *, steps: int, peak: float) -> float:
        """peak / warmup_steps at step 0, the peak at the last warm-up step, then a share of it."""
        done = step + 1
        return peak * (done / self.warmup_steps if done <= self.warmup_steps else self.share(done, steps))

    def share(self, done: int, steps: int) -> float:
        """Of the peak, for the last one of `done` updates of a run of `steps`; done > warmup_steps."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Decay(WarmUp):
    """With a fall that ends at the last update; a fall to 0 ends one later, because the last would change nothing."""

    final_fraction: Annotated[float, "of the peak learning rate, at the last step; 0: one step later"] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.final_fraction <= 1:
            raise ValueError(f"final_fraction is {self.final_fraction}; give 0 to 1")

    def begins(self, steps: int) -> int:
        """Updates before the fall, fewer than `steps`."""
        del steps
        return self.warmup_steps

    def left(self, progress: float) -> float:
        """What is left to fall, 1 to 0, at a progress of 0 to 1."""
        raise NotImplementedError

    def share(self, done: int, steps: int) -> float:
        """As in WarmUp."""
        begins = self.begins(steps)
        ends = steps if self.final_fraction else steps + 1
        left = self.left(max(0, done - begins) / (ends - begins))
        return self.final_fraction + (1 - self.final_fraction) * left
