"""Fully sharded data parallelism: each process keeps a slice of every weight, gradient and optimizer moment.

One block at a time is gathered, used and freed; its gradient is reduced while the previous block computes.
Source: Rajbhandari et al. 2020, "ZeRO" (arXiv:1910.02054), stage 3; torch.distributed.fsdp.fully_shard.
"""

from collections.abc import Iterable

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model: nn.Module, blocks: Iterable[nn.Module], mesh: DeviceMesh, *, bfloat16: bool) -> None:
    """Shards in place. With `bfloat16`, blocks compute in it; weights, moments and sums of gradients stay float32.

    The modules that are not in `blocks` (embedding, last norm, head) form one group, which allows tied weights.
    """
    compute = torch.bfloat16 if bfloat16 else None
    reduce = torch.float32 if bfloat16 else None
    # Inputs are not cast: tokens are integers, and rotary angles must stay float32.
    policy = MixedPrecisionPolicy(param_dtype=compute, reduce_dtype=reduce, cast_forward_inputs=False)
    for block in blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
