"""Shapes of the JSON files in a training's folder, as their readers use them."""

from typing import Any, NotRequired, TypedDict

from curation.core.shapes import Count, Moment, Number
from training.config.branches import ParentRecord

RESTORE = "restore it from a copy, or train again into another folder"


class RunFormat(TypedDict):
    """A config.json before its format is known; the first format did not state it."""

    format: NotRequired[int]


class Weights(TypedDict):
    """The settings that say with whose weights a training began."""

    init: NotRequired[str | None]


class BeginRecord(TypedDict):
    """A config.json as a takedown sees it: when its training began."""

    begun: Moment


class MeanRecord(TypedDict):
    """The training whose checkpoints' mean this is."""

    run: str
    steps: list[Count]


class InitRecord(TypedDict):
    """A config.json as the search for the first training sees it."""

    config: Weights
    parent: NotRequired[ParentRecord]


class RunFile(TypedDict):
    """config.json: the settings, the versions of the components, the fingerprint of the data and its path."""

    config: dict[str, Any]
    versions: dict[str, int]
    data: str
    path: str
    begun: Moment
    around_documents: NotRequired[dict[str, Count | None]]  # ids of begin_of_text and end_of_text
    tokenizer: NotRequired[str]  # its identity, see `curation.core.token_ids`
    appended: NotRequired[list[str]]
    averaged: NotRequired[MeanRecord]
    parent: NotRequired[ParentRecord]  # of a branch


class EnergyRecord(TypedDict):
    """See `curation.core.energy.Energy`."""

    duration: float
    energy_consumed: float | str
    measured_by: list[str]
    gpu_model: str
    emissions: float | None


class ResultFile(TypedDict):
    """result.json: the figures that a training ended with."""

    steps: Count
    tokens: Count
    parameters: Count
    validation_loss: Number
    unigram_entropy: Number
    world_size: Count
    data: str
    data_fingerprint: str
    perplexity: NotRequired[Number]
    bits_per_byte: NotRequired[Number | None]
    labels: NotRequired[Count]
    ratio: NotRequired[Number]
    sources: NotRequired[dict[str, dict[str, Any]]]
    energy: NotRequired[EnergyRecord]


class LossFigures(TypedDict):
    """The validation loss of a source's text."""

    loss: Number | None
    perplexity: Number | None
    bits_per_byte: Number | None


class LossesBySplit(TypedDict):
    """Losses by split and source."""

    validation: dict[str, LossFigures]


class ProbeAnswers(TypedDict):
    """See `training.evaluate.probing.ProbeResult`."""

    n: Count
    accuracy: Number
    chance: Number


class Metric(TypedDict):
    """A figure of a task."""

    value: Number
    stderr: Number | None


class TaskAnswers(TypedDict):
    """A task of lm-eval."""

    n: Count
    shots: Any
    metrics: dict[str, Metric]


class AnswersFile(TypedDict):
    """evaluations/step_N.json: answers to probes and tasks by their names."""

    step: Count
    losses: NotRequired[LossesBySplit]
    probes: NotRequired[dict[str, ProbeAnswers]]
    tasks: NotRequired[dict[str, TaskAnswers]]


class BadNode(TypedDict):
    """bad_nodes/HOST.json."""

    reason: str
