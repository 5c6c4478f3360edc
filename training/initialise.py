"""Fills a model's parameters by their roles: the same numbers however it is spread over processes and devices.

The numbers of 16 rows of a parameter follow from (seed, its name, the number of the block), and each process draws the
blocks that it holds a part of, so that no process ever has a whole matrix which it does not keep.
"""

import hashlib

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor

from training.roles import Purpose
from training.trainable import Trainable

ROWS = 16  # of a block


def initialise(model: Trainable, seed: int) -> None:
    """Embeddings and matrices are normal with their roles' deviations, scales of norms 1, biases 0."""
    roles = model.roles()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            role = roles[name]
            if role.part in (Purpose.NORM, Purpose.BIAS):
                parameter.fill_(float(role.part is Purpose.NORM))
            else:
                _fill(parameter, f"{seed}:{name}", role.deviation)


def _fill(parameter: Tensor, key: str, deviation: float) -> None:
    """A matrix, of which this process holds a box."""
    local = parameter
    start: tuple[int, ...] = (0,) * parameter.dim()
    if isinstance(parameter, DTensor):
        (chunk,) = parameter.__create_chunk_list__()  # type: ignore[no-untyped-call]
        local = parameter.to_local()
        start = tuple(chunk.offsets)
    if not local.numel():
        return
    first = start[0]
    stop = first + local.shape[0]
    box = tuple(slice(begin, begin + size) for begin, size in zip(start[1:], local.shape[1:], strict=True))
    for block in range(first // ROWS, -(-stop // ROWS)):
        rows = _block((ROWS, *parameter.shape[1:]), f"{key}:{block}")[:, *box]
        low = max(first, block * ROWS)
        high = min(stop, (block + 1) * ROWS)
        local[low - first : high - first] = rows[low - block * ROWS : high - block * ROWS] * deviation


def _block(shape: tuple[int, ...], key: str) -> Tensor:
    """Standard normal numbers, drawn on the CPU so that they are the same on every device."""
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest, "little", signed=True))
    return torch.randn(shape, generator=generator)
