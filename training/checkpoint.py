"""The state of a run on disk: sharded checkpoints that are whole or absent, and the config that they belong to.

`checkpoints/step_N` holds the weights and optimizer moments after N updates, one file per process. It is complete
exactly when its `_manifest.json` exists, which is written last. There is no other state: the step number determines the
data, the learning rate and every draw. Weights are stored by name and global shape, so any number of processes can load
them.
"""

import json
import os
import re
from dataclasses import asdict
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.state_dict_loader import load as load_sharded
from torch.distributed.checkpoint.state_dict_saver import save as save_sharded
from torch.optim import Optimizer

from training.config import LOGISTICS, TrainConfig
from training.files import Folder, folder_at, make_folder, names_in, remove_file, remove_folder, write_whole
from training.parallel.mesh import Worker

MANIFEST = "_manifest.json"
_NAME = re.compile(r"step_(\d+)")


def folder_of(output: Folder, step: int) -> Folder:
    return output / "checkpoints" / f"step_{step}"


def complete_steps(output: Folder) -> list[int]:
    """Steps of the complete checkpoints, ascending."""
    return sorted(step for step, path in _folders(output) if (path / MANIFEST).exists())


def save(output: Folder, step: int, model: nn.Module, optimizer: Optimizer, worker: Worker) -> Folder:
    """Called by all processes together; replaces a checkpoint of the same step."""
    path = folder_of(output, step)
    if worker.first:
        _remove(path)
        make_folder(path)
    worker.wait()
    save_sharded(_state(model, optimizer), checkpoint_id=os.fspath(path))
    worker.wait()
    if worker.first:
        write_json(path / MANIFEST, {"step": step, "world_size": worker.world_size, "torch": str(torch.__version__)})
    worker.wait()
    return path


def load(output: Folder, step: int, model: nn.Module, optimizer: Optimizer) -> None:
    """Loads into a sharded model and its new optimizer; called by all processes together.

    Raises OSError if the files are damaged or belong to another model.
    """
    path = folder_of(output, step)
    state = _state(model, optimizer)
    try:
        load_sharded(state, checkpoint_id=os.fspath(path))
    except CheckpointException as error:  # derives from BaseException
        cause = next(iter(error.failures.values()))[0]
        raise OSError(f"{path} cannot be loaded: {cause}; delete it to go back to an earlier checkpoint") from error
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])


def prune(output: Folder, keep: int) -> None:
    """Deletes all but the `keep` newest complete checkpoints, and incomplete ones; called by one process."""
    kept = complete_steps(output)[-keep:]
    for step, path in _folders(output):
        if step not in kept:
            _remove(path)


def refuse_other_run(output: Folder, config: TrainConfig, data: str) -> None:
    """Raises ValueError if `output` holds a run with other settings, and names them; LOGISTICS may differ.

    `data` is the fingerprint of the token data.
    """
    path = output / "config.json"
    if not path.exists():
        return
    earlier = _flat(read_json(path))
    differing = [
        f"{name} (was {earlier.get(name)}, now {value})"
        for name, value in _flat({"config": asdict(config), "data": data}).items()
        if earlier.get(name) != value and name.removeprefix("config.") not in LOGISTICS
    ]
    if differing:
        raise ValueError(
            f"{output} holds a run with other settings: {', '.join(differing)}; restore them, or give another output"
        )


def claim(output: Folder, config: TrainConfig, data: str, path: str) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed."""
    make_folder(output)
    write_json(output / "config.json", {"config": asdict(config), "data": data, "path": absolute(path)})


def absolute(path: str) -> str:
    """A local path made absolute, a URI as it is."""
    return str(folder_at(path))


def finished(output: Folder) -> dict[str, Any] | None:
    """The content of result.json, or None if there is none yet."""
    path = output / "result.json"
    return read_json(path) if path.exists() else None


def read_json(path: Folder) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def write_json(path: Folder, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    write_whole(path, json.dumps(content, indent=2).encode() + b"\n")


def _state(model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    model_state, optimizer_state = get_state_dict(model, optimizer)
    return {"model": model_state, "optimizer": optimizer_state}


def _folders(output: Folder) -> list[tuple[int, Folder]]:
    folder = output / "checkpoints"
    return [(int(match[1]), folder / name) for name in names_in(folder) if (match := _NAME.fullmatch(name))]


def _remove(path: Folder) -> None:
    # The manifest goes first, so that a deletion cut short never leaves something that looks complete.
    remove_file(path / MANIFEST)
    remove_folder(path)


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
