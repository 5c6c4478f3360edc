"""Tensor parallelism: processes share each matrix, and between the matrices the places of each row.

A matrix that is split by its outputs ("column") reads all places and gives a part of each; one that is split by its
inputs ("row") reads those parts, and its outputs are added up. Between the two nothing is sent. The residual stream and
its norms are of this process's places, so each half of a block gathers places once and adds up once, forward and
backward. Before the first block and after the last one every process has all places.

Source: Shoeybi et al. 2019, "Megatron-LM" (arXiv:1909.08053); Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2.
"""

from functools import partial
from types import MethodType
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributed._functional_collectives import all_gather_tensor_autograd, reduce_scatter_tensor_autograd
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard

from training.roles import Role
from training.trainable import Seam, Trainable

PLACES = 1  # the dimension of places in activations [B, L, D]


def check_tensor(model: Trainable, parts: int, shards: int) -> None:
    """Raises ValueError, with the arithmetic, if a model cannot be split into so many parts, in so many shards."""
    if not model.one_stream:
        raise ValueError(
            f"{type(model).__name__} passes several streams from block to block, which parallel.tensor does not split; "
            "take a decoder or an encoder, or parallel.tensor 1"
        )
    for name, role in model.roles().items():
        if role.split is None:
            continue
        parameter = model.get_parameter(name)
        dim = _split_dim(_owner(model, name), role)
        size = parameter.shape[dim] // role.together
        what = f"{size} heads" if role.together > 1 else f"{size} {'outputs' if role.split == 'column' else 'inputs'}"
        if size % parts:
            raise ValueError(f"{name} has {what}, which parallel.tensor {parts} does not divide; give one that does")
        other = parameter.shape[1 - dim]
        if dim == 0 and other % shards:
            raise ValueError(
                f"{name} has {other} elements beside those that parallel.tensor splits, which {shards} shards (of "
                f"parallel.context, too) do not divide; give another number of workers, or of parallel.replicate"
            )


def split(model: Trainable, mesh: DeviceMesh) -> None:
    """Splits in place, over a mesh of one axis; the model is on the meta device."""
    roles = model.roles()
    within = {id(module) for block in model.blocks for module in block.modules()}
    for name, module in model.named_modules():
        for own, parameter in list(module.named_parameters(recurse=False)):
            role = roles[f"{name}.{own}" if name else own]
            placement = Replicate() if role.split is None else Shard(_split_dim(module, role))
            module.register_parameter(own, nn.Parameter(_spread(parameter, mesh, placement)))
        has_rule = isinstance(module, nn.Linear | nn.Embedding | nn.RMSNorm | nn.LayerNorm)
        if has_rule:
            adds_up = roles[f"{name}.weight"].split == "row" and isinstance(module, nn.Linear)
            module.forward = MethodType(partial(_forward, mesh, id(module) in within, adds_up), module)
        elif module is not model and next(module.parameters(recurse=False), None) is not None:
            raise TypeError(f"{type(module).__name__} has weights that no rule here splits")
    blocks = list(model.blocks)
    if model.begins:
        blocks[0].register_forward_pre_hook(
            lambda _block, inputs: (_moved(inputs[0], mesh, Replicate(), Shard(PLACES)), *inputs[1:])
        )
    for block in blocks:
        block.register_forward_pre_hook(partial(_own_keys, mesh), with_kwargs=True)
        for module in block.modules():
            if isinstance(module, Seam) and module.lacks == "places":
                module.register_forward_hook(lambda _seam, _inputs, x: all_gather_tensor_autograd(x, PLACES, mesh))
    if model.ends:
        # A copy, because FSDP warns of a block that returns a view.
        blocks[-1].register_forward_hook(lambda _block, _inputs, x: _moved(x, mesh, Shard(PLACES), Replicate()).clone())


def _owner(model: nn.Module, name: str) -> nn.Module:
    return model.get_submodule(name.rpartition(".")[0])


