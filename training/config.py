"""What a training run is: frozen settings that refuse what cannot work before anything is started.

`parse` reads them from nested mappings (YAML, JSON); `TrainConfig()` is the demonstration size, which trains on two CPU
cores in about two minutes. A field that is None takes its value from the token data (see `training.data.check`).
"""

import difflib
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import inf
from typing import Any, get_args, get_type_hints


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """A Llama-style decoder: RMSNorm before each half of a block, rotary positions, SwiGLU, no biases."""

    layers: int = 4
    width: int = 192  # of the residual stream
    heads: int = 6  # query heads; width / heads is the width of one head
    kv_heads: int | None = None  # key and value heads, shared by groups of query heads; None: as many as `heads`
    hidden: int | None = None  # inner width of the feed-forward half; None: 8/3 of `width`, rounded up to 64
    vocabulary: int | None = None  # rows of the embedding; None: the tokenizer's
    tied_embeddings: bool = True  # the output projection is the embedding
    attend_across_documents: bool = True  # False: a token sees only its own document (slower, needs a mask)
    rope_theta: float = 10_000.0  # base of the rotary wavelengths
    norm_epsilon: float = 1e-5
    initial_deviation: float = 0.02  # standard deviation of the initial weights

    def __post_init__(self) -> None:
        _check_types(self)
        _check_least(self, 1, "layers", "width", "heads", "kv_heads", "hidden", "vocabulary")
        _check_positive(self, "rope_theta", "norm_epsilon", "initial_deviation")
        if self.width % self.heads or self.width // self.heads % 2:
            raise ValueError(
                f"model.width {self.width} over model.heads {self.heads} must give an even whole number, "
                "because rotary positions turn pairs; change one of them"
            )
        if self.heads % self.key_value_heads:
            raise ValueError(f"model.heads {self.heads} is not a multiple of model.kv_heads {self.kv_heads}")

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
        _check_types(self)
        _check_positive(self, "learning_rate", "epsilon", "max_gradient_norm")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"optimizer.{name} is {getattr(self, name)}; give 0 to below 1")
        if not 0 <= self.weight_decay < inf:
            raise ValueError(f"optimizer.weight_decay is {self.weight_decay}; give 0 or more")


@dataclass(frozen=True, kw_only=True)
class ScheduleConfig:
    """Linear warm-up to the peak, then a cosine down to a fraction of it at the last step."""

    warmup_steps: int = 20
    final_fraction: float = 0.1  # of the peak learning rate

    def __post_init__(self) -> None:
        _check_types(self)
        _check_least(self, 0, "warmup_steps")
        _check_between(self, 0, 1, "final_fraction")


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A whole run. All counts of rows are over all workers together, so the loss does not depend on their number."""

    model: ModelConfig = field(default_factory=ModelConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    steps: int = 300  # optimizer updates
    batch_rows: int = 16  # rows per update
    sequence_length: int | None = None  # tokens that the model reads per row; None: the data's; shorter cuts each row
    seed: int = 0  # of the initial weights and of every draw of an objective
    checkpoint_every: int = 50  # steps
    keep_checkpoints: int = 2
    validate_every: int = 100  # steps; the last step is always followed by a validation
    validation_rows: int = 256  # at most, the same rows each time
    log_every: int = 10  # steps between two lines of metrics.jsonl
    max_failures: int = 3  # lost workers after which the run gives up

    def __post_init__(self) -> None:
        _check_types(self)
        counts = ("steps", "batch_rows", "sequence_length", "checkpoint_every", "keep_checkpoints")
        _check_least(self, 1, *counts, "validate_every", "validation_rows", "log_every")
        _check_least(self, 0, "max_failures", "seed")
        if self.schedule.warmup_steps >= self.steps:
            raise ValueError(
                f"schedule.warmup_steps {self.schedule.warmup_steps} leaves no step of steps {self.steps} to train at "
                "the full rate; give fewer"
            )


# Settings that say how a run is watched and kept, not what it computes: a resumed run may change them.
LOGISTICS = frozenset({"checkpoint_every", "keep_checkpoints", "validate_every", "log_every", "max_failures"})


def parse(values: Mapping[str, Any]) -> TrainConfig:
    """Nested mappings -> TrainConfig. Raises ValueError naming an unknown key and the nearest known one."""
    parsed = _parse(TrainConfig, values, "")
    assert isinstance(parsed, TrainConfig)
    return parsed


def to_dict(config: TrainConfig) -> dict[str, Any]:
    """Nested plain values; `parse` reads them back."""
    return asdict(config)


def _parse(kind: Any, values: Any, prefix: str) -> object:
    if not isinstance(values, Mapping):
        raise ValueError(f"{prefix.rstrip('.') or 'the training config'} must hold named settings, not {values!r}")
    hints = get_type_hints(kind)
    for key in values:
        if key not in hints:
            near = difflib.get_close_matches(str(key), hints, n=1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known: {', '.join(hints)}"
            raise ValueError(f"no training setting is named {prefix}{key}; {hint}")
    return kind(**{key: _value(hints[key], value, f"{prefix}{key}") for key, value in values.items()})


def _value(hint: Any, value: Any, name: str) -> Any:
    if is_dataclass(hint):
        return _parse(hint, value, f"{name}.")
    if hint is float and isinstance(value, int | str) and not isinstance(value, bool):
        try:
            return float(value)  # YAML reads 3e-4 as text
        except ValueError:
            raise ValueError(f"{name} is {value!r}; a number is expected") from None
    return value


def _check_types(config: Any) -> None:
    for name, hint in get_type_hints(type(config)).items():
        value = getattr(config, name)
        allowed = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        if type(value) not in (*allowed, int if float in allowed else None):
            expected = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in allowed)
            raise ValueError(f"{_title(config, name)} is {value!r}; expected {expected}")


def _check_least(config: Any, least: int, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if value is not None and value < least:
            raise ValueError(f"{_title(config, name)} is {value}; give {least} or more")


def _check_positive(config: Any, *names: str) -> None:
    for name in names:
        if not 0 < getattr(config, name) < inf:
            raise ValueError(f"{_title(config, name)} is {getattr(config, name)}; give a number above 0")


def _check_between(config: Any, low: float, high: float, *names: str) -> None:
    for name in names:
        if not low <= getattr(config, name) <= high:
            raise ValueError(f"{_title(config, name)} is {getattr(config, name)}; give {low} to {high}")


_SECTIONS = {item.type: f"{item.name}." for item in fields(TrainConfig) if is_dataclass(item.type)}


def _title(config: Any, name: str) -> str:
    return f"{_SECTIONS.get(type(config), '')}{name}"
