"""A component that no node can hold is refused, with what it asks for and what there is."""

from dataclasses import dataclass

import pytest

from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.needs import Needs
from curation.engine.executor import ray_nodes
from curation.engine.executor.ray_nodes import can_hold, check_resources, cluster_cores
from curation.filters.gopher_quality import GopherQuality

SMALL = {"Resources": {"CPU": 2.0, "memory": 8e9}}
GPU = {"Resources": {"CPU": 1.0, "memory": 4e9, "GPU": 1.0}}


@dataclass(frozen=True)
class Large(Component):
    def needs(self) -> Needs:
        return Needs(num_cpus=1.0, memory=6 * 10**9, num_gpus=1.0)


@pytest.mark.parametrize(
    ("needs", "small", "gpu"),
    [
        (Needs(), True, True),
        (Needs(num_cpus=2.0), True, False),
        (Needs(memory=5 * 10**9), True, False),
        (Needs(num_gpus=0.5), False, True),
    ],
)
def test_what_a_node_can_hold(needs: Needs, small: bool, gpu: bool) -> None:
    assert (can_hold(SMALL, needs), can_hold(GPU, needs)) == (small, gpu)


def test_what_no_single_node_has_is_refused() -> None:
    check_resources((("gopher_quality", GopherQuality()),), [SMALL])
    message = (
        r"large asks for 1 cores, 6.0 GB of memory and 1 GPUs for each task; the most that a node here has is 2 cores, "
        r"8.0 GB and 1 GPUs; name a Ray cluster"
    )
    with pytest.raises(RecipeError, match=message):
        check_resources((("large", Large()),), [SMALL, GPU])


def test_cores_are_those_of_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cluster_cores() == 1
    monkeypatch.setattr(ray_nodes, "alive_nodes", lambda: [SMALL, GPU, {"Resources": {}}])
    assert cluster_cores() == 3
