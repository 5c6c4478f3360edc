"""Sharded data parallelism: each process keeps a slice of weights, gradients and moments, as far as the stage says.

What FSDP2 reshards when is what the stages of ZeRO mean: at stage 3 a block is gathered where it is used and freed
after it, forward and backward; at stage 2 it stays gathered from its forward to its backward pass; at stage 1 its
gradient stays whole too, until the last micro-batch. With as many replicas as processes nothing is sharded: plain data
parallelism. Sums of gradients and moments are float32, whatever a block computes in.

Source: Rajbhandari et al. 2020, "ZeRO" (arXiv:1910.02054); torch.distributed.fsdp.fully_shard.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.distributed.tensor import DTensor, Shard

from training.batch import Batch
from training.config.run import Parallel
from training.trainable import Losses, Trainable


class Passes(Protocol):
    """How the micro-batches of a step pass a model that is spread; every process calls it together."""

    def gradients(self, batches: Sequence[Batch], factor: Tensor) -> list[Losses]:
        """Adds to the gradients those of all micro-batches' totals times a factor, float32[]; returns the losses. A
        process that does not find them has zeros."""
        ...

    def losses(self, batches: Sequence[Batch]) -> list[Losses]:
        """Without gradients; weights that were gathered are let go after it: an optimizer's state is of shards."""
        ...


def shard(
    model: Trainable, roots: Sequence[nn.Module], mesh: DeviceMesh, how: Parallel, compute: torch.dtype | None
) -> None:
    """Shards in place over the second axis of a mesh; along the first one are copies. Blocks compute in `compute`,
    None: as their weights are; weights stay float32.

    The modules of a root that are not in `blocks` (embedding, last norm, head) form one group, which allows tied
    weights. The root is the model, or each stage of a pipeline.
    """
    # Inputs are not cast: tokens are integers, and rotary angles must stay float32.
    policy = MixedPrecisionPolicy(compute, torch.float32 if compute else None, cast_forward_inputs=False)
    pinned = mesh.device_type == "cuda"  # from where a GPU copies fast; torch refuses it where there is none
    offload = CPUOffloadPolicy(pin_memory=pinned) if how.offload else OffloadPolicy()
    again = how.zero == 3 and mesh.size(1) > 1
    options: dict[str, Any] = {"mesh": mesh, "mp_policy": policy, "offload_policy": offload}
    for block in model.blocks:
        fully_shard(block, reshard_after_forward=again, shard_placement_fn=_other_dim, **options)
    # The root's weights are wanted first in the backward pass, and the loss reads the head outside of its module.
    for root in roots:
        fully_shard(root, reshard_after_forward=False, shard_placement_fn=_other_dim, **options)


def shards_sent(weights: int, shards: int, zero: int, rounds: int, compute: int) -> int:
    """Bytes that a process sends in a step of so many micro-batches. At stage 3 it gathers weights for each forward and
    each backward pass, below for the first forward pass only; it adds up gradients, in float32, once below stage 2."""
    gathers = 2 * rounds if zero == 3 else 1
    reduces = rounds if zero > 1 else 1
    return weights * (gathers * compute + reduces * 4) * (shards - 1) // shards


def _other_dim(parameter: nn.Parameter) -> Shard | None:
    """The second dimension of a matrix whose first one is split already, so that every process has one box of it."""
    if isinstance(parameter, DTensor) and parameter.placements[0].is_shard(0) and parameter.dim() > 1:
        return Shard(1)
    return None


def reduce_gradients(model: Trainable, how: Parallel, *, last: bool) -> None:
    """Before the backward pass of a micro-batch; `last`: it is the step's last one."""
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(last or how.zero > 1)


class WholePasses:
    """Passes of micro-batches through a model whose every layer is in each process."""

    def __init__(self, model: Trainable, how: Parallel) -> None:
        self._model = model
        self._how = how

    def gradients(self, batches: Sequence[Batch], factor: Tensor) -> list[Losses]:
        """As in `Passes`."""
        found = []
        for number, batch in enumerate(batches):
            reduce_gradients(self._model, self._how, last=number == len(batches) - 1)
            losses: Losses = self._model(batch)
            torch.autograd.backward(losses.total * factor)
            found.append(Losses(losses.total.detach(), losses.nats, losses.parts))
        return found

    def losses(self, batches: Sequence[Batch]) -> list[Losses]:
        """As in `Passes`."""
        found = [self._model(batch) for batch in batches]
        reshard(self._model)
        return found


def reshard(model: nn.Module) -> None:
    """After forward passes without a backward one, which leave weights gathered."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()
