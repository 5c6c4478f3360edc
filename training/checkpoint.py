"""The state of a run on disk: sharded checkpoints that are whole or absent, and the config that they belong to.

`checkpoints/step_N` holds the weights and optimizer moments after N updates, one file per process. It is complete
exactly when its `_manifest.json` exists, which is written last. There is no other state: the step number determines the
data, the learning rate and every draw. Weights are stored by name and global shape, so any number of processes can load
them.
"""

import json
import re
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.state_dict_loader import load as load_sharded
from torch.distributed.checkpoint.state_dict_saver import save as save_sharded
from torch.optim import Optimizer

from curation.core import storage
from training.config import LOGISTICS, TrainConfig
from training.parallel.mesh import Worker

MANIFEST = "_manifest.json"
_NAME = re.compile(r"step_(\d+)")


def folder_of(output: str, step: int) -> str:
    return storage.join(output, "checkpoints", f"step_{step}")


def complete_steps(output: str) -> list[int]:
    """Steps of the complete checkpoints, ascending."""
    return sorted(step for step, path in _folders(output) if storage.exists(storage.join(path, MANIFEST)))


def save(output: str, step: int, model: nn.Module, optimizer: Optimizer, worker: Worker) -> str:
    """Called by all processes together; replaces a checkpoint of the same step."""
    path = folder_of(output, step)
    if worker.first:
        _remove(path)
        storage.make_folder(path)
    worker.wait()
    save_sharded(_state(model, optimizer), checkpoint_id=path)
    worker.wait()
    if worker.first:
        write_json(
            storage.join(path, MANIFEST),
            {"step": step, "world_size": worker.world_size, "torch": str(torch.__version__)},
        )
    worker.wait()
    return path


def load(output: str, step: int, model: nn.Module, optimizer: Optimizer) -> None:
    """Loads into a sharded model and its new optimizer; called by all processes together.

    Raises OSError if the files are damaged or belong to another model.
    """
    path = folder_of(output, step)
    state = _state(model, optimizer)
    try:
        load_sharded(state, checkpoint_id=path)
    except CheckpointException as error:  # derives from BaseException
        cause = next(iter(error.failures.values()))[0]
        raise OSError(f"{path} cannot be loaded: {cause}; delete it to go back to an earlier checkpoint") from error
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])


def prune(output: str, keep: int) -> None:
    """Deletes all but the `keep` newest complete checkpoints, and incomplete ones; called by one process."""
    kept = complete_steps(output)[-keep:]
    for step, path in _folders(output):
        if step not in kept:
            _remove(path)


def refuse_other_run(output: str, config: TrainConfig, data: str) -> None:
    """Raises ValueError if `output` holds a run with other settings, and names them; LOGISTICS may differ.

    `data` is the fingerprint of the token data.
    """
    path = storage.join(output, "config.json")
    if not storage.exists(path):
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


def claim(output: str, config: TrainConfig, data: str, path: str) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed."""
    record = {"config": asdict(config), "data": data, "path": storage.absolute(path)}
    write_json(storage.join(output, "config.json"), record)


def finished(output: str) -> dict[str, Any] | None:
    """The content of result.json, or None if there is none yet."""
    path = storage.join(output, "result.json")
    return read_json(path) if storage.exists(path) else None


def read_json(path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(storage.read_bytes(path))
    return content


def write_json(path: str, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    storage.replace_bytes(path, json.dumps(content, indent=2).encode() + b"\n")


def _state(model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    model_state, optimizer_state = get_state_dict(model, optimizer)
    return {"model": model_state, "optimizer": optimizer_state}


def _folders(output: str) -> list[tuple[int, str]]:
    names = storage.list_names(storage.join(output, "checkpoints"))
    steps = [int(match[1]) for name in names if (match := _NAME.fullmatch(name))]
    return [(step, folder_of(output, step)) for step in steps]


def _remove(path: str) -> None:
    # The manifest goes first, so that a deletion cut short never leaves something that looks complete.
    storage.delete_file(storage.join(path, MANIFEST))
    with suppress(OSError):  # NFS keeps a folder in which somebody reads a file; the next `prune` deletes it
        storage.delete_folder(path)


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
