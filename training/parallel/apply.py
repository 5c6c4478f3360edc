"""Spreads a model: context, tensor, then recompute, then compile, then shard. What is compiled includes what is
recomputed, and FSDP gathers a block's weights outside of the compiled code."""

import torch

from training.config.run import TrainConfig
from training.initialise import initialise
from training.parallel.context import share_rows
from training.parallel.mesh import Worker
from training.parallel.recompute import recompute
from training.parallel.sharded import shard
from training.parallel.tensor import split
from training.trainable import Trainable

SHAPES = 64


def apply(model: Trainable, config: TrainConfig, worker: Worker, compute: torch.dtype | None) -> Trainable:
    """The model, which is on the meta device, in place on the worker's device with the weights of the config's seed.
    Blocks compute in `compute`, None: as their weights are."""
    if worker.context:
        share_rows(model, worker.context)
    if worker.layout.tensor > 1:
        split(model, worker.tensor)
    recompute(model, config.recompute)
    if config.compile:
        # Blocks share their code, which is compiled for each shape of rows, with gradients and without; beyond a limit
        # it runs as it is, without a word.
        torch._dynamo.config.recompile_limit = SHAPES
        for block in model.blocks:
            block.compile(dynamic=False)
    if worker.world_size > 1 or compute is not None or config.parallel.offload:
        shard(model, worker.data, config.parallel, compute)
    model.to_empty(device="cpu" if config.parallel.offload else worker.device)
    initialise(model, config.seed)
    return model
