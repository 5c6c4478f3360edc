"""What is checked of a training with its model at hand before any process starts: memory, and given weights."""

import os
from collections.abc import Mapping
from math import prod

import torch

from training.checkpoint.initial import shapes_of
from training.checkpoint.manifest import complete_steps
from training.config.run import TrainConfig
from training.parallel.mesh import RefusedError, Worker
from training.precision.policy import policy_of
from training.trainable import Trainable

BYTES = 12  # of a parameter, at least: the weight, its gradient and one moment in float32
COPIED = 8  # and of the weight and the moment that a checkpoint is written from, which are in the CPU's memory


def check_memory(config: TrainConfig, workers: int) -> None:
    """`config` as resolved by `training.data.check`; the workers run on this machine, or are this process.

    Raises ValueError for a precision that the device has not, and a model that is larger than the memory."""
    policy_of(config.precision, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    _check_memory(config, _model(config), workers)


def check_initial(config: TrainConfig, output: str) -> None:
    """Raises ValueError for initial weights of other shapes, if `output` has no checkpoint yet; one process asks."""
    if config.init and not complete_steps(output):
        _check_shapes(config.init, _model(config), shapes_of(config.init, config.model))


def _model(config: TrainConfig) -> Trainable:
    """On the meta device."""
    assert config.model.vocabulary
    with torch.device("meta"):
        return config.model.build(config.model.vocabulary)


def check_alike(config: TrainConfig, worker: Worker) -> None:
    """Raises RefusedError, in every process, if `precision: auto` is not the same on all devices."""
    names = sorted(set(worker.gather(policy_of(config.precision, worker.device).name)))
    if len(names) > 1:
        raise RefusedError(
            f"precision auto is {' on some devices and '.join(names)} on others; write one that all have"
        )


def _check_memory(config: TrainConfig, model: Trainable, workers: int) -> None:
    parameters = sum(parameter.numel() for parameter in model.parameters())
    shards = workers // config.parallel.replicate
    on_gpu = torch.cuda.is_available() and not config.parallel.offload
    # Of a GPU per worker; processes on CPUs share the memory of a machine. Who starts them says how many.
    together = 1 if on_gpu else int(os.environ.get("LOCAL_WORLD_SIZE", workers))
    each = BYTES if on_gpu else BYTES + COPIED
    needed = each * parameters * together / shards
    there = torch.cuda.mem_get_info()[1] if on_gpu else _memory()
    if needed > there:
        raise ValueError(
            f"the model has {parameters:,} parameters, which take at least {each} bytes each (weight, gradient, "
            f"moment{'' if on_gpu else ', and what a checkpoint is written from'}), {needed / 2**30:,.1f} GiB {'on each GPU' if on_gpu else 'here'} in {shards} shards, and there "
            f"are {there / 2**30:,.1f} GiB; take a smaller model, more workers, or parallel.offload"
        )


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _check_shapes(source: str, model: Trainable, found: Mapping[str, tuple[int, ...]]) -> None:
    own = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    if own != found:
        name = min(name for name in own.keys() | found.keys() if own.get(name) != found.get(name))
        there, here = (
            f"{prod(s):,} numbers {list(s)}" if (s := shapes.get(name)) else "absent" for shapes in (found, own)
        )
        raise ValueError(
            f"the weights of {source} do not fit the model: {name} is {there} there and {here} here; give the model "
            "that they are of"
        )
