"""Writes a model folder of transformers tensor by tensor, so that no process ever holds a whole model.

The weights are safetensors files of at most 5 GB, as `save_pretrained` writes them by default in transformers 4.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from curation.core.errors import InputError
from curation.core.model_folder import CONFIG, INDEX, WEIGHTS
from curation.core.tensor_header import header_of
from training.config.components import Architecture
from training.models.hugging_face import TensorSource, layout_module

SHARD = 5 * 10**9  # bytes of a file
DTYPES = {"fp32": ("F32", torch.float32), "bf16": ("BF16", torch.bfloat16), "fp16": ("F16", torch.float16)}


class WholeWeights(NamedTuple):
    """The shapes of a model's weights by name, and what reads one of them whole."""

    shapes: Mapping[str, tuple[int, ...]]
    read: Callable[[str], Tensor]

    @classmethod
    def of(cls, model: nn.Module) -> "WholeWeights":
        """The weights of a model in this process."""
        tensors = model.state_dict()
        return cls({name: tuple(tensor.shape) for name, tensor in tensors.items()}, tensors.__getitem__)


def export(weights: WholeWeights, architecture: Architecture, folder: str, *, dtype: str = "fp32") -> None:
    """Writes the weights of an architecture. Raises InputError if transformers lacks it, or an option of it."""
    family = layout_module(architecture)
    config = family.config_of(architecture, weights.shapes["embedding.weight"][0])

    def read(name: str) -> Tensor:
        factor = architecture.factor(name)
        return weights.read(name) if factor == 1 else weights.read(name) * factor

    write_folder(folder, config, family.layout(config)[1], WholeWeights(weights.shapes, read), dtype=dtype)


class _Stored(NamedTuple):
    """A tensor of theirs, which holds some of ours on top of each other."""

    name: str
    ours: tuple[str, ...]
    transposed: bool
    shape: tuple[int, ...]


def write_folder(
    folder: str,
    config: Mapping[str, Any],
    sources: Mapping[str, TensorSource],
    weights: WholeWeights,
    *,
    dtype: str = "fp32",
    shard: int = SHARD,
) -> None:
    """`sources`: where each weight lies; `dtype`: a key of DTYPES; `shard`: bytes of a file at most, or of one tensor.
    The config is written last, so that a folder which has one is complete. Raises InputError for a weight that is too
    large for `dtype`."""
    assert weights.shapes.keys() == sources.keys(), "a layout names every weight"
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    size = DTYPES[dtype][1].itemsize
    stored = [*_stored(sources, weights.shapes)]
    shards = [*_shards(stored, shard // size)]
    files = [f"model-{number:05d}-of-{len(shards):05d}.safetensors" for number in range(1, len(shards) + 1)]
    if len(shards) == 1:
        files = [WEIGHTS]
    for file, tensors in zip(files, shards, strict=True):
        _write_file(place / file, tensors, weights.read, dtype)
    if len(files) > 1:
        total = sum(prod(tensor.shape) for tensor in stored) * size
        names = {tensor.name: file for file, tensors in zip(files, shards, strict=True) for tensor in tensors}
        _write_json(place / INDEX, {"metadata": {"total_size": total}, "weight_map": names})
    _write_json(place / CONFIG, {**config, "dtype": str(DTYPES[dtype][1]).removeprefix("torch.")})


def _stored(sources: Mapping[str, TensorSource], shapes: Mapping[str, tuple[int, ...]]) -> Iterator[_Stored]:
    """Their tensors in the order of ours."""
    for name in dict.fromkeys(source.name for source in sources.values()):
        parts = sorted((source.first, ours) for ours, source in sources.items() if source.name == name)
        ours = tuple(one for _, one in parts)
        shape = (sum(shapes[one][0] for one in ours), *shapes[ours[0]][1:])
        transposed = sources[ours[0]].transposed
        yield _Stored(name, ours, transposed, shape[::-1] if transposed else shape)


def _shards(tensors: list[_Stored], most: int) -> Iterator[list[_Stored]]:
    """Consecutive tensors of at most so many elements together, or one of more."""
    shard: list[_Stored] = []
    for tensor in tensors:
        if shard and sum(prod(one.shape) for one in (*shard, tensor)) > most:
            yield shard
            shard = []
        shard.append(tensor)
    yield shard


def _write_file(path: Path, tensors: list[_Stored], read: Callable[[str], Tensor], dtype: str) -> None:
    stated, kind = DTYPES[dtype]
    with path.open("wb") as file:
        file.write(header_of({tensor.name: (stated, tensor.shape) for tensor in tensors}))
        for tensor in tensors:
            parts = [read(name) for name in tensor.ours]
            whole = parts[0] if len(parts) == 1 else torch.cat(parts)
            numbers = (whole.T if tensor.transposed else whole).to("cpu", kind).contiguous()
            if dtype == "fp16" and not numbers.isfinite().all():
                raise InputError(f"{tensor.ours[0]} has numbers that fp16 cannot hold; write bf16 or fp32")
            file.write(numbers.reshape(-1).view(torch.uint8).numpy().data)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n")
