"""Runs the training loop with Ray Train: starts the workers, and restarts them from a checkpoint when one is lost.

The loop does everything else, and its files are the only state: a restarted worker group, or the same command run
again, resumes from the newest complete checkpoint in the output folder. All workers must see that folder, and the token
data must be at the same path on every machine. This is the only package of training that imports ray.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from threading import Event
from traceback import format_exception_only
from typing import Any

import ray
import ray.train
import torch
from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchConfig

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import WinnowError
from curation.core.ray_address import require_listener
from curation.core.run_lock import only_run
from curation.core.threads import repeating
from curation.engine.executor.local_ray import private_ray
from curation.engine.executor.ray_private import own_sigterm
from curation.engine.executor.worker_imports import own_packages
from training.branch import find_branch, prepare_run
from training.checkpoint import run_record
from training.checkpoint.manifest import CHECKPOINTS, complete_steps, folder_of
from training.config.arithmetic import accepted_sizes
from training.config.layout import layout_of
from training.config.layout import least_workers as smallest
from training.config.run import TrainConfig
from training.data.check import PreparedData
from training.ending import StoppedError
from training.health.nodes import left_out
from training.job.elastic import ElasticTrainer
from training.job.meeting import MeetInFolder
from training.job.placement import without_bad_nodes
from training.job.room import Device, room_here, room_of_cluster
from training.job.stopping import SECONDS, ask_workers, stopping
from training.job.worker import work
from training.metrics.records import Record
from training.metrics.sinks import check_sinks
from training.metrics.tail import MetricsTail
from training.parallel.joining import LOOPBACK
from training.parallel.mesh import backend
from training.preflight import check_initial, check_layout, check_memory, tell_costs

log = logging.getLogger(__name__)
OBJECT_STORE_BYTES = 100 * 2**20  # of a Ray started here; training keeps nothing in it
ENVIRONMENT = {
    # How often the controller looks at its workers; each report waits for one look. The default is 2 s.
    "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.2",
    # Two workers took 100 s to import torch and form a group (2 cores under load, November 2026).
    "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "300",
}

# Ray says which collective of NCCL hangs, and where each process stands; it ends nothing, `training.hang` does.
HANGS = {"RAY_TRAIN_ENABLE_NCCL_HANG_DETECTOR": "1"}


def train(
    config: TrainConfig,
    data: str,
    output: str,
    *,
    ray_address: str | None = None,
    workers: int | None = None,
    least_workers: int | None = None,
    device: Device = "auto",
    verify: bool = False,
    branch_from: str | None = None,
    on_progress: Callable[[Record], None] | None = None,
) -> Record:
    """Trains on `workers` processes (None: one per GPU, or 2 on CPUs) of the Ray cluster at `ray_address` (None: one
    that is started on this machine); returns result.json. It begins with as few as `least_workers`, also after a loss,
    and goes on with more once the cluster has room for them; None: it waits until there is room for all. `device`:
    "auto" takes GPUs if the cluster has some or its autoscaler can start some, "gpu" waits for them.

    `verify`: every token file is read against its checksum first. `branch_from`: the checkpoint that a branch goes on
    from (see `training.branch`); once it has begun, its folder says so too.
    `on_progress` is called in this process with each new record of metrics.jsonl (see `training.metrics`) and the
    config's `steps`. A finished run reports its "result" record and is not trained again.

    Raises ValueError if config, data, output and workers do not fit together, or another run holds `output`. Both are
    checked before Ray starts, unless a running Ray cluster must be asked for its GPUs. Raises InputError for what the
    workers refuse together, and RuntimeError with a worker's error after more than `max_failures` lost workers.
    """
    folder = storage.absolute(output)

    def report(record: Record) -> None:
        if on_progress:
            on_progress({**record, "steps": config.steps})

    begun = Event()

    def heard(record: Record) -> None:
        begun.set()
        report(record)

    starts_ray = ray_address is None and not ray.is_initialized()
    if starts_ray:
        workers = room_here(device).worker_count(workers, least_workers)
    if workers:
        accepted_sizes(config, least_workers, workers)
    first = workers or smallest(config.parallel)
    prepared = _checked(config, data, folder, first, branch_from, verify=verify, here=starts_ray)
    result = run_record.finished(folder)
    if result is None:
        with only_run(folder) as claim:
            run_record.claim(folder, prepared.config, prepared.fingerprint, data, more=prepared.recorded)
            own = replace(config, init=prepared.config.init)  # workers have another folder of their own
            settings = {"config": own, "data": storage.absolute(data), "output": folder, "claim": claim}
            with (
                _ray_cluster(ray_address, workers or 1, device) as meeting,
                _following(storage.join(folder, "metrics.jsonl"), heard),
            ):
                room = room_here(device) if starts_ray else room_of_cluster(device)
                if not starts_ray:
                    workers = room.worker_count(workers, least_workers)
                    costs = check_layout(prepared.config, workers)
                    tell_costs(prepared.config, costs, layout_of(config.parallel, workers))
                assert workers
                sizes = accepted_sizes(config, least_workers, workers)
                room.tell_beginning(sizes)
                settings |= {"leases_gpus": room.on_gpus, "uses_gpus": room.torch_sees_gpus()}
                _fit(settings, sizes, config.max_failures, meeting, begun.is_set)
        result = run_record.finished(folder)
        assert result is not None
    else:
        report({"kind": "result", "step": result["steps"], **result})
    return result


def _checked(
    config: TrainConfig, data: str, folder: str, workers: int, branch_from: str | None, *, verify: bool, here: bool
) -> PreparedData:
    """What can be refused before Ray starts; `here`: the workers run on this machine."""
    check_sinks(config, folder)
    prepared = prepare_run(config, data, workers, find_branch(folder, branch_from))
    if verify:
        log.info("reading every token file against its checksum")
        prepared.data.verify()
    costs = check_layout(prepared.config, workers)
    if here:
        tell_costs(prepared.config, costs, layout_of(config.parallel, workers))
        check_memory(prepared.config, workers)
    if not prepared.parent:
        check_initial(prepared.config, folder, prepared.data)
    run_record.refuse_other_run(folder, prepared.config, prepared.fingerprint)
    return prepared


def _fit(
    settings: dict[str, Any], sizes: list[int], max_failures: int, meeting: str | None, begun: Callable[[], bool]
) -> None:
    """To the end; if nodes turn out to be broken, again without them."""
    output = settings["output"]
    while True:
        known = left_out(output)
        ended = _fit_once(settings, sizes, max_failures, meeting, begun)
        if ended is None:
            return
        broken = {host: reason for host, reason in left_out(output).items() if host not in known}
        if not broken:
            raise ended
        for host, reason in broken.items():
            log.warning("going on without %s: %s", host, reason)


def _fit_once(
    settings: dict[str, Any], sizes: list[int], max_failures: int, meeting: str | None, begun: Callable[[], bool]
) -> WinnowError | None:
    """What ended all workers together, None at the end of the training."""
    workers = sizes[-1]
    # Ray's record of an earlier attempt may name checkpoints that were deleted since.
    storage.delete_file(storage.join(settings["output"], CHECKPOINTS, "checkpoint_manager_snapshot.json"))
    filesystem, parent = storage.resolve(settings["output"])
    uses_gpus = settings["uses_gpus"]
    name = backend(gpu=uses_gpus)
    trainer = ElasticTrainer(
        work,  # Ray passes on what it returns
        sizes=sizes,
        own_ray=meeting is not None,
        train_loop_config=settings,
        torch_config=MeetInFolder(backend=name, folder=meeting) if meeting else TorchConfig(backend=name),
        scaling_config=ScalingConfig(
            num_workers=(sizes[0], workers) if len(sizes) > 1 else workers,  # type: ignore[arg-type]
            use_gpu=settings["leases_gpus"],
            label_selector=without_bad_nodes(settings["output"]),  # type: ignore[call-arg]
        ),
        run_config=RunConfig(
            name=CHECKPOINTS,
            storage_path=parent,
            storage_filesystem=filesystem,
            failure_config=FailureConfig(max_failures=max_failures, preemption_grace_s=SECONDS),  # type: ignore[call-arg]
        ),
    )
    last = max(complete_steps(settings["output"]), default=0)
    known = f", to go on from {masked(folder_of(settings['output'], last))}" if last else ""
    log.info("starting %s training workers%s", " or ".join(map(str, sizes)), known)
    try:
        with (
            stopping(partial(ask_workers, settings["output"]), begun),
            _environment(HANGS if uses_gpus else {}),
        ):
            ended: WinnowError | None = trainer.fit().return_value  # type: ignore[attr-defined]
            if isinstance(ended, StoppedError):
                log.info("%s", str(ended).partition(";")[0])
    except ray.train.TrainingFailedError as error:
        raise RuntimeError(f"training failed and was not resumed: {_cause(error)}") from error
    return ended


@contextmanager
def _ray_cluster(ray_address: str | None, workers: int, device: Device) -> Iterator[str | None]:
    """Connects to Ray, or starts it on this machine; then gives a folder in which the workers can meet.

    A Ray that is already running in this process is used and left running.
    """
    with ExitStack() as stack:
        stack.enter_context(_environment(ENVIRONMENT))
        folder = None
        if not ray.is_initialized():
            quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
            with own_sigterm():
                log.info("starting Ray on this machine" if ray_address is None else "connecting to Ray")
                if ray_address is None:
                    stack.enter_context(_environment(LOOPBACK))
                    folder = stack.enter_context(private_ray(**_resources_here(workers, device), **quiet))
                else:
                    require_listener(ray_address)
                    with own_packages() as own:
                        ray.init(address=ray_address, **quiet, **own)
                    stack.callback(ray.shutdown)
        yield folder


def _resources_here(workers: int, device: Device) -> dict[str, Any]:
    return {
        "num_cpus": max(workers, os.cpu_count() or 1),
        "num_gpus": 0 if device == "cpu" else torch.cuda.device_count(),
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
    }


@contextmanager
def _following(path: str, report: Callable[[Record], None]) -> Iterator[None]:
    """Passes on records that are appended to metrics.jsonl, from a thread."""
    tail = MetricsTail(path)

    def look() -> None:
        for record in tail.take():
            report(record)

    try:
        with repeating(look, tail.pause, "winnow-metrics"):
            yield
    finally:
        look()


@contextmanager
def _environment(defaults: dict[str, str]) -> Iterator[None]:
    """Sets variables that the user has not set; Ray reads these settings from the environment only."""
    unset = {name: value for name, value in defaults.items() if name not in os.environ}
    os.environ.update(unset)
    try:
        yield
    finally:
        for name in unset:
            os.environ.pop(name, None)


def _cause(error: BaseException) -> str:
    """The last line of the first worker's traceback."""
    failures = getattr(error, "worker_failures", None) or {0: error}
    return format_exception_only(next(iter(failures.values())))[-1].strip().splitlines()[-1]
