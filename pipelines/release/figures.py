"""What is told of the weights that are released, which may be of an earlier checkpoint or a mean."""

from typing import Any

from curation.core import storage
from curation.tokens.step_rows import tokens_read
from training.checkpoint.run_record import read_run_file
from training.config.arithmetic import step_rows
from training.data.check import PreparedData
from training.evaluate.losses import ALL, losses_by_source, sample
from training.evaluate.trained import TrainedRun
from training.metrics.records import read_records
from training.trainable import Trainable

OF_ALL = ("unigram_entropy", "parameters", "world_size", "data_fingerprint", "energy")  # whatever the checkpoint

Record = dict[str, Any]


def judged_here(run: TrainedRun, result: Record) -> bool:
    """Whether the weights are others than those that the training ended with, which were judged there."""
    return run.steps[-1] != result["steps"] or bool(averaged(run))


def figures(run: TrainedRun, result: Record, model: Trainable | None, prepared: PreparedData) -> Record:
    """The fields of result.json for these weights. `model`: weights that are judged here, on as many rows of the
    validation split; others need none."""
    step = run.steps[-1]
    if model is None or not judged_here(run, result):
        return {name: value for name, value in result.items() if name != "data"}  # no path of this machine
    rows = sample(prepared, "validation", prepared.config.validation_rows, step)
    found = losses_by_source(model, rows, prepared.utf8_bytes)
    overall = found.pop(ALL).record()
    length = prepared.config.sequence_length or prepared.data.sequence_length
    parent = read_run_file(run.folder).get("parent")
    return {
        "validation_loss": overall["loss"],
        "perplexity": overall["perplexity"],
        "bits_per_byte": overall["bits_per_byte"],
        "labels": overall["labels"],
        "steps": step,
        "tokens": tokens_read(step, step_rows(prepared.config), parent["segments"] if parent else (), length),
        **({"sources": {name: one.record() for name, one in found.items()}} if len(found) > 1 else {}),
        **{name: result[name] for name in OF_ALL},
    }


def averaged(run: TrainedRun) -> Record:
    """The training (`run`) and the `steps` whose mean it is; empty if it is no mean."""
    return {**read_run_file(run.folder).get("averaged", {})}


def layouts(training: str) -> list[dict[str, int]]:
    """How many processes each axis had where the training began and where it was resumed, those above 1; each once."""
    path = storage.join(training, "metrics.jsonl")
    records = read_records(path) if storage.exists(path) else []
    found = [record["layout"] for record in records if "layout" in record]
    above = [{axis: size for axis, size in layout.items() if size > 1} for layout in found]
    return [one for number, one in enumerate(above) if one not in above[:number]]
