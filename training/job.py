"""Runs the training loop with Ray Train: starts the workers, and restarts them from a checkpoint when one is lost.

The loop does everything else, and its files are the only state: a restarted worker group, or the same command run
again, continues from the newest complete checkpoint in the output folder. All workers must see that folder, and the
token data must have the same path on every machine. No other module of training imports ray.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
import ray.train
import torch
from ray.train import Checkpoint, CheckpointUploadMode, FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchConfig, TorchTrainer, get_device

from training import checkpoint, loop
from training.config import TrainConfig
from training.data.check import check_workers, prepare
from training.metrics import MetricsTail
from training.parallel.mesh import backend

OBJECT_STORE_BYTES = 100 * 2**20  # of a Ray started here; training keeps nothing in it
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # How often the controller polls its workers; each report waits for one poll. The default is 2 s.
    "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.2",
    # Two workers took 100 s to import torch and form a group (2 cores under load, November 2026).
    "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "300",
}
LOCAL_ENVIRONMENT = {
    # Without this, Ray 2.60 writes a token into the home folder, even if nobody else can reach the Ray cluster.
    "RAY_AUTH_MODE": "disabled",
    "RAY_raylet_start_wait_time_s": "180",
}


def train(
    config: TrainConfig,
    data: str,
    output: str,
    *,
    ray_address: str | None = None,
    workers: int | None = None,
    on_progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Trains on `workers` processes (None: see `worker_count`) of the Ray cluster at `ray_address` (None: one that is
    started on this machine); returns result.json.

    `on_progress` is called in this process with each new record of metrics.jsonl (see `training.metrics`), to which the
    config's `steps` are added; a finished run reports its "result" record at once and trains nothing. Raises ValueError
    if config, data, output and workers do not fit together, which is checked before Ray starts unless a running Ray
    cluster must be asked for its GPUs. Raises RuntimeError with the worker's error after more than `max_failures` lost
    workers.
    """
    folder = Path(output).absolute()

    def report(record: dict[str, Any]) -> None:
        if on_progress:
            on_progress({**record, "steps": config.steps})

    starts_ray = ray_address is None and not ray.is_initialized()
    if starts_ray:
        workers = worker_count(workers, torch.cuda.device_count())
    prepared = prepare(config, data, workers or 1)
    checkpoint.refuse_other_run(folder, prepared.config, prepared.fingerprint)
    result = checkpoint.finished(folder)
    if result is None:
        checkpoint.claim(folder, prepared.config, prepared.fingerprint, data)
        # Workers have another working directory.
        settings = {"config": config, "data": checkpoint.absolute(data), "output": str(folder)}
        with _ray_cluster(ray_address, workers or 1), _following(folder / "metrics.jsonl", report):
            if not starts_ray:
                workers = worker_count(workers, int(_resources().get("GPU", 0)))
                check_workers(config, workers)
            assert workers
            _fit(settings, workers, config.max_failures)
        result = checkpoint.finished(folder)
        assert result is not None
    else:
        report({"kind": "result", "step": result["steps"], **result})
    return result


def worker_count(asked: int | None, gpus: int) -> int:
    """The number asked for, else one per GPU, or 2 without any.

    Raises ValueError for more workers than GPUs, because two processes cannot train on one GPU.
    """
    if gpus and asked and asked > gpus:
        have = "is only 1 GPU" if gpus == 1 else f"are only {gpus} GPUs"
        raise ValueError(
            f"{asked} workers were asked for, but there {have} and each worker needs its own; give --workers "
            f"{gpus} or fewer, or set CUDA_VISIBLE_DEVICES to nothing to train on CPUs"
        )
    return asked or gpus or 2


def _resources() -> dict[str, float]:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return resources


def _fit(settings: dict[str, Any], workers: int, max_failures: int) -> None:
    # Ray's record of an earlier attempt may name checkpoints that have been deleted.
    folder = Path(settings["output"]) / "checkpoints"
    (folder / "checkpoint_manager_snapshot.json").unlink(missing_ok=True)
    use_gpu = _resources().get("GPU", 0) >= workers
    trainer = TorchTrainer(
        _work,
        train_loop_config=settings,
        torch_config=TorchConfig(backend=backend(gpu=use_gpu)),
        scaling_config=ScalingConfig(num_workers=workers, use_gpu=use_gpu),
        run_config=RunConfig(
            name=folder.name,
            storage_path=str(folder.parent),
            failure_config=FailureConfig(max_failures=max_failures),
        ),
    )
    try:
        trainer.fit()
    except SystemExit as error:  # raised by Ray on Ctrl-C
        raise KeyboardInterrupt from error
    except ray.train.TrainingFailedError as error:
        raise RuntimeError(f"training failed and was not resumed: {_cause(error)}") from error


def _work(settings: dict[str, Any]) -> None:
    """One worker."""
    if torch.cuda.is_available():
        torch.cuda.set_device(get_device())
    loop.train(settings["config"], settings["data"], settings["output"], on_checkpoint=_report)


def _report(path: Path, step: int) -> None:
    """Makes a checkpoint known to Ray; it stays where it is."""
    ray.train.report(
        {"step": step},
        checkpoint=Checkpoint.from_directory(path),
        checkpoint_dir_name=path.name,
        checkpoint_upload_mode=CheckpointUploadMode.NO_UPLOAD,
    )


@contextmanager
def _ray_cluster(ray_address: str | None, workers: int) -> Iterator[None]:
    """Connects to Ray or starts it; a Ray that this process already uses is left running."""
    _set_environment(ENVIRONMENT)
    if ray.is_initialized():
        yield
        return
    local: dict[str, Any] = {}
    if ray_address is None:
        _set_environment(LOCAL_ENVIRONMENT)
        local = {
            "num_cpus": max(workers, os.cpu_count() or 1),
            "num_gpus": torch.cuda.device_count(),
            "include_dashboard": False,
            "object_store_memory": OBJECT_STORE_BYTES,
        }
    handler = signal.getsignal(signal.SIGTERM)
    ray.init(address=ray_address or "local", log_to_driver=False, logging_level=logging.ERROR, **local)
    # Ray replaces the handler by one that ends the program silently.
    if callable(handler) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _following(path: Path, report: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """Passes on records that are appended to metrics.jsonl, from a thread, twice a second."""
    tail, stopped = MetricsTail(path), threading.Event()

    def follow() -> None:
        while not stopped.wait(0.5):
            for record in tail.take():
                report(record)

    thread = threading.Thread(target=follow, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
        for record in tail.take():
            report(record)
        tail.close()


def _set_environment(defaults: dict[str, str]) -> None:
    """Ray reads these settings from the environment only; the user's own values stay."""
    for name, value in defaults.items():
        os.environ.setdefault(name, value)


def _cause(error: BaseException) -> str:
    """The last line of the first worker's traceback."""
    failures = getattr(error, "worker_failures", None) or {0: error}
    return str(next(iter(failures.values()))).strip().splitlines()[-1]
