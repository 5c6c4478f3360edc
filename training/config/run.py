"""The settings of a training run as frozen dataclasses, which refuse impossible values before anything starts.

`TrainConfig()` is the demonstration size, which trains on two CPU cores in about two minutes. Some fields that are None
get their value from the token data (see `training.data.check`).
"""

from dataclasses import dataclass, field
from functools import partial

from training.config.components import (
    MODEL,
    OBJECTIVE,
    OPTIMIZER,
    SCHEDULE,
    Architecture,
    Objective,
    Optimizer,
    Schedule,
    default,
)
from training.config.ranges import check_least

# A resumed run may change these: they do not affect what it computes.
LOGISTICS = frozenset({"checkpoint_every", "keep_checkpoints", "validate_every", "log_every", "max_failures"})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A whole run. Row counts are over all workers together, so the loss does not depend on the number of workers."""

    objective: Objective = field(default_factory=partial(default, OBJECTIVE))
    model: Architecture = field(default_factory=partial(default, MODEL))
    optimizer: Optimizer = field(default_factory=partial(default, OPTIMIZER))
    schedule: Schedule = field(default_factory=partial(default, SCHEDULE))
    steps: int = 300  # optimizer updates
    batch_rows: int = 16  # rows per update
    sequence_length: int | None = None  # tokens that the model reads per row; None: the data's; fewer cut each row
    seed: int = 0  # of the initial weights and of every random draw of an objective
    checkpoint_every: int = 50  # steps
    keep_checkpoints: int = 2
    validate_every: int = 100  # steps; the last step is always followed by a validation
    validation_rows: int = 256  # at most, the same rows each time
    log_every: int = 10  # steps between two lines of metrics.jsonl
    max_failures: int = 3  # the run gives up when more workers than this are lost

    def __post_init__(self) -> None:
        counts = ("steps", "batch_rows", "sequence_length", "checkpoint_every", "keep_checkpoints")
        check_least(self, 1, *counts, "validate_every", "validation_rows", "log_every")
        check_least(self, 0, "max_failures", "seed")


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run without Ray: the file that `python -m training` takes."""

    data: str  # run folder, or a mix stage's folder in it
    output: str  # folder for checkpoints and metrics
    train: TrainConfig
