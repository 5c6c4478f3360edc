"""A folder that `save_pretrained` wrote: what its files say of a classifier, read without the libraries that run it.

Weights are read from `safetensors` files alone, since other formats may run code when they are opened.
"""

from dataclasses import dataclass
from math import inf, prod
from pathlib import Path
from typing import Any, Literal, TypeAlias

from curation.core import storage
from curation.core.errors import InputError
from curation.core.model_folder import CONFIG, INDEX, check_sizes, read_fields, read_tensors, weight_files

Model: TypeAlias = str | tuple[str, ...]  # the folder, or the files in it that are used
Output: TypeAlias = Literal["value", "sigmoid", "softmax"]

TOKENIZER = "tokenizer.json"
SETTINGS = "tokenizer_config.json"
TOKENIZER_FILES = (TOKENIZER, SETTINGS, "special_tokens_map.json", "added_tokens.json")
SUFFIX = "ForSequenceClassification"


@dataclass(frozen=True)
class SequenceClassifier:
    """`labels` has a name per output; `most_tokens` is what the model takes, special tokens included; `weights` counts
    the numbers in the files of weights."""

    folder: Path
    files: tuple[str, ...]
    architecture: str
    labels: tuple[str, ...]
    output: Output
    most_tokens: int
    weight_bytes: int
    weights: int


def opened(model: Model) -> SequenceClassifier:
    """The classifier in a folder. Raises InputError if it is missing, incomplete, damaged or none."""
    folder = _folder(model)
    config = read_fields(folder / CONFIG)
    architecture = _architecture(config)
    if not architecture.endswith(SUFFIX):
        raise InputError(f"{folder} holds a {architecture}, which does not classify texts; give a …{SUFFIX}")
    if any(name in str(config.get("auto_map")) for name in ("AutoConfig", f"AutoModel{SUFFIX}")):
        raise InputError(f"{folder} needs Python code of its own, which winnow does not run; give a model without")
    if not (folder / TOKENIZER).is_file():
        raise InputError(f"{folder} has no {TOKENIZER}; save the model's tokenizer into it with `save_pretrained`")
    read_fields(folder / TOKENIZER)
    settings = read_fields(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    weights = list(weight_files(folder))
    tensors = read_tensors(iter(weights))
    check_sizes(folder / CONFIG, config, tensors)
    names = [name for name in (CONFIG, INDEX, *TOKENIZER_FILES) if (folder / name).is_file()]
    most = [config.get("max_position_embeddings"), settings.get("model_max_length")]
    return SequenceClassifier(
        folder,
        tuple(str(path) for path in (*(folder / name for name in names), *weights)),
        architecture,
        _labels(folder, config),
        _output(config),
        min((int(value) for value in most if isinstance(value, int | float) and 0 < value < inf), default=1 << 30),
        sum(path.stat().st_size for path in weights),
        sum(prod(tensor.shape) for tensor in tensors.values()),
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


def _architecture(config: dict[str, Any]) -> str:
    names = config.get("architectures")
    return str(names[0]) if isinstance(names, list) and names else "model without a name"


def _labels(folder: Path, config: dict[str, Any]) -> tuple[str, ...]:
    names = config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
    try:
        return tuple(str(names[str(number)]) for number in range(len(names)))
    except (KeyError, TypeError) as error:
        raise InputError(f"{folder / CONFIG} is damaged: its labels are {str(names)[:200]}") from error


def _output(config: dict[str, Any]) -> Output:
    """What becomes of the model's numbers, as in the pipeline of `transformers`."""
    kind = config.get("problem_type")
    if kind == "regression":
        return "value"
    names = config.get("id2label")
    several = kind == "single_label_classification" or not isinstance(names, dict) or len(names) != 1
    return "softmax" if several and kind != "multi_label_classification" else "sigmoid"
