"""What is trained, a model spread over the processes with its optimizer, and what an update of it was like."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from training.config.run import TrainConfig
from training.parallel.apply import apply
from training.parallel.mesh import Worker
from training.parallel.sharded import Passes
from training.precision.fp8 import use_fp8
from training.precision.policy import policy_of
from training.precision.scaler import LossScaler
from training.trainable import Trainable


@dataclass(frozen=True)
class Trainee:
    """In one process."""

    model: Trainable  # what this process has of it
    whole: Trainable  # all of it, on the meta device
    passes: Passes
    optimizer: Optimizer
    scaler: LossScaler | None = None


class Update(NamedTuple):
    """Of all processes; tensors are scalars on the device."""

    loss: Tensor  # float64: nats of a label, the mean by their weights
    parts: dict[str, Tensor]  # float64: the further terms of what is minimised, means too
    norm: Tensor  # float32: of the gradient, before it is clipped
    rate: float  # of learning
    problems: Tensor  # float64: how many processes had rows that could not be read, in all updates so far
    not_finite: Tensor  # int64: number, from 0, of the first update whose loss or gradient was not finite; -1: none
    labels_share: float | None = None  # of the step's labels, those that were learnt from; None: all


def new_trainee(config: TrainConfig, worker: Worker) -> Trainee:
    """With the weights of the config's seed; `config` as resolved by `training.data.check`."""
    assert config.model.vocabulary
    with torch.device("meta"):
        model, whole = (config.model.build(config.model.vocabulary) for _ in range(2))
    policy = policy_of(config.precision, worker.device)
    if policy.name == "fp8":
        use_fp8(model)
    passes = apply(model, config, worker, policy.compute)
    scaler = LossScaler(worker.device) if policy.scaled else None
    return Trainee(model, whole, passes, config.optimizer.build(model), scaler)
