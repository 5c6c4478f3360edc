"""Judges checkpoints of a training: losses by source, exposure bias, sharpness, probes, and tasks of a harness.

What was found lies beside the model, in evaluations/step_N.json of its training; what is asked again takes the place of
what was there, and the rest stays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.core.installation import importing
from curation.core.json_files import find_shape
from curation.tokens.encoders.load_tokenizer import load_text
from curation.tokens.shards import TokenData
from pipelines.evaluate_layout import EvaluationLayout, losses_of
from pipelines.trained_data import prepared_as_trained
from training.checkpoint.run_record import write_json
from training.checkpoint.run_shapes import RESTORE, AnswersFile
from training.data.check import PreparedData
from training.evaluate.causal import causal_network
from training.evaluate.exposure import exposure_bias, whole_rows
from training.evaluate.losses import losses_by_source, losses_of_splits, sample
from training.evaluate.probing import probe, read_probes, set_names
from training.evaluate.scores import Ids
from training.evaluate.sharpness import sharpness
from training.evaluate.trained import TrainedRun
from training.trainable import Trainable

FOLDER = "evaluations"
EXPOSED = 64  # rows of exposure bias, and
SHARP = 64  # of sharpness, at most

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What is asked of each checkpoint; with none of these, losses."""

    losses: bool = False
    exposure_bias: bool = False
    sharpness: bool = False
    probes: Sequence[str] = ()  # files, or `own`
    tasks: Sequence[str] = ()  # as `training.evaluate.tasks` takes them
    rows: int | None = None  # of each split, at most; None: the training's validation_rows


class RunTokenizer:
    """That of a training's token data, with the tokens that begin and end its documents."""

    def __init__(self, data: TokenData) -> None:
        self._own = load_text(data.tokenizer_path)
        self.begin_of_text = data.begin_of_text
        self.end_of_text = data.end_of_text

    def ids(self, text: str) -> list[int]:
        """Without what begins and ends a document."""
        (found,) = self._own.text_ids(pa.array([text], pa.large_string()))
        return [int(one) for one in found]

    def text(self, ids: Ids) -> str:
        """As the tokenizer decodes; nothing for ids beyond its own, which a model's vocabulary is filled up with."""
        return self._own.decode([one for one in ids if one < self._own.size])


def evaluate(
    model: str,
    questions: Questions,
    *,
    data: str | None = None,
    every: bool = False,
    layout: EvaluationLayout | None = None,
    on_step: Callable[[int], None] = lambda step: None,
) -> list[Record]:
    """The answers of the newest checkpoint, or with `every` of all, each with the `file` that holds them; `data`: the
    token data where they no longer lie where the training run found them. `layout`: losses are computed by several
    processes, in the training's precision; None: by this one, in float32. Of the processes that torchrun started the
    first one gets the answers.

    Raises InputError, before any work, for what is no trained model, or no set of questions.
    """
    run = TrainedRun.of(model)
    named = set_names(questions.probes)
    probes = {name: read_probes(path) for name, path in named.items()}
    data = data or run.data
    prepared = prepared_as_trained(run, data)
    if not any((questions.exposure_bias, questions.sharpness, questions.probes, questions.tasks)):
        questions = Questions(losses=True, rows=questions.rows)
    steps = list(run.steps if every else run.steps[-1:])
    if layout:
        if questions != Questions(losses=True, rows=questions.rows):
            raise InputError("only losses are computed by several workers; ask for the rest without --workers")
        for step in steps:
            on_step(step)
        rows = questions.rows or prepared.config.validation_rows
        return [_kept(run, *both) for both in zip(steps, losses_of(run, data, steps, rows, layout), strict=False)]
    found = []
    for step in steps:
        on_step(step)
        loaded = run.load(step)
        answers = _of_data(loaded, prepared, questions, step) | _of_texts(loaded, prepared, questions, probes)
        found.append(_kept(run, step, answers))
    return found


def _kept(run: TrainedRun, step: int, answers: Record) -> Record:
    """The answers with what they are of, as they are in their `file` now."""
    record = {"model": run.folder, "step": step, **answers}
    return {"file": _write(run.folder, record), **record}


def _of_data(model: Trainable, prepared: PreparedData, questions: Questions, step: int) -> Record:
    rows = questions.rows or prepared.config.validation_rows
    answers: Record = {}
    if questions.losses:
        answers["losses"] = losses_of_splits(
            lambda batches: losses_by_source(model, batches, prepared.utf8_bytes),
            lambda split: sample(prepared, split, rows, step),
        )
    if questions.exposure_bias:
        bias = exposure_bias(causal_network(model), whole_rows(prepared, min(rows, EXPOSED)))
        answers["exposure_bias"] = asdict(bias) | {"excess": bias.excess}
    if questions.sharpness:
        batches = sample(prepared, "train", min(rows, SHARP), step)
        answers["sharpness"] = asdict(sharpness(model, [one.batch for one in batches]))
    return answers


def _of_texts(model: Trainable, prepared: PreparedData, questions: Questions, probes: Mapping[str, Any]) -> Record:
    if not (probes or questions.tasks):
        return {}
    decoder = causal_network(model)
    tokenizer = RunTokenizer(prepared.data)
    length = prepared.config.sequence_length
    assert length
    answers: Record = {}
    if probes:
        answers["probes"] = {name: asdict(probe(decoder, tokenizer, length, items)) for name, items in probes.items()}
    if questions.tasks:
        with importing("evaluate", "tasks need lm-eval"):
            from training.evaluate.tasks import run_tasks
        answers["tasks"] = run_tasks(decoder, tokenizer, length, questions.tasks)
    return answers


def result_path(folder: str, step: int) -> str:
    """Of the answers of a training's checkpoint."""
    return storage.join(folder, FOLDER, f"step_{step}.json")


def _write(folder: str, answers: Record) -> str:
    """Adds the answers to those of the same step that are there; returns the file."""
    path = result_path(folder, answers["step"])
    before: Record = {**(find_shape(path, AnswersFile, RESTORE) or {})}
    storage.make_folder(storage.join(folder, FOLDER))
    merged = {kind: {**before.get(kind, {}), **answers.get(kind, {})} for kind in ("probes", "tasks")}
    write_json(path, before | answers | {kind: one for kind, one in merged.items() if one})
    return path
