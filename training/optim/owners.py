"""Whole matrices without redundant work: of several that are spread alike, each process gets some as a whole.

Parts are exchanged along one axis after the other: a process sends its part of each matrix towards the owner, and gets
from the others what it lacks of its own. A number crosses each axis once, where gathering would send it to everybody.
Source: Liu et al. 2025, "Muon is Scalable for LLM Training" (arXiv:2502.16982), section 2.3, for the aim.
"""

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import torch
import torch.distributed as dist
from torch import Tensor

from training.optim.spread import SplitAxis

Shape: TypeAlias = tuple[int, ...]


def owners(axes: Sequence[SplitAxis]) -> int:
    """How many processes share the matrices that are spread over these axes."""
    return prod(axis.size for axis in axes)


def to_owners(axes: Sequence[SplitAxis], shapes: Sequence[Shape], parts: Sequence[Tensor]) -> list[Tensor]:
    """The whole matrices that this process owns, from its parts of matrices of these shapes, spread over the axes."""
    held = list(parts)
    for axis in axes:
        lengths = [axis.lengths(shape[axis.dim]) for shape in shapes]
        mine = slice(axis.rank, None, axis.size)
        boxes = [
            [_at(part.shape, axis.dim, each[rank]) for part, each in zip(held[mine], lengths[mine], strict=True)]
            for rank in range(axis.size)
        ]
        came = _exchanged(axis, [held[rank :: axis.size] for rank in range(axis.size)], boxes, like=parts[0])
        held = [torch.cat(pieces, axis.dim) for pieces in zip(*came, strict=True)]
        shapes = shapes[mine]
    return held


def from_owners(
    axes: Sequence[SplitAxis], shapes: Sequence[Shape], wholes: Sequence[Tensor], like: Tensor
) -> list[Tensor]:
    """The way back: this process's part of every matrix, in their order. `like` has their type and device."""
    if not axes:
        return list(wholes)
    axis = axes[0]
    held = from_owners(axes[1:], shapes[axis.rank :: axis.size], wholes, like)
    sent = [
        [torch.split(piece, axis.lengths(piece.shape[axis.dim]), axis.dim)[rank] for piece in held]
        for rank in range(axis.size)
    ]
    own = []
    for shape in shapes:
        for one in axes:
            shape = _at(shape, one.dim, one.lengths(shape[one.dim])[one.rank])
        own.append(shape)
    came = _exchanged(axis, sent, [own[rank :: axis.size] for rank in range(axis.size)], like=like)
    parts: list[Tensor] = [like] * len(shapes)
    for rank, some in enumerate(came):
        parts[rank :: axis.size] = some
    return parts


def _exchanged(
    axis: SplitAxis, sent: Sequence[Sequence[Tensor]], boxes: Sequence[Sequence[Shape]], *, like: Tensor
) -> list[list[Tensor]]:
    """What comes from each rank, in boxes of these shapes, for what is sent to each."""
    flat = [torch.cat([one.reshape(-1) for one in some]) if some else like.new_empty(0) for some in sent]
    sizes = [[prod(box) for box in some] for some in boxes]
    came = like.new_empty(sum(map(sum, sizes)))
    dist.all_to_all_single(came, torch.cat(flat), [sum(some) for some in sizes], [len(one) for one in flat], axis.group)
    pieces = iter(torch.split(came, [size for some in sizes for size in some]))
    return [[next(pieces).view(box) for box in some] for some in boxes]


def _at(shape: Shape, dim: int, length: int) -> Shape:
    return (*shape[:dim], length, *shape[dim + 1 :])
