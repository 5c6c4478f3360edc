"""GPUs or CPUs, and how many processes: what was asked for against what a cluster has now and may have later."""

from collections.abc import Iterator

import pytest
import ray
from ray.core.generated import autoscaler_pb2

from tests.support import table
from training.job.room import Device, Room, room_of_cluster


@table(
    ("device", "now", "most", "workers", "least", "count", "gpus"),
    {
        "no GPU": ("auto", 0, 0, None, None, 2, False),
        "CPUs as asked": ("cpu", 4, 4, None, None, 2, False),
        "one per GPU": ("auto", 4, 4, None, None, 4, True),
        "fewer than there are": ("auto", 4, 4, 1, None, 1, True),
        "a node is down, and fewer may begin": ("auto", 2, 2, 4, 2, 4, True),
        "the autoscaler starts more": ("auto", 0, 8, 4, None, 4, True),
        "waits for nodes that join": ("gpu", 0, 0, 4, None, 4, True),
        "on CPUs although GPUs may come": ("cpu", 0, 8, 3, None, 3, False),
    },
)
def test_workers_of_a_cluster(
    device: Device, now: int, most: int, workers: int | None, least: int | None, count: int, gpus: bool
) -> None:
    room = Room(device, now, most, grows=True)
    assert room.worker_count(workers, least) == count
    assert room.on_gpus == gpus


@table(
    ("device", "now", "most", "grows", "workers", "least", "message"),
    {
        "too few": ("auto", 2, 2, True, 4, None, "4 workers were asked for, but there are only 2 GPUs"),
        "fewer than the least": (
            "auto",
            2,
            2,
            True,
            8,
            4,
            "4 workers were asked for, but there are only 2 GPUs .*wait",
        ),
        "of this machine": ("gpu", 1, 1, False, 2, None, "there is only 1 GPU .*give --workers 1 or fewer, or --dev"),
        "none here": ("gpu", 0, 0, False, 2, None, "torch sees no GPU here"),
        "none yet, and no number": ("gpu", 0, 0, True, None, None, "no GPU is up yet.*give --workers"),
    },
)
def test_gpus_that_cannot_come_are_refused(
    device: Device, now: int, most: int, grows: bool, workers: int | None, least: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Room(device, now, most, grows=grows).worker_count(workers, least)


@table(
    ("now", "line"),
    {
        "all": (4, ""),
        "as many as the layout takes": (3, "3 GPUs are up: beginning with 2 of 4 workers"),
        "too few": (1, "1 GPUs are up: waiting until there are 2"),
    },
)
def test_what_is_said_before_the_beginning(now: int, line: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    Room("auto", now, 4, grows=True).tell_beginning([2, 4])
    assert [record.getMessage() for record in caplog.records] == [line][: bool(line)]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of one CPU, and of two GPUs that torch does not see; its autoscaler may start three nodes of four GPUs."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    sizes = {"num_cpus": 1, "num_gpus": 2, "object_store_memory": 80 * 2**20}
    ray.init(address="local", include_dashboard=False, log_to_driver=False, **sizes)
    group = autoscaler_pb2.NodeGroupConfig(name="gpus", resources={"GPU": 4}, max_count=3)
    config = autoscaler_pb2.ClusterConfig(node_group_configs=[group])
    ray._private.worker.global_worker.gcs_client.report_cluster_config(config.SerializeToString())
    yield
    ray.shutdown()


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("cluster")
def test_a_cluster_tells_what_it_has_and_may_have(caplog: pytest.LogCaptureFixture) -> None:
    assert room_of_cluster("auto") == Room("auto", 2, 12, grows=True)
    assert not room_of_cluster("auto").torch_sees_gpus()
    assert "training on CPUs: Ray counts 2 GPUs, and torch" in caplog.text
    with pytest.raises(ValueError, match="sees none on their node; install its CUDA build there"):
        room_of_cluster("gpu").torch_sees_gpus()
