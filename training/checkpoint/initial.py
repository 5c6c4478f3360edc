"""The weights that a training begins with, of another one or of a folder in Hugging Face's layout.

    winnow train t5_base --init runs/pretrained …      a run (its newest checkpoint), a checkpoint, or such a folder

Only weights are taken: the optimizer, the schedule and the data begin anew, also under another objective.
"""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from curation.core import storage
from curation.core.errors import InputError
from training.checkpoint.manifest import (
    MANIFEST,
    DamagedError,
    TensorFile,
    TensorShape,
    complete_steps,
    folder_of,
    read_sound_manifest,
    sound,
)
from training.checkpoint.state import TensorBox, held_weights, shapes_in
from training.checkpoint.tensor_files import fill, what_is_wrong
from training.config.components import Architecture
from training.models.folder_writer import WholeWeights
from training.models.hugging_face import layout_module, read_folder
from training.parallel.mesh import Worker
from training.trainable import Trainable

_MODEL = "model."  # before the names of weights in a checkpoint


def refuse_other_shapes(source: str, architecture: Architecture, model: Trainable, options: str = "") -> None:
    """Raises InputError unless the weights have the names and shapes of a model of the architecture, which may be on
    the meta device: so no memory is taken for others. It names the `options` that differ, or else the first weight."""
    if folder := _checkpoint(source):
        tensors = read_sound_manifest(folder).tensors
        found = {name: one for name, one in tensors.items() if name.startswith(_MODEL)}
    else:
        shapes = read_folder(source, layout_module(architecture).layout).shapes
        found = {f"{_MODEL}{name}": TensorShape("F32", shape) for name, shape in shapes.items()}
    own = shapes_in(held_weights(model, first=True))
    if other := sorted(name for name in own.keys() | found.keys() if own.get(name) != found.get(name)):
        there, here = (shapes.get(other[0], "absent") for shapes in (found, own))
        problem = options or f"{other[0].removeprefix(_MODEL)} is {there} there and {here} here"
        raise InputError(f"the weights of {source} do not fit the model: {problem}; give the model that they are of")


def begin_with(source: str, architecture: Architecture, model: nn.Module, worker: Worker | None = None) -> None:
    """Copies the weights, which have the model's names and shapes, into a model; each process copies its own boxes, and
    reads its share of the files of a checkpoint against their checksums; without a `worker`, all of them.

    Raises InputError for a damaged checkpoint."""
    held = held_weights(model, first=True)
    if folder := _checkpoint(source):
        files = read_sound_manifest(folder).files
        mine = sorted(files)[worker.rank :: worker.world_size] if worker else files
        _check(folder, {name: files[name] for name in mine})
        _fill(folder, files, held)
        return
    weights = read_folder(source, layout_module(architecture).layout)
    for name, box in held.items():
        if box.local.numel():
            with torch.no_grad():
                box.local.copy_(weights.box(name.removeprefix(_MODEL), box.start, box.local.shape))


def checkpoint_weights(folder: str) -> WholeWeights:
    """The weights of a checkpoint, each put together of its pieces where it is asked for. Raises InputError if
    the checkpoint is damaged."""
    manifest = read_sound_manifest(folder)
    _check(folder, manifest.files)
    shapes = {name.removeprefix(_MODEL): one.shape for name, one in manifest.tensors.items() if name.startswith(_MODEL)}

    def read(name: str) -> Tensor:
        key = f"{_MODEL}{name}"
        whole = torch.empty(shapes[name])
        pieces = {
            file: replace(stated, pieces={key: stated.pieces[key]})
            for file, stated in manifest.files.items()
            if key in stated.pieces
        }
        _fill(folder, pieces, {key: TensorBox(manifest.tensors[key], whole, (0,) * whole.dim(), writes=False)})
        return whole

    return WholeWeights(shapes, read)


def _check(folder: str, files: Mapping[str, TensorFile]) -> None:
    with sound(folder):
        if problem := what_is_wrong(folder, files):
            raise DamagedError(problem)


def _fill(folder: str, files: Mapping[str, TensorFile], tensors: Mapping[str, TensorBox]) -> None:
    with sound(folder):
        fill(folder, files, tensors)


def newest_of(source: str) -> str:
    """The newest checkpoint if it is a training, which may go on meanwhile; else itself."""
    return _checkpoint(source) or source


def _checkpoint(source: str) -> str:
    """The folder of the checkpoint; empty where it is in Hugging Face's layout."""
    if storage.exists(storage.join(source, MANIFEST)):
        return source
    if steps := complete_steps(source):
        return folder_of(source, steps[-1])
    if not storage.exists(storage.join(source, "config.json")):
        raise InputError(f"{source} is neither a training nor a checkpoint nor a folder in Hugging Face's layout")
    return ""
