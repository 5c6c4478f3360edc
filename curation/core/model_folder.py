"""Reads what a folder that `save_pretrained` wrote says of its model, without the libraries that run it.

The files are `config.json`, and weights in one file or in several that an index names. An index names files of its own
folder, and the sizes in a config must go with the weights that are there: before that a library would build a model of
any size.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from curation.core.errors import InputError
from curation.core.tensor_header import StatedTensor, stated_tensors

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"  # of weights in several files
MOST_JSON = 64 << 20  # bytes of a file
MOST_PARTS = 1024  # layers, experts and other parts of which a model has several
MOST_SIZE = 1 << 32  # of any other number of a config
_PARTS = re.compile(r"layers?$|blocks?$|depth|stages?$|experts?$|^n_layer|num_(?:\w{1,40}_)?(?:layers|blocks)")
_WIDTH = re.compile(r"(?:hidden|intermediate|embedding|vocab)_size|_dim$|_width$|^d_model|^d_ff|^n_embd|^dim$")
_ANY_SIZE = re.compile(r"max_length|max_window_layers|_ids?$|seed|theta|scale|version")  # make no part of a model


def read_fields(path: Path) -> dict[str, Any]:
    """The fields of a JSON file. Raises InputError for a damaged one."""
    try:
        if path.stat().st_size > MOST_JSON:
            raise ValueError(f"it has {path.stat().st_size:,} bytes, more than {MOST_JSON:,}")
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(content, dict):
        raise _damaged(path, "it holds no fields")
    return content


def weight_files(folder: Path) -> Iterator[Path]:
    """The files of weights, in the order of their names. Raises InputError where one is missing, or outside."""
    names = [WEIGHTS]
    if (folder / INDEX).is_file():
        weights = read_fields(folder / INDEX).get("weight_map")
        if not isinstance(weights, dict) or not weights or not all(isinstance(name, str) for name in weights.values()):
            raise _damaged(folder / INDEX, "it names no files")
        names = sorted(set(weights.values()))
    for name in names:
        if name != Path(name).name or not name.endswith(".safetensors"):
            raise _damaged(folder / INDEX, f"it names {name[:200]!r}, which is no safetensors file of its own folder")
        if not (folder / name).is_file():
            raise InputError(
                f"{folder} has no {name}; copy the model again, or save one with pickled weights anew with "
                "`save_pretrained`, which writes safetensors"
            )
        yield folder / name


def read_tensors(files: Iterator[Path]) -> dict[str, StatedTensor]:
    """The stated tensors of all files, by name. Raises InputError for a damaged file, and for a tensor in two."""
    tensors: dict[str, StatedTensor] = {}
    for path in files:
        try:
            own = stated_tensors(path)
        except ValueError as error:
            raise _damaged(path, str(error)) from error
        if twice := own.keys() & tensors.keys():
            raise _damaged(path, f"it holds {min(twice)[:100]!r}, which another file holds")
        tensors |= own
    return tensors


def check_sizes(path: Path, config: Mapping[str, Any], tensors: Mapping[str, StatedTensor]) -> None:
    """Raises InputError for a config of a model that the weights cannot be of, by its numbers alone."""
    weights = sum(math.prod(tensor.shape) for tensor in tensors.values())
    held = f"a model of {weights:,} weights in {len(tensors):,} tensors"
    for name, value in _numbers(config):
        least, most = _bounds(name, weights, len(tensors))
        if not _ANY_SIZE.search(name) and not least <= value <= most:
            raise _damaged(path, f"{name[:100]} is {str(value)[:40]}, which is no size of {held}")


def checked_folder(folder: Path) -> tuple[dict[str, Any], int]:
    """The config of a folder, and how many weights its files hold. Raises InputError for a damaged folder."""
    config = read_fields(folder / CONFIG)
    tensors = read_tensors(weight_files(folder))
    check_sizes(folder / CONFIG, config, tensors)
    return config, sum(math.prod(tensor.shape) for tensor in tensors.values())


def _bounds(name: str, weights: int, tensors: int) -> tuple[int, int]:
    """The least and the largest number that a config may have under a name; -1 stands for none."""
    if _PARTS.search(name):
        return -1, min(MOST_PARTS, tensors)
    return (-1, weights) if _WIDTH.search(name) else (-MOST_SIZE, MOST_SIZE)


def _numbers(content: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Whole numbers of nested content, and what is none though it is a number, with the names that they stand under."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _numbers(value, str(key))
    elif isinstance(content, list):
        for value in content:
            yield from _numbers(value, name)
    elif type(content) is int or (type(content) is float and not math.isfinite(content)):
        yield name, content


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is damaged: {reason}; copy the model again")
