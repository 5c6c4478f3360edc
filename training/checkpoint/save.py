"""Saves a checkpoint: each process writes its boxes of the tensors, the first one then the manifest."""

import torch

from curation.core import storage
from training.checkpoint.manifest import CheckpointManifest, file_name, folder_of, write_manifest
from training.checkpoint.retention import prune, remove
from training.checkpoint.state import held_tensors
from training.checkpoint.tensor_files import write_tensors
from training.parallel.mesh import Worker
from training.trainee import Trainee


def save(output: str, step: int, trainee: Trainee, worker: Worker, *, keep: int, every: int | None = None) -> str:
    """Called by all processes together; replaces a checkpoint of the same step, and returns its folder. `keep` and
    `every` say which others stay (see `training.checkpoint.retention`)."""
    path = folder_of(output, step)
    if worker.first:
        remove(path)
        storage.make_folder(path)
    tensors = held_tensors(trainee, first=worker.first)
    worker.wait()
    name = file_name(worker.rank)
    files = dict(worker.gather((name, write_tensors(storage.join(path, name), tensors))))
    if worker.first:
        whole = {name: held.whole for name, held in tensors.items()}
        write_manifest(path, CheckpointManifest(step, worker.world_size, str(torch.__version__), whole, files))
        prune(output, keep, step, every)
    worker.wait()
    return path
