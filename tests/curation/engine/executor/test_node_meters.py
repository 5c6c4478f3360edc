"""Each machine of a cluster is read once: this one here, the others by an actor on them; no machine is guessed at."""

import platform
from pathlib import Path
from typing import Any

import pytest

from curation.core.energy import UNMEASURED, Meter
from curation.core.energy_meter import machine
from curation.engine.executor import node_meters
from curation.engine.executor.node_meters import NodeMeters
from tests.curation.core.machines import write_zones
from tests.runs import python

CPU = Meter("cpu", f"{machine()}/intel-rapl:0", "RAPL")
SCRIPT = """
import sys
import time
from pathlib import Path
from curation.engine.executor import node_meters
from curation.engine.executor.on_ray import OnRay
from tests.curation.core.machines import write_zones
node_meters.platform.node = lambda: "another"
with OnRay(cpus=1) as executor:
    executor.start()
    meters = node_meters.NodeMeters(Path(sys.argv[1]))
    meters._own = node_meters.EnergyMeter((), Path(sys.argv[1]) / "none")
    with meters:
        used = meters.read()
        print({meter.source for meter in used})
        while not any(meter.source == "RAPL" for meter in used):
            used = meters.read()
        write_zones(Path(sys.argv[1]), {"intel-rapl:0": ("package-0", 9_000_000)})
        print([joules for meter, joules in meters.read().items() if meter.source == "RAPL"])
"""


@pytest.mark.slow
def test_another_node_is_read_by_an_actor_on_it(tmp_path: Path) -> None:
    write_zones(tmp_path, {"intel-rapl:0": ("package-0", 5_000_000)})
    done = python(SCRIPT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[4.0]"


IDS = {"there": "aa" * 28, "mute": "bb" * 28}


def nodes(*hosts: str) -> Any:
    return lambda: [{"NodeID": IDS.get(host, ""), "NodeManagerHostname": host} for host in hosts]


def test_this_machine_needs_no_actor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_zones(tmp_path, {"intel-rapl:0": ("package-0", 5_000_000)})
    monkeypatch.setattr(node_meters, "alive_nodes", nodes(platform.node()))
    monkeypatch.setattr(node_meters.ray, "remote", lambda _: pytest.fail("an actor"))
    meters = NodeMeters(folder)
    write_zones(tmp_path, {"intel-rapl:0": ("package-0", 8_000_000)})
    assert meters.read()[CPU] == 3.0


def test_a_node_that_never_answers_is_unmeasured_and_one_that_is_lost_keeps_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Meter("cpu", "there/intel-rapl:0", "RAPL")
    answers: dict[str, Any] = {IDS["there"]: {there: 7.0}}

    class Actor:
        """Its handles are the names of nodes, and so are its calls."""

        def options(self, *, num_cpus: int, scheduling_strategy: Any) -> "Actor":
            assert num_cpus == 0
            self.node = scheduling_strategy.node_id
            return self

        @property
        def read(self) -> "Actor":
            return self

        def remote(self, *_: object) -> Any:
            made = Actor()
            made.node = self.node
            return made if _ else self.node

    monkeypatch.setattr(node_meters.ray, "remote", lambda _: Actor())
    monkeypatch.setattr(node_meters.ray, "wait", lambda calls, **_: ([one for one in calls if one in answers], []))
    monkeypatch.setattr(node_meters.ray, "get", answers.get)
    monkeypatch.setattr(node_meters, "alive_nodes", nodes("there", "mute"))
    meters = NodeMeters(tmp_path)
    used = meters.read()
    assert used[there] == 7.0
    assert used[Meter("cpu", IDS["mute"], UNMEASURED)] is None
    monkeypatch.setattr(node_meters, "alive_nodes", nodes())
    used = meters.read()
    assert used[there] == 7.0
    assert Meter("cpu", IDS["mute"], UNMEASURED) not in used
