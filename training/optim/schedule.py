"""The learning rate as a function of the step alone, so that a resumed run needs no scheduler state.

Source: Loshchilov and Hutter 2017, "SGDR" (arXiv:1608.03983), one cosine without restarts, after a linear warm-up.
"""

import math

from training.config import ScheduleConfig


def warmup_cosine(step: int, *, steps: int, peak: float, config: ScheduleConfig) -> float:
    """Rate of update `step`, 0 <= step < steps.

    peak / warmup_steps at step 0, the peak at the last warm-up step, final_fraction * peak at the last step.
    """
    done = step + 1
    if done <= config.warmup_steps:
        return peak * done / config.warmup_steps
    progress = (done - config.warmup_steps) / (steps - config.warmup_steps)
    cosine = (1 + math.cos(math.pi * progress)) / 2
    return peak * (config.final_fraction + (1 - config.final_fraction) * cosine)
