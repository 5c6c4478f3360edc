"""A tiny sharded model with its optimizer, and changed bytes in its checkpoints."""

from pathlib import Path

import torch
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer
from training.parallel.sharding import shard

from training.models.decoder import Decoder
from training.optim.adamw import Adamw
from training.parallel.mesh import Worker
from training.trainable import Trainable


def sharded(worker: Worker, seed: int, width: int = 16) -> tuple[Trainable, Optimizer]:
    model = Decoder(layers=1, width=width, heads=2).build(20, seed)
    shard(model, model.blocks, worker.mesh, bfloat16=False)
    return model, Adamw().build(model)


def update(model: Trainable, optimizer: Optimizer) -> None:
    torch.autograd.backward(model(torch.arange(12)[None]).square().sum())
    optimizer.step()
    optimizer.zero_grad()


def weights(model: Trainable) -> list[torch.Tensor]:
    return [p.full_tensor().detach().clone() for p in model.parameters() if isinstance(p, DTensor)]


def flip(path: Path, at: int) -> None:
    """Changes one bit of a file."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
