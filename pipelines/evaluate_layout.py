"""Evaluates checkpoints in the processes of a layout: those that torchrun started, or processes of this machine."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from curation.core.errors import InputError
from pipelines.trained_data import prepared_as_trained
from training.checkpoint.initial import begin_with
from training.checkpoint.manifest import folder_of
from training.config.layout import check_length, layout_of
from training.config.parse import parse
from training.config.run import SelectiveBackprop, TrainConfig
from training.data.check import PreparedData
from training.ending import leave
from training.evaluate.losses import losses_in_layout, losses_of_splits, sample
from training.evaluate.trained import TrainedRun
from training.parallel.joining import LOOPBACK
from training.parallel.mesh import RefusedError, backend, worker_group
from training.preflight import check_alike, check_model, whole_model
from training.trainee import new_trainee

ANSWER = "answer.json"  # of the first process

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class EvaluationLayout:
    """The processes of an evaluation."""

    workers: int
    parallel: Mapping[str, Any] = field(default_factory=dict)  # settings in place of those of the training


def layout_of_options(workers: int | None, settings: Sequence[str]) -> EvaluationLayout | None:
    """None for one process. `settings`: of `parallel`, as NAME=VALUE; in processes of torchrun `workers` are as many.

    Raises InputError for what is no setting."""
    if workers is None and dist.is_torchelastic_launched():
        workers = int(os.environ["WORLD_SIZE"])
    if workers is None:
        if settings:
            raise InputError("--parallel says how several workers share the model; give their number as --workers")
        return None
    named = parse({}, overrides=[f"parallel.{one}" for one in settings]).parallel
    names = [one.partition("=")[0] for one in settings]
    return EvaluationLayout(workers=workers, parallel={name: getattr(named, name) for name in names})


def losses_of(run: TrainedRun, data: str, steps: list[int], rows: int, layout: EvaluationLayout) -> list[Record]:
    """The losses of checkpoints, as `pipelines.evaluate` has them; none in processes of torchrun but the first.

    Raises InputError, before any process starts, if the model does not fit the layout."""
    prepared = prepared_as_trained(run, data)
    try:
        config = _evaluated(prepared.config, layout.parallel)
        layout_of(config.parallel, layout.workers)
        _check_spread(config, layout.workers)
    except ValueError as error:
        raise InputError(f"the model cannot be evaluated by {layout.workers} workers: {error}") from error
    if dist.is_torchelastic_launched():
        return losses_in_group(run, prepared, steps, rows, layout)
    return _in_processes((run, data, steps, rows, layout))


def losses_in_group(
    run: TrainedRun, prepared: PreparedData, steps: list[int], rows: int, layout: EvaluationLayout
) -> list[Record]:
    """Every process of the group calls it; the first one gets them. Each keeps its part of one model, into which it
    loads one checkpoint after the other. Raises RefusedError, in every process, if one is damaged or the device has not
    the precision."""
    config = _evaluated(prepared.config, layout.parallel)
    table = prepared.utf8_bytes
    found = []
    with worker_group(config.parallel) as worker:
        if worker.world_size != layout.workers:
            raise RefusedError(
                f"torchrun started {worker.world_size} processes, not {layout.workers}; leave --workers out"
            )
        check_alike(config, worker)
        trainee = worker.agreed(lambda: new_trainee(config, worker))
        for step in steps:
            folder = folder_of(run.folder, step)
            worker.agreed(partial(begin_with, folder, config.model, trainee.model, worker))
            losses = losses_of_splits(
                partial(losses_in_layout, trainee.passes, utf8_bytes=table, worker=worker),
                partial(sample, prepared, rows=rows, steps=step, worker=worker),
            )
            found.append({"losses": losses})
        return found if worker.first else []


def _in_processes(asked: tuple[TrainedRun, str, list[int], int, EvaluationLayout]) -> list[Record]:
    workers = asked[-1].workers
    gpus = torch.cuda.device_count()
    if gpus and workers > gpus:
        raise InputError(f"{workers} workers were asked for, and there are {gpus} GPUs; give at most as many")
    with tempfile.TemporaryDirectory() as folder:
        with suppress(mp.ProcessExitedException):  # type: ignore[attr-defined]
            mp.spawn(_process, (folder, *asked), nprocs=workers)  # type: ignore[attr-defined, no-untyped-call]
        path = Path(folder, ANSWER)
        if not path.exists():
            raise InputError("a process of the evaluation ended early; its own lines say why")
        answer = json.loads(path.read_text())
    if "refused" in answer:
        raise InputError(answer["refused"])
    found: list[Record] = answer["found"]
    return found


def _process(
    rank: int, folder: str, run: TrainedRun, data: str, steps: list[int], rows: int, layout: EvaluationLayout
) -> None:
    workers = layout.workers
    for name, value in LOOPBACK.items():
        os.environ.setdefault(name, value)
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(rank)
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))
    dist.init_process_group(backend(gpu=gpu), init_method=f"file://{folder}/meeting", rank=rank, world_size=workers)
    answer: Record
    try:
        answer = {"found": losses_in_group(run, prepared_as_trained(run, data), steps, rows, layout)}
    except InputError as error:
        answer = {"refused": str(error)}
    if rank == 0:
        Path(folder, ANSWER).write_text(json.dumps(answer))
    leave()


def _evaluated(config: TrainConfig, parallel: Mapping[str, Any]) -> TrainConfig:
    """A training's config with other settings of `parallel`, and without what only training needs. Raises ValueError
    for settings that no layout has."""
    layout = replace(config.parallel, **parallel)
    return replace(
        config, parallel=layout, recompute="none", compile=False, selective_backprop=SelectiveBackprop(beta=0.0)
    )


def _check_spread(config: TrainConfig, workers: int) -> None:
    """Raises ValueError if the model, or its rows, cannot be spread over so many workers."""
    assert config.sequence_length
    check_model(config, whole_model(config), workers)
    check_length(config, config.sequence_length)
