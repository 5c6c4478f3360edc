"""A tiny sharded model with its optimizer, a batch for it, and changed bytes in its checkpoints."""

from pathlib import Path

import numpy as np
import torch
from torch.distributed.tensor import DTensor

from training.batch import Batch, Example
from training.checkpoint.save import Saver
from training.config.run import Parallel
from training.initialise import initialise
from training.models.decoder import Decoder
from training.optim.adamw import Adamw
from training.parallel.mesh import Worker
from training.parallel.sharded import WholePasses, shard
from training.trainable import Trainable
from training.trainee import Trainee


def batch(*rows: list[int]) -> Batch:
    """Rows of one document each, of which every token after the first is a label."""
    return Batch.of(
        [
            Example(
                inputs=np.array(row[:-1]),
                segments=np.ones(len(row) - 1, np.int32),
                labels=np.array(row[1:]),
                weights=np.ones(len(row) - 1, np.float32),
            )
            for row in rows
        ],
        together=True,
    )


def decoder(seed: int = 0, **sizes: int) -> Trainable:
    """In this process, as it begins."""
    model = Decoder(**{"layers": 1, "width": 16, "heads": 2, **sizes}).build(20)
    initialise(model, seed)
    return model


def sharded(worker: Worker, seed: int, width: int = 16) -> Trainee:
    model = decoder(seed, width=width)
    shard(model, [model], worker.data, Parallel(), None)
    return Trainee(model, model, WholePasses(model, Parallel()), Adamw().build(model))


def update(trainee: Trainee) -> None:
    torch.autograd.backward(trainee.model(batch([*range(13)])).total)
    trainee.optimizer.step()
    trainee.optimizer.zero_grad()


def weights(trainee: Trainee) -> list[torch.Tensor]:
    return [p.full_tensor().detach().clone() for p in trainee.model.parameters() if isinstance(p, DTensor)]


def flip(path: Path, at: int) -> None:
    """Changes one bit of a file."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def save(output: str, step: int, trainee: Trainee, worker: Worker, *, keep: int = 1) -> str:
    """The folder of a checkpoint."""
    saver = Saver(output, trainee, worker, (keep, None))
    saver.begin(step)
    saved = saver.join()
    saver.close()
    assert saved
    return saved.folder
