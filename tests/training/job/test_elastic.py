"""How many workers a cluster gets that lost some of its nodes. tests/faults/test_training.py has one that lives it."""

import pytest
import ray
from ray.train import ScalingConfig

from training.job.elastic import AcceptedSizes


@pytest.mark.parametrize(
    ("alive", "workers"),
    [
        pytest.param({"a": True, "b": True, "c": True}, 4, id="room for five"),
        pytest.param({"a": True, "b": False, "c": True}, 2, id="a dead node, and three where two or four can train"),
        pytest.param({"a": True}, 2, id="nodes that are gone"),
        pytest.param({"d": True}, 0, id="none"),
    ],
)
def test_the_largest_size_that_has_room(alive: dict[str, bool], workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "nodes", lambda: [{"NodeID": node, "Alive": lives} for node, lives in alive.items()])
    policy = AcceptedSizes(ScalingConfig(num_workers=(1, 4), use_gpu=True), [1, 2, 4])
    reserved = {"a": {"GPU": 2.0, "CPU": 8.0}, "b": {"GPU": 2.0, "CPU": 8.0}, "c": {"GPU": 1.0, "CPU": 8.0}}
    assert policy._count_possible_workers(reserved) == workers
