"""The settings of a training run as frozen dataclasses, which refuse impossible values before anything starts.

`TrainConfig()` is the demonstration size, which trains on two CPU cores in about two minutes. Some fields that are None
get their value from the token data (see `training.data.check`).
"""

from collections.abc import Mapping
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

MOST_PROFILED = 20  # steps: a trace has some MB for each

# A resumed run may change these: they do not affect what it computes, or only the last digits. What a watch leaves out
# is in the run's own file.
LOGISTICS = frozenset(
    {
        *("checkpoint_every", "keep_checkpoints", "keep_every", "validate_every", "log_every"),
        *("hang_seconds", "max_failures", "sinks", "local_copies_gb", "watch", "country_iso_code", "carbon_intensity"),
        *("micro_batch_rows", "recompute", "compile", "parallel", "profile"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Parallel:
    """How a model is spread over processes; `training.parallel` says what each stage of ZeRO keeps where."""

    zero: Annotated[int, "ZeRO stage: 1 shards the optimizer's moments, 2 gradients too, 3 weights too"] = 3
    replicate: Annotated[
        int,
        "replicas of the whole model, each sharded over its group of processes; one per process: not sharded",
    ] = 1
    tensor: Annotated[
        int, "tensor parallelism: processes that split each matrix and each row's positions; neighbours on one node"
    ] = 1
    pipeline: Annotated[int, "pipeline parallelism: processes that hold a part of the layers each"] = 1
    schedule: Annotated[
        Literal["gpipe", "1f1b", "interleaved_1f1b", "interleaved_zero_bubble", "zbv", "dualpipev"],
        "schedule of micro-batches in a pipeline; those after 1f1b put two parts of the layers in each process",
    ] = "1f1b"
    context: Annotated[
        int,
        "context parallelism: processes that split each row, so that long rows fit; causal objectives of whole rows",
    ] = 1
    offload: Annotated[bool, "keep weights and moments in CPU memory while they are not needed"] = False

    def __post_init__(self) -> None:
        check_least(self, 1, "replicate", "tensor", "context", "pipeline")
        if self.zero not in (1, 2, 3):
            raise ValueError(f"zero is {self.zero}; give 1, 2 or 3, or as many in `replicate` as there are workers")


@dataclass(frozen=True, kw_only=True)
class BatchStage:
    """The first updates of a run may be of fewer rows."""

    steps: Annotated[int, "optimizer updates"]
    rows: Annotated[int, "rows of each update, over all workers"]

    def __post_init__(self) -> None:
        check_least(self, 1, "steps", "rows")


@dataclass(frozen=True, kw_only=True)
class LengthStage:
    """The first updates of a run may read each row as several shorter ones, which have all of its tokens."""

    steps: Annotated[int, "optimizer updates"]
    parts: Annotated[int, "parts of equal length that a row is read as"]

    def __post_init__(self) -> None:
        check_least(self, 1, "steps", "parts")


@dataclass(frozen=True, kw_only=True)
class SpikeWatch:
    """What is done where the loss jumps; see `training.watch.spike`."""

    on_spike: Annotated[
        Literal["warn", "skip"], "when the loss jumps: warn, or go back and skip the rows of those steps"
    ] = "warn"
    window: Annotated[int, "number of earlier steps that a step is compared with"] = 128
    deviations: Annotated[float, "deviations above the median of those steps from which on a loss counts as a jump"] = (
        6.0
    )

    def __post_init__(self) -> None:
        check_least(self, 2, "window")
        check_positive(self, "deviations")


@dataclass(frozen=True, kw_only=True)
class SelectiveBackprop:
    """Which rows of a step are learnt from; see `training.selective`."""

    beta: Annotated[
        float, "a row is used with probability (share of rows with no higher loss) to this power; 0: use all"
    ] = 0.0

    def __post_init__(self) -> None:
        check_least(self, 0, "beta")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A whole run. Row counts are over all workers together, so the loss does not depend on the number of workers."""

    objective: Annotated[Objective, "training objective: what the model learns from a row"] = field(
        default_factory=partial(default, OBJECTIVE)
    )
    model: Annotated[Architecture, "model architecture"] = field(default_factory=partial(default, MODEL))
    optimizer: Annotated[Optimizer, "optimizer: how a gradient becomes an update"] = field(
        default_factory=partial(default, OPTIMIZER)
    )
    schedule: Annotated[Schedule, "learning rate over the steps"] = field(default_factory=partial(default, SCHEDULE))
    init: Annotated[
        str | None, "initial weights: a training run, one of its checkpoints, or a folder in Hugging Face's layout"
    ] = None
    init_change: Annotated[
        tuple[str, ...],
        "options of the model, and `tokenizer`, that may differ from those of the `init` weights, such as rope_theta",
    ] = ()
    steps: Annotated[int, "number of optimizer updates"] = 300
    batch_rows: Annotated[int, "rows per update, over all workers"] = 16
    batch_stages: Annotated[
        tuple[BatchStage, ...], "batch size warm-up: updates with other numbers of rows, before those with `batch_rows`"
    ] = ()
    length_stages: Annotated[
        tuple[LengthStage, ...],
        "sequence length warm-up: updates that read shorter rows, before those that read whole ones",
    ] = ()
    micro_batch_rows: Annotated[
        int | None, "rows that a worker computes at a time; None: its whole share of an update"
    ] = None
    sequence_length: Annotated[
        int | None, "tokens of a row to train on, besides its first; None: all; fewer cut the row"
    ] = None
    documents_apart: Annotated[bool, "tokens see only their own document, and positions restart at 0 in each"] = False
    precision: Annotated[
        Literal["auto", "fp32", "bf16", "fp16", "fp8"],
        "number format; auto: the fastest that the GPU supports, and fp32 on a CPU",
    ] = "auto"
    recompute: Annotated[
        Literal["none", "selective", "full"], "activations to recompute in the backward pass, to save memory"
    ] = "none"
    compile: Annotated[bool, "compile each block by torch.compile; pays off in runs longer than some minutes"] = False
    parallel: Annotated[Parallel, "how the model is spread over processes"] = field(default_factory=Parallel)
    seed: Annotated[int, "random seed of the initial weights and of every draw of an objective"] = 0
    checkpoint_every: Annotated[int, "steps between two checkpoints"] = 50
    keep_checkpoints: Annotated[int, "number of newest checkpoints that are kept"] = 2
    keep_every: Annotated[
        int | None, "also keep checkpoints at multiples of this many steps, to compare or average them"
    ] = None
    validate_every: Annotated[int, "steps between two validations; the last step is always validated"] = 100
    validation_rows: Annotated[int, "validation rows at most, the same each time"] = 256
    log_every: Annotated[int, "steps between two lines of metrics.jsonl"] = 10
    selective_backprop: Annotated[SelectiveBackprop, "choose the rows of a step to learn from by their loss"] = field(
        default_factory=SelectiveBackprop
    )
    watch: Annotated[SpikeWatch, "what to do when the loss jumps"] = field(default_factory=SpikeWatch)
    sinks: Annotated[
        tuple[Literal["tensorboard", "wandb", "trackio", "mlflow"], ...],
        "where records go in addition to metrics.jsonl",
    ] = ()
    profile: Annotated[
        dict[str, int] | None,
        "steps whose time and memory are recorded in OUTPUT/profile, such as {from: 100, steps: 5}; 20 at most",
    ] = None
    hang_seconds: Annotated[
        int,
        "seconds without a step after which a process writes its stacks and ends, and all restart from a checkpoint",
    ] = 1800
    local_copies_gb: Annotated[
        float | None, "disk space in GB for local copies of tokens from an object store; None: all but 10 % of the disk"
    ] = None
    max_failures: Annotated[int, "number of lost workers after which the run gives up"] = 3
    country_iso_code: Annotated[str, "ISO 3166 code of the power grid's country, such as DEU, for result.json"] = ""
    carbon_intensity: Annotated[
        float | None, "carbon intensity of the grid, kg of CO2 equivalents per kWh, for `emissions` in result.json"
    ] = None

    def __post_init__(self) -> None:
        counts = ("steps", "batch_rows", "micro_batch_rows", "sequence_length", "checkpoint_every", "keep_checkpoints")
        check_least(self, 1, *counts, "keep_every", "validate_every", "validation_rows", "log_every", "hang_seconds")
        check_least(self, 0, "max_failures", "seed", "local_copies_gb")
        if self.profile is not None:
            _check_profile(self.profile)
        check_grid(self.country_iso_code, self.carbon_intensity)


def _check_profile(chosen: Mapping[str, int]) -> None:
    if chosen.keys() != {"from", "steps"} or chosen["from"] < 1 or not 1 <= chosen["steps"] <= MOST_PROFILED:
        raise ValueError(
            f"profile is {dict(chosen)}; give the first step and 1 to {MOST_PROFILED} steps, such as "
            "{from: 100, steps: 5}"
        )


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run without Ray: the file that `python -m training` takes."""

    data: str  # run folder, or a mix stage's folder in it
    output: str  # folder for checkpoints and metrics
    train: TrainConfig
    branch_from: str | None = None  # a checkpoint of another run, as `winnow train --from` takes it
