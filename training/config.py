"""The settings of a training run: frozen dataclasses that refuse impossible values before anything starts.

`load` reads them from YAML, `parse` from nested mappings. `TrainConfig()` is the demonstration size, which trains on
two CPU cores in about two minutes. Some fields that are None get their value from the token data (see
`training.data.check`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from curation.core.settings import YamlFile, build, load_yaml


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """A Llama-style decoder: RMSNorm before each half of a block, rotary positions, SwiGLU, no biases."""

    layers: int = 4
    width: int = 192  # of the residual stream
    heads: int = 6  # query heads; width / heads is the width of one head
    kv_heads: int | None = None  # key and value heads, shared by groups of query heads; None: as many as `heads`
    hidden: int | None = None  # inner width of the feed-forward half; None: 8/3 of `width`, up to a multiple of 64
    vocabulary: int | None = None  # rows of the embedding; None: the tokenizer's
    tied_embeddings: bool = True  # the output projection is the embedding
    attend_across_documents: bool = True  # False: a token sees only its own document (slower, needs a mask)
    rope_theta: float = 10_000.0  # base of the rotary wavelengths
    norm_epsilon: float = 1e-5
    initial_deviation: float = 0.02  # standard deviation of the initial weights

    def __post_init__(self) -> None:
        _check_least(self, 1, "layers", "width", "heads", "kv_heads", "hidden", "vocabulary")
        _check_positive(self, "rope_theta", "norm_epsilon", "initial_deviation")
        if self.width % self.heads or self.width // self.heads % 2:
            raise ValueError(
                f"width {self.width} over heads {self.heads} must give an even whole number, because rotary positions "
                "turn pairs; change one of them"
            )
        if self.heads % self.key_value_heads:
            raise ValueError(f"heads {self.heads} is not a multiple of kv_heads {self.kv_heads}; change one of them")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def key_value_heads(self) -> int:
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def hidden_width(self) -> int:
        return -(-8 * self.width // 3 // 64) * 64 if self.hidden is None else self.hidden


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """AdamW; weight decay acts on matrices only."""

    learning_rate: float = 3e-3  # the peak
    beta1: float = 0.9
    beta2: float = 0.95
    epsilon: float = 1e-8
    weight_decay: float = 0.1
    max_gradient_norm: float = 1.0  # gradients are scaled down to this global norm

    def __post_init__(self) -> None:
        _check_positive(self, "learning_rate", "epsilon", "max_gradient_norm")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; give 0 to below 1")
        if not 0 <= self.weight_decay < inf:
            raise ValueError(f"weight_decay is {self.weight_decay}; give 0 or more")


@dataclass(frozen=True, kw_only=True)
class ScheduleConfig:
    """Linear warm-up to the peak, then a cosine down to a fraction of it at the last step."""

    warmup_steps: int = 20
    final_fraction: float = 0.1  # of the peak learning rate

    def __post_init__(self) -> None:
        _check_least(self, 0, "warmup_steps")
        if not 0 <= self.final_fraction <= 1:
            raise ValueError(f"final_fraction is {self.final_fraction}; give 0 to 1")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A whole run. Row counts are over all workers together, so the loss does not depend on the number of workers."""

    model: ModelConfig = field(default_factory=ModelConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
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
        _check_least(self, 1, *counts, "validate_every", "validation_rows", "log_every")
        _check_least(self, 0, "max_failures", "seed")
        if self.schedule.warmup_steps >= self.steps:
            raise ValueError(
                f"schedule.warmup_steps is {self.schedule.warmup_steps}, but the run has only {self.steps} steps; give "
                f"fewer than {self.steps}"
            )


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run without Ray: the file that `python -m training` takes."""

    data: str  # run folder, or a mix stage's folder in it
    output: str  # folder for checkpoints and metrics
    train: TrainConfig


# A resumed run may change these: they do not affect what it computes.
LOGISTICS = frozenset({"checkpoint_every", "keep_checkpoints", "validate_every", "log_every", "max_failures"})


def load(text: str, name: str) -> TrainConfig:
    """YAML -> TrainConfig. Raises RecipeError with file, line and what was expected."""
    return build(TrainConfig, load_yaml(text, name))


def load_job(text: str, name: str) -> Job:
    """YAML or JSON -> Job. Raises RecipeError like `load`."""
    return build(Job, load_yaml(text, name))


def parse(values: Mapping[str, Any], name: str = "training config") -> TrainConfig:
    """Nested mappings, such as `asdict` gives, -> TrainConfig. Raises RecipeError naming the option."""
    return build(TrainConfig, YamlFile(name, values, {}))


def _check_least(config: object, least: int, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value is not None and value < least:
            raise ValueError(f"{name} is {value}; give {least} or more")


def _check_positive(config: object, *names: str) -> None:
    for name in names:
        if not 0 < getattr(config, name) < inf:
            raise ValueError(f"{name} is {getattr(config, name)}; give a number above 0")
