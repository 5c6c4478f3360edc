"""The settings of a training run as frozen dataclasses, which refuse impossible values before anything starts.

`TrainConfig()` is the demonstration size, which trains on two CPU cores in about two minutes. Some fields that are None
get their value from the token data (see `training.data.check`).
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

from curation.core.energy import check_grid
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
from training.config.ranges import check_least, check_positive

# A resumed run may change these: they do not affect what it computes, or only the last digits. What a watch leaves out
# is in the run's own file.
LOGISTICS = frozenset(
    {
        *("checkpoint_every", "keep_checkpoints", "keep_every", "validate_every", "log_every"),
        *("hang_seconds", "max_failures", "sinks", "local_copies_gb", "watch", "country_iso_code", "carbon_intensity"),
        *("micro_batch_rows", "recompute", "compile", "parallel"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Parallel:
    """How a model is spread over processes; `training.parallel` says what each stage of ZeRO keeps where."""

    zero: Annotated[int, "1: optimizer's moments are sharded; 2: gradients too; 3: weights too"] = 3
    replicate: Annotated[
        int, "groups of processes that each hold the whole model in shards; as many as processes: none is sharded"
    ] = 1
    tensor: Annotated[
        int, "processes that share each matrix and each row's places between them; neighbours on one node"
    ] = 1
    pipeline: Annotated[int, "processes that have a part of the layers each"] = 1
    schedule: Annotated[
        Literal["gpipe", "1f1b", "interleaved_1f1b", "interleaved_zero_bubble", "zbv", "dualpipev"],
        "of micro-batches in a pipeline; all after 1f1b have two parts of the layers in each process",
    ] = "1f1b"
    context: Annotated[int, "processes that share each row: long rows fit, for causal objectives of whole rows"] = 1
    offload: Annotated[bool, "weights and moments wait in the CPU's memory"] = False

    def __post_init__(self) -> None:
        check_least(self, 1, "replicate", "tensor", "context", "pipeline")
        if self.zero not in (1, 2, 3):
            raise ValueError(f"zero is {self.zero}; give 1, 2 or 3, or as many in `replicate` as there are workers")


@dataclass(frozen=True, kw_only=True)
class BatchStage:
    """The first updates of a run may be of fewer rows."""

    steps: Annotated[int, "updates"]
    rows: Annotated[int, "of each, over all workers"]

    def __post_init__(self) -> None:
        check_least(self, 1, "steps", "rows")


@dataclass(frozen=True, kw_only=True)
class LengthStage:
    """The first updates of a run may read each row as several shorter ones, which have all of its tokens."""

    steps: Annotated[int, "updates"]
    parts: Annotated[int, "of a row, of equal length"]

    def __post_init__(self) -> None:
        check_least(self, 1, "steps", "parts")


@dataclass(frozen=True, kw_only=True)
class SpikeWatch:
    """What is done where the loss jumps; see `training.watch.spike`."""

    on_spike: Annotated[Literal["warn", "skip"], "skip: go back, and leave out the rows of those steps"] = "warn"
    window: Annotated[int, "steps before one that it is compared with"] = 128
    deviations: Annotated[float, "above their median, from which on it is odd"] = 6.0

    def __post_init__(self) -> None:
        check_least(self, 2, "window")
        check_positive(self, "deviations")


@dataclass(frozen=True, kw_only=True)
class SelectiveBackprop:
    """Which rows of a step are learnt from; see `training.selective`."""

    beta: Annotated[float, "a row is taken with the share of rows whose loss is no higher, to this power; 0: all"] = 0.0

    def __post_init__(self) -> None:
        check_least(self, 0, "beta")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A whole run. Row counts are over all workers together, so the loss does not depend on the number of workers."""

    objective: Annotated[Objective, "what is learnt of a row"] = field(default_factory=partial(default, OBJECTIVE))
    model: Annotated[Architecture, "the network"] = field(default_factory=partial(default, MODEL))
    optimizer: Annotated[Optimizer, "how a gradient becomes an update"] = field(
        default_factory=partial(default, OPTIMIZER)
    )
    schedule: Annotated[Schedule, "the learning rate over the steps"] = field(
        default_factory=partial(default, SCHEDULE)
    )
    init: Annotated[
        str | None, "weights to begin with: a training, a checkpoint, or a folder in Hugging Face's layout"
    ] = None
    steps: Annotated[int, "optimizer updates"] = 300
    batch_rows: Annotated[int, "rows per update"] = 16
    batch_stages: Annotated[
        tuple[BatchStage, ...], "updates of other numbers of rows, before those of `batch_rows`"
    ] = ()
    length_stages: Annotated[
        tuple[LengthStage, ...], "updates that read shorter rows, before those that read whole ones"
    ] = ()
    micro_batch_rows: Annotated[
        int | None, "rows that a worker computes at a time; None: all that it has of an update"
    ] = None
    sequence_length: Annotated[
        int | None, "tokens of a row that are used, besides its first; None: all; fewer cut it"
    ] = None
    documents_apart: Annotated[bool, "tokens see only their own document, whose positions begin at 0"] = False
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "fp16", "fp8"], "auto: what the GPU is made for; fp32 on a CPU"
    ] = "auto"
    recompute: Annotated[
        Literal["none", "selective", "full"], "of activations in the backward pass, to save memory"
    ] = "none"
    compile: Annotated[bool, "each block by torch.compile; pays where a training takes longer than minutes"] = False
    parallel: Annotated[Parallel, "how the model is spread over processes"] = field(default_factory=Parallel)
    seed: Annotated[int, "of the initial weights and of every random draw of an objective"] = 0
    checkpoint_every: Annotated[int, "steps"] = 50
    keep_checkpoints: Annotated[int, "the newest"] = 2
    keep_every: Annotated[int | None, "steps: checkpoints that it divides stay too, to be compared or averaged"] = None
    validate_every: Annotated[int, "steps; the last step is always followed by a validation"] = 100
    validation_rows: Annotated[int, "at most, the same rows each time"] = 256
    log_every: Annotated[int, "steps between two lines of metrics.jsonl"] = 10
    selective_backprop: Annotated[SelectiveBackprop, "which rows of a step are learnt from"] = field(
        default_factory=SelectiveBackprop
    )
    watch: Annotated[SpikeWatch, "what is done where the loss jumps"] = field(default_factory=SpikeWatch)
    sinks: Annotated[
        tuple[Literal["tensorboard", "wandb", "trackio", "mlflow"], ...], "where records go beside metrics.jsonl"
    ] = ()
    hang_seconds: Annotated[int, "a process that makes no step so long ends with its stacks, and all start again"] = (
        1800
    )
    local_copies_gb: Annotated[
        float | None, "for a machine's copies of tokens from a store; None: all but 10 % of its disk"
    ] = None
    max_failures: Annotated[int, "the run gives up when more workers than this are lost"] = 3
    country_iso_code: Annotated[str, "of the grid, such as DEU, for result.json"] = ""
    carbon_intensity: Annotated[
        float | None, "of the grid, kg of CO2 equivalents per kWh, for `emissions` in result.json"
    ] = None

    def __post_init__(self) -> None:
        counts = ("steps", "batch_rows", "micro_batch_rows", "sequence_length", "checkpoint_every", "keep_checkpoints")
        check_least(self, 1, *counts, "keep_every", "validate_every", "validation_rows", "log_every", "hang_seconds")
        check_least(self, 0, "max_failures", "seed", "local_copies_gb")
        check_grid(self.country_iso_code, self.carbon_intensity)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run without Ray: the file that `python -m training` takes."""

    data: str  # run folder, or a mix stage's folder in it
    output: str  # folder for checkpoints and metrics
    train: TrainConfig
