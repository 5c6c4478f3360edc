"""A folder that `save_pretrained` wrote: what its files say of a classifier, read without the libraries that run it.

Weights are read from `safetensors` files alone, since other formats may run code when they are opened.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from curation.core import storage
from curation.core.errors import InputError

Model: TypeAlias = str | tuple[str, ...]  # the folder, or the files in it that are used
Output: TypeAlias = Literal["value", "sigmoid", "softmax"]

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
SETTINGS = "tokenizer_config.json"
TOKENIZER_FILES = (TOKENIZER, SETTINGS, "special_tokens_map.json", "added_tokens.json")
SUFFIX = "ForSequenceClassification"


@dataclass(frozen=True)
class SequenceClassifier:
    """`labels` has a name per output; `most_tokens` is what the model takes, special tokens included."""

    folder: Path
    files: tuple[str, ...]
    architecture: str
    labels: tuple[str, ...]
    output: Output
    most_tokens: int
    weight_bytes: int


def opened(model: Model) -> SequenceClassifier:
    """The classifier in a folder. Raises InputError if it is missing, incomplete, damaged or none."""
    folder = _folder(model)
    config = _json(folder / CONFIG)
    architecture = str((config.get("architectures") or ["model without a name"])[0])
    if not architecture.endswith(SUFFIX):
        raise InputError(f"{folder} holds a {architecture}, which does not classify texts; give a …{SUFFIX}")
    if any(name in config.get("auto_map", {}) for name in ("AutoConfig", f"AutoModel{SUFFIX}")):
        raise InputError(f"{folder} needs Python code of its own, which winnow does not run; give a model without")
    if not (folder / TOKENIZER).is_file():
        raise InputError(f"{folder} has no {TOKENIZER}; save the model's tokenizer into it with `save_pretrained`")
    _json(folder / TOKENIZER)
    settings = _json(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    weights = list(_weights(folder))
    names = [name for name in (CONFIG, INDEX, *TOKENIZER_FILES) if (folder / name).is_file()]
    most = [config.get("max_position_embeddings"), settings.get("model_max_length")]
    return SequenceClassifier(
        folder,
        tuple(str(path) for path in (*(folder / name for name in names), *weights)),
        architecture,
        _labels(folder, config),
        _output(config),
        min((int(value) for value in most if isinstance(value, int | float)), default=1 << 30),
        sum(path.stat().st_size for path in weights),
    )


def _folder(model: Model) -> Path:
    path = Path(model) if isinstance(model, str) else Path(model[0]).parent
    where = model if isinstance(model, str) else model[0]
    if storage.in_store(where):
        raise InputError(f"{where} is in a store; copy the model's folder to a disk that every node has")
    if not path.is_dir():
        raise InputError(f"no model's folder at {path}; give one that `save_pretrained` wrote: nothing is downloaded")
    if not (path / CONFIG).is_file():
        raise InputError(f"{path} has no {CONFIG}, so it holds no model; give a folder that `save_pretrained` wrote")
    return path


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}; copy the model again") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} is damaged: it holds no fields; copy the model again")
    return content


def _weights(folder: Path) -> Iterator[Path]:
    """The files of weights, each checked to be whole."""
    names = [WEIGHTS]
    if (folder / INDEX).is_file():
        weights = _json(folder / INDEX).get("weight_map")
        if not isinstance(weights, dict) or not weights:
            raise InputError(f"{folder / INDEX} is damaged: it names no files; copy the model again")
        names = sorted(set(weights.values()))
    for name in names:
        if not (folder / name).is_file():
            raise InputError(
                f"{folder} has no {name}; copy the model again, or save one with pickled weights anew with "
                "`save_pretrained`, which writes safetensors"
            )
        if not _is_whole(folder / name):
            raise InputError(f"{folder / name} is damaged: its size is not what its header says; copy the model again")
        yield folder / name


def _is_whole(path: Path) -> bool:
    """Whether a safetensors file is as long as its header says: 8 bytes of the header's size, JSON, the tensors."""
    with path.open("rb") as file, suppress(ValueError, KeyError, TypeError, AttributeError):
        size = int.from_bytes(file.read(8), "little")
        if size < path.stat().st_size:
            tensors = {name: one for name, one in json.loads(file.read(size)).items() if name != "__metadata__"}
            ends = [tensor["data_offsets"][1] for tensor in tensors.values()]
            return bool(8 + size + max(ends) == path.stat().st_size)
    return False


def _labels(folder: Path, config: dict[str, Any]) -> tuple[str, ...]:
    names = config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
    try:
        return tuple(str(names[str(number)]) for number in range(len(names)))
    except (KeyError, TypeError) as error:
        raise InputError(f"{folder / CONFIG} is damaged: its labels are {names!r}") from error


def _output(config: dict[str, Any]) -> Output:
    """What becomes of the model's numbers, as in the pipeline of `transformers`."""
    kind = config.get("problem_type")
    if kind == "regression":
        return "value"
    several = kind == "single_label_classification" or len(config.get("id2label") or "..") > 1
    return "softmax" if several and kind != "multi_label_classification" else "sigmoid"
