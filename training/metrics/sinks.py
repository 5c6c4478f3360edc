"""Sinks: services that show the records of a training, besides metrics.jsonl, which every run has.

    sinks: [tensorboard, wandb]

Each gets the numbers of every record over finished updates, from the first process of the run, and is imported only
where a config names it. Where W&B, Trackio and MLflow write to they read from their own environment variables.
sinks.json has the name by which each service knows the run, and what it had when the last process began: a resumed run
goes on there, and what it repeats is not sent again, or in TensorBoard hides what was there. A service that fails or
hangs is left out, with a record `sink` in metrics.jsonl that says so (`sink_thread`).
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TypedDict

from curation.core import storage
from curation.core.errors import InputError
from curation.core.installation import remedy
from curation.core.json_files import find_shape
from curation.core.shapes import Count
from training.config.parse import as_mapping, flat
from training.config.run import TrainConfig
from training.metrics.records import Record, local_path, read_records
from training.metrics.sink_thread import Sink, SinkThread

PACKAGES = {"tensorboard": "tensorboardX", "wandb": "wandb", "trackio": "trackio", "mlflow": "mlflow"}
SHOWN = ("step", "validation", "checkpoint")  # kinds of records; others are of the process, or repeat these
PROJECT = "winnow"  # of Trackio, which has no default


def check_sinks(config: TrainConfig, output: str) -> None:
    """Raises InputError for a sink whose package is missing, or that cannot write where the run does."""
    missing = [PACKAGES[name] for name in config.sinks if find_spec(PACKAGES[name]) is None]
    if missing:
        raise InputError(f"sinks: {', '.join(missing)} must be installed: run {remedy(missing)}, or name fewer sinks")
    if "tensorboard" in config.sinks and storage.in_store(output):
        raise InputError(f"sinks: tensorboard writes to a disk only, and {output} is in a store; leave it out")


class SinkEntry(TypedDict):
    """What sinks.json says of a service."""

    run: str
    sent: dict[str, Count]


class Sinks:
    """Those of a run that goes on after `done` updates and whose metrics.jsonl is as the last process left it."""

    def __init__(self, config: TrainConfig, output: str, *, done: int) -> None:
        check_sinks(config, output)
        path = storage.join(output, "sinks.json")
        metrics = storage.join(output, "metrics.jsonl")
        known: dict[str, SinkEntry] = find_shape(path, dict[str, SinkEntry]) or {}
        before = read_records(metrics) if known and storage.exists(metrics) else ()
        last = {record["kind"]: int(record["step"]) for record in before}
        self._sent: dict[str, dict[str, int]] = {
            name: {kind: max(last.get(kind, 0), entry["sent"].get(kind, 0)) for kind in SHOWN}
            for name, entry in known.items()
        }
        self._sinks: dict[str, SinkThread] = {}
        for name in dict.fromkeys(config.sinks):
            run = known[name]["run"] if name in known else None
            sink = SinkThread(name, partial(OPEN[name], config, output, done, run))
            self._sinks[name] = sink
            if sink.run:
                known[name] = {"run": sink.run, "sent": self._sent.get(name, {})}
        if known:
            storage.replace_bytes(path, json.dumps(known).encode() + b"\n")

    def write(self, record: Record) -> None:
        if record["kind"] not in SHOWN:
            return
        for name, sink in self._sinks.items():
            if record["step"] > self._sent.get(name, {}).get(record["kind"], 0):
                sink.write(record)

    def news(self) -> list[str]:
        """Lines on services that no longer take what they should."""
        return [line for sink in self._sinks.values() for line in sink.news()]

    def close(self) -> None:
        for sink in self._sinks.values():
            sink.close()


def numbers_of(record: Record) -> dict[str, float]:
    """The record's numbers by name: of a step "loss" and "norms/hidden/gradient", of another kind "validation/loss"."""
    inside = {name: value for name, value in record.items() if name not in ("kind", "step")}
    under = "" if record["kind"] == "step" else f"{record['kind']}/"
    return {name: value for name, value in flat(inside, under, mark="/").items() if isinstance(value, int | float)}


def _tensorboard(config: TrainConfig, output: str, done: int, known: str | None) -> Sink:
    from tensorboardX import SummaryWriter

    folder = str(local_path(storage.join(output, "tensorboard")))
    # Two files of one second would have one name, and TensorBoard hides what others have from `purge_step` on.
    writer = SummaryWriter(folder, purge_step=done + 1, flush_secs=1, filename_suffix=f".{done}")

    def write(record: Record) -> None:
        for name, value in numbers_of(record).items():
            writer.add_scalar(name, value, record["step"])

    return Sink(write, writer.close)


def _wandb(config: TrainConfig, output: str, done: int, known: str | None) -> Sink:
    import wandb

    folder = None if storage.in_store(output) else str(local_path(output))
    run = wandb.init(id=known, resume="allow", name=_name(output), dir=folder, config=as_mapping(config))
    defined: set[str] = set()

    def write(record: Record) -> None:
        """W&B leaves out what comes for a step before its last one, as a checkpoint's record does, which is written
        meanwhile. So its own steps count records, and each kind is drawn over the updates that it names itself."""
        axis = "step" if record["kind"] == "step" else f"{record['kind']}/step"
        numbers = numbers_of(record)
        for name in numbers.keys() - defined:
            run.define_metric(name, step_metric=axis)
        defined.update(numbers)
        run.log({**numbers, axis: record["step"]})

    return Sink(write, run.finish, run.id)


def _trackio(config: TrainConfig, output: str, done: int, known: str | None) -> Sink:
    import trackio

    resume = "allow" if known else "never"
    run = trackio.init(PROJECT, name=known or _name(output), resume=resume, config=as_mapping(config))
    return Sink(lambda record: run.log(numbers_of(record), step=record["step"]), run.finish, run.name)


def _mlflow(config: TrainConfig, output: str, done: int, known: str | None) -> Sink:
    import mlflow

    if not mlflow.is_tracking_uri_set() and not storage.in_store(output):
        mlflow.set_tracking_uri(f"sqlite:///{local_path(storage.join(output, 'mlflow.db'))}")
    run = mlflow.start_run(run_id=known, run_name=_name(output))
    if not known:
        mlflow.log_params(flat(as_mapping(config), mark="/"))

    def write(record: Record) -> None:
        mlflow.log_metrics(numbers_of(record), step=record["step"], synchronous=False)

    return Sink(write, mlflow.end_run, run.info.run_id)


def _name(output: str) -> str:
    return output.rstrip("/").rpartition("/")[2]


OPEN: Mapping[str, Callable[[TrainConfig, str, int, str | None], Sink]] = {
    "tensorboard": _tensorboard,
    "wandb": _wandb,
    "trackio": _trackio,
    "mlflow": _mlflow,
}
