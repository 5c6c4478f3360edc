"""What an update needs of a weight that is spread over processes: this process's part, sums over all, and the whole.

A weight, its gradient and its moments lie alike, as plain tensors, which every process has whole, or as DTensors. To
work on the parts is exact and saves the dispatch of every operation by DTensor; nothing here waits for the device.
"""

from collections.abc import Iterable
from math import prod

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor import DTensor, Replicate


def local(tensor: Tensor) -> Tensor:
    """This process's part, in the same memory."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def copies(tensor: Tensor) -> int:
    """How many processes of a run hold the same part of it."""
    if not isinstance(tensor, DTensor):
        return dist.get_world_size() if dist.is_initialized() else 1
    axes = enumerate(tensor.placements)
    return prod(tensor.device_mesh.size(axis) for axis, placement in axes if placement.is_replicate())


def squares(tensors: Iterable[Tensor]) -> Tensor:
    """float32 scalar: this process's share of the sum of all squares, which those of all processes add up to."""
    alike: dict[int, list[Tensor]] = {}
    for tensor in tensors:
        alike.setdefault(copies(tensor), []).append(local(tensor))
    norms = [torch.stack(torch._foreach_norm(some)).square().sum() / count for count, some in alike.items()]
    return torch.stack(norms).sum() if norms else torch.zeros(())


def total(like: Tensor, values: Tensor, dim: int | None = None) -> Tensor:
    """`values`, added up in place over the processes that hold other parts of `like` along a dimension; None: any."""
    if isinstance(like, DTensor):
        for axis, placement in enumerate(like.placements):
            if not placement.is_replicate() and dim in (None, placement.dim):  # type: ignore[attr-defined]
                dist.all_reduce(values, group=like.device_mesh.get_group(axis))
    return values


def own_part(like: Tensor, whole: Tensor) -> Tensor:
    """Of a tensor that every process has whole, the part that this one holds of `like`."""
    if not isinstance(like, DTensor):
        return whole
    everywhere = [Replicate()] * like.device_mesh.ndim
    spread = DTensor.from_local(whole, like.device_mesh, everywhere, run_check=False)
    own = spread.redistribute(placements=like.placements).to_local()
    return own.to(like.to_local().device)  # which is not the mesh's if weights are offloaded


def zeros_along(like: Tensor, dim: int) -> Tensor:
    """A zero for each sum of a matrix along a dimension, spread as these are."""
    sums = torch.zeros_like(like).sum(dim)
    if not isinstance(sums, DTensor):
        return sums
    return sums.redistribute(placements=[Replicate() if one.is_partial() else one for one in sums.placements])
