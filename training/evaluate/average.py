"""The mean of the weights of a run's last checkpoints, as a checkpoint of its own.

Where the learning rate is constant it does what a decay would, and costs no step: the merge of a warmup-stable run.
Sources: Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima" (arXiv:1803.05407); Kaddour 2022, "Stop Wasting
My Time!" (arXiv:2209.14981); Tian et al. 2025, "WSM" (arXiv:2507.17634).
"""

import torch

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.step_rows import read_skipped, write_skipped
from training.checkpoint.manifest import CheckpointManifest, file_name, folder_of, write_manifest
from training.checkpoint.run_record import read_run_file, write_json
from training.checkpoint.state import held_weights, shapes_in
from training.checkpoint.tensor_files import write_tensors
from training.evaluate.trained import TrainedRun


def average(run: TrainedRun, last: int, output: str) -> str:
    """Writes the mean of the last checkpoints to a folder, which has the layout of a training with one checkpoint, of
    weights alone; returns the checkpoint. Each is read once, and one and a tensor are in memory at a time.

    Raises InputError if there are fewer, or the folder has a training already."""
    steps = run.steps[-last:]
    if len(steps) < max(last, 2):
        raise InputError(
            f"{run.folder} has {len(run.steps)} complete checkpoints, and a mean of {last} is asked for; give from 2 "
            "to that many, and keep more by keep_checkpoints or keep_every"
        )
    if storage.exists(storage.join(output, "config.json")):
        raise InputError(f"{output} holds a training already; give another output")
    mean = run.load(steps[0])
    with torch.no_grad():
        for number, step in enumerate(steps[1:], 2):
            other = run.weights(step)
            for name, weight in mean.named_parameters():
                weight.lerp_(other.read(name).to(weight.device), 1 / number)
    folder = folder_of(output, steps[-1])
    storage.make_folder(folder)
    tensors = held_weights(mean, first=True)
    files = {file_name(0): write_tensors(storage.join(folder, file_name(0)), tensors)}
    averaged = {"run": storage.absolute(run.folder), "steps": steps}
    write_json(storage.join(output, "config.json"), {**read_run_file(run.folder), "averaged": averaged})
    if skipped := read_skipped(run.folder):
        write_skipped(output, skipped)
    write_manifest(folder, CheckpointManifest(steps[-1], 1, str(torch.__version__), shapes_in(tensors), files))
    return folder
