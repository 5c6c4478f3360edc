"""A checkpoint spread over the processes of a layout, to be evaluated in the training's precision."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from training.checkpoint.initial import begin_with
from training.checkpoint.manifest import folder_of
from training.config.layout import check_length
from training.config.run import SelectiveBackprop, TrainConfig
from training.evaluate.trained import TrainedRun
from training.parallel.mesh import Worker
from training.parallel.sharded import Passes
from training.preflight import check_alike, check_model, whole_model
from training.trainee import new_trainee


def evaluated_config(config: TrainConfig, parallel: Mapping[str, Any]) -> TrainConfig:
    """A training's config with other settings of `parallel`, and without what only training needs. Raises ValueError
    for settings that no layout has."""
    layout = replace(config.parallel, **parallel)
    return replace(
        config, parallel=layout, recompute="none", compile=False, selective_backprop=SelectiveBackprop(beta=0.0)
    )


def check_spread(config: TrainConfig, workers: int) -> None:
    """Raises ValueError if the model, or its rows, cannot be spread over so many workers."""
    assert config.sequence_length
    check_model(config, whole_model(config), workers)
    check_length(config, config.sequence_length)


def spread_model(run: TrainedRun, step: int, config: TrainConfig, worker: Worker) -> Passes:
    """How rows pass the model of a checkpoint; each process loads what it keeps. Raises RefusedError, in every process,
    if the checkpoint is damaged or the device has not the precision."""
    check_alike(config, worker)
    trainee = worker.agreed(lambda: new_trainee(config, worker))
    worker.agreed(lambda: begin_with(folder_of(run.folder, step), config.model, trainee))
    return trainee.passes
