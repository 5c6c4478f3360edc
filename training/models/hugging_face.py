"""Model folders in the layout of Hugging Face's transformers: `config.json`, and weights in safetensors files.

The module `huggingface` beside a family of models has two functions: `config_of(architecture, vocabulary)`, the config
of such a model, which raises InputError for what transformers lacks, and its inverse `layout(config)`: our options, and
where each of our tensors lies in theirs. Families without that module are kept in safetensors by their own names only.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from curation.core.errors import InputError
from curation.core.model_folder import WEIGHTS, checked_folder, weight_files
from curation.core.staged_folder import staged
from curation.core.tensor_header import StatedTensor, stated_tensors
from training.config.components import Architecture

NUMBERS = ("F64", "F32", "BF16", "F16")  # types of weights that are read
# Tensors that no option decides: what older versions of transformers kept beside the weights, and the output matrix of
# models that use the embedding.
UNUSED = re.compile(r"rotary_emb\.inv_freq$|\.attn\.(masked_)?bias$|^lm_head\.weight$")


@dataclass(frozen=True)
class TensorSource:
    """Rows of a tensor of theirs, from `first` on along its dimension of outputs; None: all of them. `transposed`: it
    is stored as [inputs, outputs]."""

    name: str
    first: int = 0
    rows: int | None = None
    transposed: bool = False


Layout = Callable[[Mapping[str, Any]], tuple[dict[str, Any], dict[str, TensorSource]]]


@dataclass(frozen=True)
class FolderWeights:
    """The weights of a folder by our names. Files are mapped into memory, so processes of a node share what they read,
    and only the rows that are asked for are read."""

    options: Mapping[str, Any]  # of our architecture
    shapes: Mapping[str, tuple[int, ...]]
    sources: Mapping[str, TensorSource]
    files: Mapping[str, Path]  # that hold each of their tensors

    def box(self, name: str, start: Sequence[int], shape: Sequence[int]) -> Tensor:
        """The elements of one of our tensors from `start` on, in their type there; a view of the mapped file."""
        source = self.sources[name]
        place = [slice(begin, begin + size) for begin, size in zip(start, shape, strict=True)]
        place[0] = slice(source.first + start[0], source.first + start[0] + shape[0])
        if source.transposed:
            place.reverse()
        theirs = _stored(source.name, self.files)
        with safe_open(self.files[theirs], "pt") as file:
            found: Tensor = file.get_slice(theirs)[tuple(place)]
        return found.T if source.transposed else found


def read_folder(folder: str, layout: Layout) -> FolderWeights:
    """Reads the config and the headers of the weights. Raises InputError for a folder that cannot be read, or whose
    model is none of the layout's."""
    advice = "give a folder that `save_pretrained` wrote"
    try:
        place = staged(folder)
        config, _ = checked_folder(place)
        files = {name: (path, one) for path in weight_files(place) for name, one in stated_tensors(path).items()}
        options, sources = layout(config)
        used = {ours: _stored(source.name, files) for ours, source in sources.items()}
    except InputError:
        raise
    except OSError as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{folder} cannot be read as a model of transformers ({reason}); {advice}, with config.json and {WEIGHTS}"
        ) from error
    except KeyError as error:
        raise InputError(f"the model in {folder} has no {error.args[0]}; {advice}") from error
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{folder}/config.json has an option of another kind than a model's ({reason}); {advice}"
        ) from error
    if unknown := sorted(name for name in files.keys() - used.values() if not UNUSED.search(name)):
        kind = config.get("model_type")
        raise InputError(f"the model in {folder} has {unknown[0]}, which a {kind} of its config.json has not; {advice}")
    shapes = {ours: _shape(folder, sources[ours], files[theirs][1]) for ours, theirs in used.items()}
    return FolderWeights(options, shapes, sources, {name: path for name, (path, _) in files.items()})


def layout_module(architecture: Architecture) -> ModuleType:
    """The module `huggingface` of its family. Raises InputError if transformers has no layout for it."""
    home = type(architecture).__module__
    try:
        found = find_spec(f"{home}.huggingface")
    except ModuleNotFoundError:  # the architecture is one file
        found = None
    if found is None:
        raise InputError(
            f"winnow knows no layout of transformers for a {type(architecture).__name__}; a decoder or an encoder has "
            "one, others are kept as checkpoints, whose files are safetensors too"
        )
    return import_module(found.name)


def sources_of(
    architecture: Architecture, vocabulary: int, names: Mapping[str, str], *, transposed: bool = False
) -> dict[str, TensorSource]:
    """Where each tensor of a model lies. `names`: ours of modules -> theirs; several with one of theirs are stacked in
    our order. `transposed`: matrices of blocks are."""
    with torch.device("meta"):
        tensors = architecture.build(vocabulary).state_dict()
    theirs = {name: _their_name(name, names) for name in tensors}
    parts = Counter(theirs.values())
    sources = {}
    ends: Counter[str] = Counter()
    for name, tensor in tensors.items():
        their = theirs[name]
        rows = len(tensor) if parts[their] > 1 else None
        turned = transposed and tensor.dim() > 1 and name.startswith("blocks.")
        sources[name] = TensorSource(their, ends[their], rows, transposed=turned)
        ends[their] += rows or 0
    return sources


def _their_name(name: str, names: Mapping[str, str]) -> str:
    module, _, suffix = name.rpartition(".")
    if not module.startswith("blocks."):
        return f"{names[module]}.{suffix}" if module else names[name]
    _, number, inside = module.split(".", 2)
    return f"{names['blocks']}.{number}.{names[inside]}.{suffix}"


def refuse_others(config: Mapping[str, Any], fixed: Mapping[str, Any]) -> None:
    """Raises InputError if an option has another value than the only one that our model has; absent ones have it."""
    for name, value in fixed.items():
        if (given := config.get(name, value)) != value:
            raise InputError(f"{name} is {given!r} in config.json; only models with {value!r} can be read")


def _stored(name: str, files: Mapping[str, Any]) -> str:
    """The name of a tensor in these files, which older ones store without the name of the model around it."""
    short = name.partition(".")[2]
    if name not in files and short not in files:
        raise KeyError(name)
    return name if name in files else short


def _shape(folder: str, source: TensorSource, stated: StatedTensor) -> tuple[int, ...]:
    """The shape of our tensor."""
    outputs, *inputs = (stated.shape[::-1] if source.transposed else stated.shape) or (0,)
    rows = outputs - source.first if source.rows is None else source.rows
    if stated.dtype not in NUMBERS or not stated.shape or rows < 0 or source.first + rows > outputs:
        raise InputError(
            f"{source.name} in {folder} is {stated.dtype}{list(stated.shape)}, from which no weights can be read; give "
            f"a folder that `save_pretrained` wrote, in one of {', '.join(NUMBERS)}"
        )
    return rows, *inputs
