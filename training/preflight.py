"""What is checked of a training with its model at hand before any process starts: layout, memory, given weights."""

import logging
import os

import torch

from curation.tokens.shards import TokenData
from training.checkpoint.initial_differences import check_initial_weights
from training.checkpoint.manifest import complete_steps
from training.config.layout import ProcessLayout, layout_of
from training.config.run import TrainConfig
from training.memory import StepMemory
from training.parallel.context import check_context
from training.parallel.costs import as_bytes, costs, held_parameters
from training.parallel.mesh import RefusedError, Worker
from training.parallel.pipeline import check_pipeline
from training.parallel.tensor import check_tensor
from training.precision.policy import policy_of
from training.trainable import Trainable

log = logging.getLogger(__name__)
BYTES = 12  # of a parameter, at least: the weight, its gradient and one moment in float32
COPIED = 8  # and of the weight and the moment that a checkpoint is written from, which are in the CPU's memory


def check_memory(config: TrainConfig, workers: int) -> None:
    """`config` as resolved by `training.data.check`; the workers run on this machine, or are this process.

    Raises ValueError for a precision that the device has not, and a model that is larger than the memory."""
    policy_of(config.precision, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    _check_memory(config, whole_model(config), workers)


def check_layout(config: TrainConfig, workers: int) -> list[str]:
    """What the layout of so many workers costs, in lines. Raises ValueError if the model or the rows do not fit it."""
    model = whole_model(config)
    check_model(config, model, workers)
    return costs(config, model, layout_of(config.parallel, workers), compute_of(config, torch.cuda.is_available())[1])


def compute_of(config: TrainConfig, on_gpu: bool) -> tuple[torch.dtype | None, int]:
    """What blocks compute in, None: as weights are; and the bytes of a number."""
    wide = config.precision == "fp32" or (config.precision == "auto" and not on_gpu)
    return (None, 4) if wide else (torch.bfloat16, 2)


def check_model(config: TrainConfig, model: Trainable, workers: int) -> None:
    """Raises ValueError if a model of the config, or its rows, do not fit the layout of so many workers."""
    layout = layout_of(config.parallel, workers)
    if config.selective_backprop.beta and layout.readers < workers:
        raise ValueError(
            "selective_backprop compares whole rows, of which each process must have its own: leave parallel.tensor, "
            "parallel.context and parallel.pipeline at 1, or selective_backprop.beta at 0"
        )
    check_context(config, model)
    if layout.pipeline > 1:
        check_pipeline(model, config, layout)
    if layout.tensor > 1:
        check_tensor(model, layout.tensor, layout.shard * layout.context)
        if config.precision == "fp8":
            raise ValueError("precision fp8 and parallel.tensor do not go together; write precision: bf16")


def tell_costs(config: TrainConfig, lines: list[str], layout: ProcessLayout) -> None:
    """Once, where there is more than one process, with the memory that a step will take at most."""
    if layout.workers > 1:
        on_gpu = torch.cuda.is_available()
        found = StepMemory(config, compute_of(config, on_gpu)[0], on_gpu=on_gpu).of(config, layout)
        parts = ", ".join(f"{name} {as_bytes(size)}" for name, size in found._asdict().items())
        memory = f"a process will take about {as_bytes(found.total)} ({parts}), and what libraries take"
        for line in (f"{layout.workers} workers: {layout}", *lines, memory):
            log.info("%s", line)


def check_initial(config: TrainConfig, output: str, data: TokenData) -> None:
    """Raises ValueError for initial weights of another model or of other tokens, if `output` has no checkpoint yet; one
    process asks."""
    if config.init and not complete_steps(output):
        check_initial_weights(config.init, config, data, whole_model(config))


def whole_model(config: TrainConfig) -> Trainable:
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


def beyond_memory(config: TrainConfig, worker: Worker, problem: str) -> str:
    """The line for a device whose memory ran out: what the layout keeps there, and what to try next."""
    layout = worker.layout
    states = costs(config, whole_model(config), layout, 4)[-1] if config.model.vocabulary else ""
    rows = config.micro_batch_rows or config.batch_rows // layout.readers
    more = [
        f"micro_batch_rows below {rows}" if rows > 1 else "parallel.context, which cuts rows",
        "recompute: selective or full" if config.recompute != "full" else "parallel.tensor, which cuts matrices",
        f"more workers, which take shards ({layout} now)",
        "parallel.offload",
    ]
    return f"memory ran out ({problem.splitlines()[0]}); {states}; try {', then '.join(more)}"


def _check_memory(config: TrainConfig, model: Trainable, workers: int) -> None:
    parameters = sum(parameter.numel() for parameter in model.parameters())
    layout = layout_of(config.parallel, workers)
    on_gpu = torch.cuda.is_available() and not config.parallel.offload
    # Of a GPU per worker; processes on CPUs share the memory of a machine. Who starts them says how many.
    said = os.environ.get("LOCAL_WORLD_SIZE", "")
    together = 1 if on_gpu else int(said) if said.isascii() and said.isdigit() else workers
    each = BYTES if on_gpu else BYTES + COPIED
    needed = each * held_parameters(model, layout) * together
    there = torch.cuda.mem_get_info()[1] if on_gpu else _memory()
    if needed > there:
        copied = "" if on_gpu else ", and what a checkpoint is written from"
        where = "on each GPU" if on_gpu else "here"
        raise ValueError(
            f"the model has {parameters:,} parameters, which take at least {each} bytes each (weight, gradient, "
            f"moment{copied}), {needed / 2**30:,.1f} GiB {where} for {layout}, and there are {there / 2**30:,.1f} GiB; "
            "take a smaller model, more workers, or parallel.offload"
        )


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
