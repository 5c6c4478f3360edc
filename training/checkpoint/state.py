"""The tensors of a run by name, and which box of each one this process holds.

A process that holds all of a tensor, or the same box as others, writes it only if it is the first of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
from torch.distributed.tensor import DTensor

from training.checkpoint.manifest import TensorShape
from training.parallel.mesh import Worker
from training.trainee import Trainee

# As safetensors names them.
DTYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}


@dataclass(frozen=True)
class TensorBox:
    """This process's box of a tensor: `local`, from `start` on, which shares its memory with the model."""

    whole: TensorShape
    local: Tensor
    start: tuple[int, ...]
    writes: bool


def held_tensors(trainee: Trainee, worker: Worker) -> dict[str, TensorBox]:
    """By "model.NAME", "optimizer.NAME.MOMENT" and "scaler.NAME", sorted; every process of the group must call it.
    A new optimizer's moments are made."""
    model = trainee.model
    moments = cast(dict[str, Any], get_optimizer_state_dict(model, trainee.optimizer))["state"]
    tensors = {f"optimizer.{weight}.{name}": one for weight, own in moments.items() for name, one in own.items()}
    first = worker.first_of_stage
    held = held_weights(model, first=first) | {name: _held(tensor, first=first) for name, tensor in tensors.items()}
    if trainee.scaler:
        scaler = {"scaler.scale": trainee.scaler.scale, "scaler.since": trainee.scaler.since}
        held |= {name: _held(tensor, first=worker.first) for name, tensor in scaler.items()}
    return dict(sorted(held.items()))


def shapes_in(tensors: Mapping[str, TensorBox]) -> dict[str, TensorShape]:
    """Of the whole tensors, by name."""
    return {name: held.whole for name, held in tensors.items()}


def held_weights(model: nn.Module, *, first: bool) -> dict[str, TensorBox]:
    """Those of the model alone, which makes no moments. `first`: this process writes what all of its stage hold."""
    return {f"model.{name}": _held(weight.detach(), first=first) for name, weight in model.named_parameters()}


def _held(tensor: Tensor, *, first: bool) -> TensorBox:
    whole = TensorShape(DTYPES[tensor.dtype], tuple(tensor.shape))
    if not isinstance(tensor, DTensor):
        return TensorBox(whole, tensor, (0,) * tensor.dim(), first)
    (chunk,) = tensor.__create_chunk_list__()  # type: ignore[no-untyped-call]
    coordinate = tensor.device_mesh.get_coordinate() or ()
    copies = [place for place, placement in zip(coordinate, tensor.placements, strict=True) if placement.is_replicate()]
    return TensorBox(whole, tensor.to_local(), tuple(chunk.offsets), not any(copies))
