"""Small trainings from which the loss of a large one is predicted before it is paid for.

Rungs are models of fewer heads, as wide and as deep in proportion, each trained on three numbers of tokens, because a
law is only told by N and D that vary apart. Batch and learning rate go with the floating-point operations C of a
training as C^0.3271 and C^-0.125: DeepSeek-AI 2024, "DeepSeek LLM" (arXiv:2401.02954), section 3.1; the rate stays
where the model has maximal update scaling. Each rung ends its own schedule: in the middle of one a loss is higher.
"""

from dataclasses import fields, replace
from functools import lru_cache
from math import gcd, log2
from typing import Any, NamedTuple

import numpy as np

from curation.core.errors import InputError
from training.config.arithmetic import step_rows
from training.config.components import Architecture
from training.config.run import Parallel, TrainConfig
from training.plan.fit import EXTRAPOLATION
from training.plan.laws import TRAINING

DATA = (0.25, 1.0, 4.0)  # tokens per parameter of a rung, over those that are asked for
NARROWEST = 4.0  # times is the widest model wider than the narrowest one
BATCH = 0.3271
RATE = -0.125


class SizedTraining(NamedTuple):
    """A config whose model and data are known."""

    config: TrainConfig
    parameters: int  # of the whole model, embeddings too
    tokens: int  # that it reads, padding included

    @property
    def flops(self) -> float:
        """6 N D."""
        return TRAINING * self.parameters * self.tokens


def sized(config: TrainConfig) -> SizedTraining:
    """Raises InputError if the config leaves vocabulary or sequence length to the token data."""
    known = {"model.vocabulary": config.model.vocabulary, "sequence_length": config.sequence_length}
    if absent := [name for name, value in known.items() if value is None]:
        name = absent[0]
        raise InputError(f"the config leaves {name} to the token data; write it there, as {name}=… in the ladder")
    assert config.sequence_length
    rows = step_rows(config).positions(config.steps).start
    return SizedTraining(config, _parameters(config.model), rows * config.sequence_length)


@lru_cache(maxsize=128)
def _parameters(model: Architecture) -> int:
    """Built without memory for its weights."""
    import torch  # takes seconds

    assert model.vocabulary
    with torch.device("meta"):
        return sum(weight.numel() for weight in model.build(model.vocabulary).parameters())


def ladder(config: TrainConfig, *, rungs: int, tokens_per_parameter: float, share: float) -> list[SizedTraining]:
    """Trainings of `rungs` models on three numbers of tokens each, small models first, which together take at most
    `share` of the operations of the config. Raises InputError if there are none."""
    if config.init:
        raise InputError(f"a ladder is of trainings from the beginning, and the config begins with {config.init}")
    large = sized(config)
    heads = getattr(config.model, "heads", None)
    if heads is None:
        raise InputError("the model has no heads, by which a ladder makes it smaller")
    costs = []
    for top in range(heads - 1, rungs - 1, -1):
        several = {max(1, round(float(count))) for count in np.geomspace(top / NARROWEST, top, rungs)}
        if len(several) < rungs:
            break
        models = [_narrower(config.model, count) for count in sorted(several)]
        found = [_rung(large, model, tokens_per_parameter * times) for model in models for times in DATA]
        costs.append(sum(rung.flops for rung in found) / large.flops)
        if costs[-1] <= share:
            _check_reach(max(rung.flops for rung in found), large)
            return found
    if not costs:
        raise InputError(f"{heads} heads do not give {rungs} models of fewer; ask for fewer rungs, or more heads")
    least = min(costs)
    raise InputError(
        f"the smallest ladder of {rungs} models takes {least:.2g} of the training's {large.flops:.2g} operations; give "
        f"--share {least * 1.01:.2g}, or fewer tokens per parameter"
    )


def _check_reach(largest: float, large: SizedTraining) -> None:
    if large.flops > EXTRAPOLATION * largest:
        raise InputError(
            f"the largest rung is {large.flops / largest:,.0f} times smaller than the training, and a law is carried "
            f"{EXTRAPOLATION:,.0f} times at most; give a larger --share"
        )


def _narrower(model: Any, heads: int) -> Any:
    """The model with fewer heads of the same width."""
    sizes = {
        "heads": heads,
        "layers": max(1, round(model.layers * heads / model.heads)),
        "width": model.width * heads // model.heads,
        "hidden": -(-model.hidden * heads // (model.heads * 64)) * 64,
    }
    if any(option.name == "kv_heads" for option in fields(model)):
        whole = [count for count in range(1, heads + 1) if heads % count == 0]
        sizes["kv_heads"] = min(whole, key=lambda count: abs(count - model.kv_heads * heads / model.heads))
    try:
        return replace(model, **sizes)
    except ValueError as error:
        raise InputError(f"a rung of {heads} heads: {error}") from error


def _rung(large: SizedTraining, model: Architecture, tokens_per_parameter: float) -> SizedTraining:
    config = large.config
    assert config.sequence_length
    parameters = _parameters(model)
    tokens = parameters * tokens_per_parameter
    smaller = TRAINING * parameters * tokens / large.flops
    rows = 2 ** max(0, round(log2(config.batch_rows * smaller**BATCH)))
    steps = max(1, round(tokens / (rows * config.sequence_length)))
    rate = config.optimizer.learning_rate
    if getattr(model, "base_width", None) is None:
        rate = float(f"{rate * smaller**RATE:.3g}")
    made = replace(
        config,
        model=model,
        optimizer=replace(config.optimizer, learning_rate=rate),
        schedule=config.schedule.shortened(steps),
        steps=steps,
        batch_rows=rows,
        batch_stages=(),
        length_stages=(),
        micro_batch_rows=config.micro_batch_rows and gcd(rows, config.micro_batch_rows),
        parallel=Parallel(),
    )
    return SizedTraining(made, parameters, steps * rows * config.sequence_length)