def _split_dim(module: nn.Module, role: Role) -> int:
    # An embedding's matrix has its inputs first, a linear layer's its outputs.
    return int((role.split == "row") != isinstance(module, nn.Embedding))


def _spread(parameter: Tensor, mesh: DeviceMesh, placement: Replicate | Shard) -> DTensor:
    local = parameter
    if isinstance(placement, Shard):
        local = parameter.chunk(mesh.size(), placement.dim)[mesh.get_local_rank()].contiguous()
    return DTensor.from_local(
        local, mesh, [placement], run_check=False, shape=parameter.shape, stride=parameter.stride()
    )


def _forward(mesh: DeviceMesh, within: bool, adds_up: bool, module: Any, x: Tensor) -> Tensor:
    """Runs a module with this process's part of its weights. `within`: it is in a block, where it sees a part of
    what its whole weights serve, so that gradients of these are added up; `adds_up`: its inputs are split."""
    weight = _local(module.weight, sums=within)
    bias = None if getattr(module, "bias", None) is None else _local(module.bias, sums=within)
    if isinstance(module, nn.Embedding):
        return _looked_up(weight, x, mesh)
    if isinstance(module, nn.RMSNorm):
        return _rms_norm(module, weight, x, mesh)
    if isinstance(module, nn.LayerNorm):
        return F.layer_norm(x, module.normalized_shape, weight, bias, module.eps)
    if adds_up:
        parts: Tensor = reduce_scatter_tensor_autograd(F.linear(x, weight), "sum", PLACES, mesh)
        return parts if bias is None else parts + bias
    return F.linear(x, weight, None if bias is None else _own_part(bias, len(weight), mesh))


def _local(weight: Tensor, *, sums: bool) -> Tensor:
    spread = cast(DTensor, weight)
    partial_sums = sums and spread.placements[0].is_replicate()
    own: Tensor = spread.to_local(grad_placements=[Partial()] if partial_sums else spread.placements)
    return own


def _own_part(vector: Tensor, size: int, mesh: DeviceMesh) -> Tensor:
    """The elements of this process's outputs, `size` of them, of a vector that every process has whole."""
    return vector if len(vector) == size else vector.narrow(0, size * mesh.get_local_rank(), size)


def _looked_up(weight: Tensor, tokens: Tensor, mesh: DeviceMesh) -> Tensor:
    places = tokens - len(weight) * mesh.get_local_rank()
    here = (places >= 0) & (places < len(weight))
    found = F.embedding(torch.where(here, places, 0), weight) * here[..., None].to(weight.dtype)
    return _moved(found, mesh, Partial(), Replicate())


def _rms_norm(module: nn.RMSNorm, weight: Tensor, x: Tensor, mesh: DeviceMesh) -> Tensor:
    """Normalises by all elements, also where this process has a part of them."""
    size = x.shape[-1]
    if size == len(weight):
        return F.rms_norm(x, module.normalized_shape, weight, module.eps)
    own = x.float().square().sum(-1, keepdim=True)
    squares = all_gather_tensor_autograd(own, x.dim() - 1, mesh).sum(-1, keepdim=True)
    scaled = x.float() * torch.rsqrt(squares / len(weight) + module.eps)
    return scaled.type_as(x) * _own_part(weight, size, mesh)


def _own_keys(mesh: DeviceMesh, block: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The block drops by the places that this process has."""
    keys = named.get("keys")
    if keys is not None:
        length = inputs[0].shape[PLACES] * mesh.size()
        places = torch.arange(length, device=keys.rows.device) if keys.places is None else keys.places
        named["keys"] = keys._replace(places=places.chunk(mesh.size())[mesh.get_local_rank()])
    return inputs, named


def _moved(x: Tensor, mesh: DeviceMesh, source: Placement, target: Placement) -> Tensor:
    """This process's tensor, which is the `source` part of one that all share -> its `target` part. Gradients go the
    way back; one of a whole sum is that of each term."""
    spread = DTensor.from_local(x, mesh, [source], run_check=False)
    own: Tensor = spread.redistribute(placements=[target]).to_local()
    return own
