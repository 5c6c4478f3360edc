"""Folders in the layout of Hugging Face's transformers: `config.json`, and weights in one or several safetensors files.

Models that have no `huggingface` module are kept in safetensors by their own names only.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from curation.core.errors import InputError
from curation.core.model_folder import WEIGHTS, checked_folder, weight_files


def read_folder(folder: str, fixed: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The config and all tensors by their names there. Raises InputError for a folder that cannot be read, or whose
    config gives an option another value than the `fixed` one."""
    place = Path(folder)
    try:
        config, _ = checked_folder(place)
        refuse_others(config, fixed)
        tensors = [load_file(path) for path in weight_files(place)]
    except (OSError, SafetensorError) as error:
        raise InputError(
            f"{folder} cannot be read as a model of transformers ({type(error).__name__}: {error}); give a folder that "
            f"`save_pretrained` wrote, with config.json and {WEIGHTS}"
        ) from error
    return config, {name: tensor for file in tensors for name, tensor in file.items()}


@contextmanager
def options_of(folder: str) -> Iterator[None]:
    """Raises InputError where a config has a value of another kind than a model's option."""
    try:
        yield
    except InputError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        raise InputError(
            f"{folder}/config.json has an option of another kind than a model's ({type(error).__name__}: {error}); "
            "give a folder that `save_pretrained` wrote"
        ) from error


def write_folder(folder: str, config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """The config is written last, so that a folder which has one is whole."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, place / WEIGHTS, {"format": "pt"})
    (place / WEIGHTS).chmod(0o644)  # as the files beside it; safetensors lets the owner alone read
    (place / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def check_holds(folder: str, found: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raises InputError if an option or a tensor is not there."""
    if absent := [name for name in names if name not in found]:
        raise InputError(f"the model in {folder} has no {absent[0]}; give a folder that `save_pretrained` wrote")


def refuse_others(config: Mapping[str, Any], fixed: Mapping[str, Any]) -> None:
    """Raises InputError if an option has another value than the only one that our model has; absent ones have it."""
    for name, value in fixed.items():
        if (given := config.get(name, value)) != value:
            raise InputError(f"{name} is {given!r} in config.json; only models with {value!r} can be read")
