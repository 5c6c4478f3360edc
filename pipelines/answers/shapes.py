"""The answers of commands that are mappings, by their keys; the others are dataclasses of the rooms that make them."""

from typing import Any, Literal, NotRequired, TypedDict


class PlannedLine(TypedDict):
    """A stage of a plan: `status` is sealed, partial or planned, and `units` are null where they are not known yet."""

    number: int
    stage: str
    verb: str
    components: list[str]
    address: str
    folder: str
    status: str
    units_done: int
    units: int | None
    notes: list[str]


class EvaluatedCheckpoint(TypedDict):
    """What was asked of a checkpoint; `file` holds these answers and earlier ones."""

    file: str
    model: str
    step: int
    losses: NotRequired[dict[Literal["validation", "train", "gap"], dict[str, Any]]]
    exposure_bias: NotRequired[dict[str, Any]]
    sharpness: NotRequired[dict[str, Any]]
    probes: NotRequired[dict[str, dict[str, Any]]]
    tasks: NotRequired[dict[str, dict[str, Any]]]


class AveragedModel(TypedDict):
    """A checkpoint, and the steps whose weights it is the mean of."""

    checkpoint: str
    steps: list[int]


class ExportedFile(TypedDict):
    """Megatron: `prefix` of a .bin and an .idx. Parquet: `name`."""

    split: str
    prefix: NotRequired[str]
    source: NotRequired[str]
    documents: NotRequired[int]
    tokens: NotRequired[int]
    name: NotRequired[str]
    rows: NotRequired[int]


class ExportResult(TypedDict):
    """`data_path` is the argument of that name that Megatron-LM takes, by phase of the mix."""

    format: str
    output: str
    files: list[ExportedFile]
    data_path: NotRequired[dict[str, str]]


class TrainedTokenizer(TypedDict):
    """A tokenizer of a run's text; the same values are in a file beside it."""

    tokenizer: str
    fit: str
    options: dict[str, Any]
    vocabulary: int
    file_bytes: int
    sha256: str
    run: str
    stages: list[dict[str, str]]
    sample: dict[str, Any]


class TrainedModel(TypedDict):
    """A model that judges or extracts text: SHA-256 of its `files`, and the `sample` that it has learnt from."""

    model: str
    kind: str
    files: dict[str, str]
    sample: dict[str, Any]


class InspectedModel(TypedDict, total=False):
    """Facts of a model file; which there are depends on its kind."""

    model: str


class ReleaseRecord(TypedDict, total=False):
    """release.json: the facts of a released model."""

    name: str
    licence: str
    creator: str
    config: dict[str, Any]
    dtype: str
    writes_text: bool
    safety: dict[str, Any] | None
    evaluation: dict[str, Any]
    evaluation_sets: Any


class PlannedLayout(TypedDict, total=False):
    """A way to spread the model over the devices: `layout` is processes by axis, `memory` bytes of a process by what
    holds them, `settings` the options of the training config. Times are seconds of a step at the device's peak."""

    layout: dict[str, int]
    memory: dict[str, float]
    settings: str
    seconds: float


class PlannedTraining(TypedDict):
    """What a training run takes: hours, money in the unit of the prices given, kWh, kg of CO2 equivalents; null where a
    figure that it needs was not given. `layouts` fit the devices' memory, the fastest first."""

    parameters: int
    active_parameters: int
    tokens: int
    labels: int
    flops: float
    simple_flops: float
    gpus: int
    device: str
    mfu: float | None
    least_hours: float
    hours: float | None
    gpu_hours: float | None
    rented: float | None
    owned: float | None
    engineering: float | None
    kwh: float | None
    carbon: float | None
    embodied: float | None
    layouts: list[PlannedLayout]
    assumed: list[str]


class PublishedLine(TypedDict):
    """A published figure beside what a plan's arithmetic gives; `error` is relative to the published one."""

    case: str
    figure: str
    published: float
    computed: float
    arithmetic: str
    source: str
    error: float


class MfuLine(TypedDict):
    """Model FLOP/s utilisation that published device hours imply."""

    case: str
    mfu: float
    arithmetic: str


class PublishedCases(TypedDict):
    """With --published."""

    figures: list[PublishedLine]
    mfu: list[MfuLine]
    notes: list[str]


class KnownDevices(TypedDict):
    """With --devices: accelerators and networks by name, with their figures."""

    devices: dict[str, dict[str, Any]]
    networks: dict[str, Any]


class FittedLaw(TypedDict):
    """A scaling law with 95 % intervals of its constants, and what larger budgets buy."""

    runs: int
    largest_flops: float
    law: dict[str, float]
    intervals: dict[str, list[float]]
    optima: list[Any]


class LadderLine(TypedDict):
    """A config of a ladder."""

    file: str
    parameters: int
    tokens: int
    flops: float


class Ladder(TypedDict):
    """Training configs of growing size in the folder `output`; the last one is that of the large model."""

    output: str
    trainings: list[LadderLine]


class PredictedLoss(TypedDict):
    """The predicted validation loss of a training run, nats per token, and its 95 % interval."""

    parameters: int
    tokens: int
    flops: float
    loss: float
    interval: list[float]
