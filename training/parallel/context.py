"""Context parallelism: processes share the places of each row, and gather the keys and values of all in each layer.

A process has two pieces of a row, one from its head and one from its tail, so that all have as many visible keys.
Masks go by the places in the row, so documents stay apart. What is gathered is K and V of one layer; nothing else knows
of it, because every other part of a block looks at one place at a time.

Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models" (arXiv:2407.21783), section 3.3.2. B rows, L places.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.distributed._functional_collectives import all_gather_tensor_autograd
from torch.distributed.device_mesh import DeviceMesh

from training.batch import Batch, Kind
from training.config.run import TrainConfig
from training.trainable import Seam, Trainable

PIECES = 2  # of a row, for each process


def check_context(config: TrainConfig, model: Trainable) -> None:
    """Raises ValueError if the rows of a training cannot be shared."""
    if config.parallel.context > 1 and not (config.objective.kind is Kind.PLAIN and model.one_stream):
        raise ValueError(
            f"parallel.context {config.parallel.context} shares rows in which a place sees itself and those before it; "
            f"the objective gives {config.objective.kind.value} ones; take a causal objective, or parallel.context 1"
        )


def share_rows(model: Trainable, mesh: DeviceMesh) -> None:
    """Lets all attention ask the keys of the whole row, in place; the mesh has one axis."""

    def gathered(seam: nn.Module, inputs: object, own: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        both = torch.stack(own)
        keys, values = all_gather_tensor_autograd(both, both.dim() - 2, mesh).unbind()
        return keys, values

    for module in model.modules():
        if isinstance(module, Seam) and module.lacks == "keys":
            module.register_forward_hook(gathered)


def own_places(length: int, rank: int, size: int) -> Tensor:
    """int64[L / size]: of a row of `length` places, those that one of `size` processes has."""
    piece = length // (PIECES * size)
    starts = (rank * piece, (PIECES * size - 1 - rank) * piece)
    return torch.cat([torch.arange(start, start + piece) for start in starts])


def shared(batch: Batch, rank: int, size: int) -> Batch:
    """What one of `size` processes has of a batch, which has a label at each place if there are several."""
    if size == 1:
        return batch
    length = batch.inputs.shape[1]
    assert batch.labels.shape[1] == length, "a label at each place"
    own = own_places(length, rank, size)
    return replace(
        batch,
        inputs=batch.inputs[:, own],
        labels=batch.labels[:, own],
        weights=batch.weights[:, own],
        own_places=own,
        key_places=torch.cat([own_places(length, other, size) for other in range(size)]),
    )
