"""Spreads a model: pipeline, context, tensor, then recompute, compile, shard. What is compiled includes what is
recomputed, and FSDP gathers a block's weights outside of the compiled code."""

import torch

from training.config.run import TrainConfig
from training.initialise import initialise
from training.parallel.context import share_rows
from training.parallel.mesh import Worker
from training.parallel.pipeline import PipelinedPasses, PipelinePart, cut
from training.parallel.recompute import recompute
from training.parallel.sharded import Passes, WholePasses, shard
from training.parallel.tensor import split
from training.trainable import Trainable

SHAPES = 64


def apply(model: Trainable, config: TrainConfig, worker: Worker, compute: torch.dtype | None) -> Passes:
    """Puts the model, which is on the meta device, on the worker's device with the weights of the config's seed, in
    place; returns how micro-batches pass it. Blocks compute in `compute`, None: as their weights are."""
    layout = worker.layout
    parts: list[PipelinePart] = []
    if layout.pipeline > 1:
        parts = cut(model, config, layout, worker.pipeline.get_local_rank())
    if worker.context:
        share_rows(model, worker.context)
    if layout.tensor > 1:
        split(model, worker.tensor)
    recompute(model, config.recompute)
    if config.compile:
        # Blocks share their code, which is compiled for each shape of rows, with gradients and without; beyond a limit
        # it runs as it is, without a word.
        torch._dynamo.config.recompile_limit = SHAPES
        for block in model.blocks:
            block.compile(dynamic=False)
    if worker.world_size > 1 or compute is not None or config.parallel.offload:
        shard(model, parts or [model], worker.data, config.parallel, compute)
    model.to_empty(device="cpu" if config.parallel.offload else worker.device)
    initialise(model, config.seed)
    if parts:
        return PipelinedPasses(parts, config.parallel.schedule, worker, compute)
    return WholePasses(model, config.parallel)
