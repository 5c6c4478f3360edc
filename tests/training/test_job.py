"""Ray Train around the loop: what is refused before Ray starts, and an end that says why. What is killed is killed in
tests/faults/test_training.py."""

import inspect
import json
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray
import torch
from ray._private.state import state
from ray.train import ScalingConfig
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

from curation.core.errors import InputError
from curation.core.run_lock import only_run
from tests.training.runs import TINY, counting_documents, write_run
from training import job
from training.checkpoint.manifest import MANIFEST
from training.checkpoint.run_record import recorded_config
from training.config.parse import parse
from training.config.run import TrainConfig
from training.job import train
from training.job.elastic import ElasticTrainer
from training.start import train as begin

Record = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Rows for a bit more than 100 steps of 4."""
    documents = counting_documents(320)
    folder = tmp_path_factory.mktemp("run") / "run"
    return str(write_run(folder, documents, validation=counting_documents(7, seed=1)))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    yield
    ray.shutdown()


@pytest.mark.parametrize(
    ("settings", "workers", "message"),
    [
        pytest.param({"batch_rows": 6}, 4, "batch_rows 6 cannot be shared evenly by 4 workers", id="uneven batch"),
        pytest.param({"steps": 1000}, 2, "steps 1,000 of 4 rows need 4,000 rows", id="more steps than data"),
        pytest.param({"sequence_length": 17}, 2, "sequence_length 17 is longer", id="too long"),
    ],
)
def test_refused_before_ray_starts(run: str, tmp_path: Path, settings: Record, workers: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(parse({**TINY, **settings}), run, str(tmp_path / "out"), workers=workers)
    assert not ray.is_initialized()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("gpus", "message"),
    [
        (1, "5 workers were asked for, but there is only 1 GPU and each worker needs its own; give --workers 1 or"),
        (4, "5 workers were asked for, but there are only 4 GPUs"),
    ],
)
def test_more_workers_than_gpus_are_refused_before_ray_starts(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpus: int, message: str
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    with pytest.raises(ValueError, match=message):
        train(parse({**TINY, "batch_rows": 5}), run, str(tmp_path / "out"), workers=5)
    assert not ray.is_initialized()


@pytest.mark.parametrize(("gpus", "workers"), [(0, 2), (1, 1), (4, 4)])
def test_a_machine_uses_the_gpus_that_it_has(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpus: int, workers: int
) -> None:
    """The Ray that is started knows them all, and each worker asks for one."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    started, asked, _ = fitted(monkeypatch, tmp_path, gpus, lambda: train(parse(TINY), run, str(tmp_path)))
    assert started["num_gpus"] == gpus
    assert (asked.num_workers, asked.use_gpu) == (workers, gpus > 0)


def test_a_cluster_is_asked_for_its_gpus(run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)  # of this machine
    started, asked, _ = fitted(
        monkeypatch, tmp_path, 2, lambda: train(parse(TINY), run, str(tmp_path), ray_address="there:6379")
    )
    assert (started["address"], "num_gpus" in started) == ("there:6379", False)
    assert (asked.num_workers, asked.use_gpu) == (2, True)


def test_a_training_begins_with_the_gpus_that_are_up(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A node of the cluster is down."""
    caplog.set_level("INFO")
    call = partial(train, parse(TINY), run, str(tmp_path), ray_address="there:6379", workers=4, least_workers=2)
    _, asked, _ = fitted(monkeypatch, tmp_path, 2, call)
    assert (asked.num_workers, asked.use_gpu) == ((2, 4), True)
    assert "2 GPUs are up: beginning with 2 of 4 workers" in caplog.text


def test_a_cluster_with_too_few_gpus_is_refused(run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="4 workers were asked for, but there are only 2 GPUs"):
        fitted(
            monkeypatch,
            tmp_path,
            2,
            lambda: train(parse(TINY), run, str(tmp_path), ray_address="there:6379", workers=4),
        )


def fitted(
    monkeypatch: pytest.MonkeyPatch, folder: Path, gpus: int, call: Callable[[], Record]
) -> tuple[Record, ScalingConfig, TrainConfig]:
    """What a training starts Ray with and asks of it, and the config that its workers get, on a cluster with so many
    GPUs that is only pretended."""

    seen: Record = {}

    class Trainer:
        def __init__(self, *_: object, scaling_config: ScalingConfig, train_loop_config: Record, **__: object) -> None:
            seen.update(asked=scaling_config, config=train_loop_config["config"])

        def fit(self) -> None:
            raise InterruptedError

    monkeypatch.setattr(job, "ElasticTrainer", Trainer)
    monkeypatch.setattr(job, "require_listener", lambda address: None)
    monkeypatch.setenv("RAY_TMPDIR", str(folder))
    monkeypatch.setattr(ray, "init", lambda **options: seen.update(started=options))
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 4.0, **({"GPU": float(gpus)} if gpus else {})})
    monkeypatch.setattr(state, "get_max_resources_from_cluster_config", lambda: None)
    monkeypatch.setattr(ray, "remote", lambda **_: lambda function: SimpleNamespace(remote=lambda: True))
    monkeypatch.setattr(ray, "get", lambda answer, timeout: answer)
    with pytest.raises(InterruptedError):
        call()
    return seen["started"], seen["asked"], seen["config"]


def test_a_path_of_initial_weights_holds_in_the_folders_of_workers(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(parse({**TINY, "steps": 3}), run, "first")
    config = parse({**TINY, "init": "first"})
    _, _, given = fitted(monkeypatch, tmp_path, 0, lambda: train(config, run, "second", workers=2))
    recorded = recorded_config(str(tmp_path / "second"))
    assert given.init == recorded.init == str(tmp_path / "first")


def test_a_second_training_is_refused_before_ray_starts(run: str, tmp_path: Path) -> None:
    with only_run(str(tmp_path)), pytest.raises(ValueError, match=r"another winnow is running in .*: process"):
        train(parse(TINY), run, str(tmp_path))
    assert not ray.is_initialized()


def test_missing_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"neither a run \(no run.json\) nor a mix"):
        train(parse(TINY), str(tmp_path), str(tmp_path / "out"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("cluster")
def test_a_run_that_cannot_go_on_says_why(run: str, tmp_path: Path) -> None:
    wild = {"learning_rate": 1e30, "max_gradient_norm": 1e30}
    with pytest.raises(InputError, match=r"is not finite at step \d; lower the optimizer's"):
        train(parse({**TINY, "optimizer": {"adamw": wild}, "max_failures": 3}), run, str(tmp_path))
    records = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [record["kind"] for record in records].count("start") == 1  # it is not tried again
    assert "not finite" in (tmp_path / "failure.json").read_text()


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("cluster")
def test_what_all_workers_refuse_is_said_once_and_not_tried_again(run: str, tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "step_3").mkdir(parents=True)
    (tmp_path / "checkpoints" / "step_3" / MANIFEST).write_text("cut sho")
    with pytest.raises(
        InputError, match=rf"no checkpoint in {tmp_path} is whole \(step_3: {MANIFEST} cannot be read\)"
    ):
        train(parse({**TINY, "max_failures": 100}), run, str(tmp_path))
    assert not (tmp_path / "metrics.jsonl").exists()


def test_ray_does_not_answer_ctrl_c() -> None:
    """Its handler would end the workers without a checkpoint."""
    before = signal.getsignal(signal.SIGINT)
    ElasticTrainer._register_sigint_handler(object(), None)  # type: ignore[arg-type]
    assert signal.getsignal(signal.SIGINT) is before
    assert "self._register_sigint_handler(" in inspect.getsource(DataParallelTrainer)  # which Ray still calls
