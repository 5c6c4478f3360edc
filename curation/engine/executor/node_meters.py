"""What all machines of the Ray cluster use of energy: each is read by an actor of its own, this one by this process."""

import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from curation.core.energy import PARTS, UNMEASURED, Meter, Reading
from curation.core.energy_meter import POWERCAP, EnergyMeter
from curation.engine.executor.ray_nodes import alive_nodes

WAIT = 2.0  # seconds for answers; a node that is slower is asked again


class NodeMeters:
    """A machine counts from when its node is first seen; what a node that is lost has answered stays."""

    def __init__(self, powercap: Path = POWERCAP) -> None:
        self._powercap = powercap
        self._own = EnergyMeter(powercap=powercap)
        self._actors: dict[str, Any] = {}
        self._answers: dict[str, Reading] = {}

    def read(self) -> Reading:
        """Joules since the beginning. A node that has not answered yet is unmeasured."""
        nodes = {
            node["NodeID"]
            for node in alive_nodes()
            if node["NodeManagerHostname"] not in (platform.node(), "localhost")
        }
        for node in sorted(nodes - self._actors.keys()):
            pinned = NodeAffinitySchedulingStrategy(node, soft=False)
            actor = ray.remote(_RemoteMeter).options(num_cpus=0, scheduling_strategy=pinned)
            self._actors[node] = actor.remote(self._powercap)
            self._answers[node] = {Meter(part, node, UNMEASURED): None for part in PARTS}
        calls = {self._actors[node].read.remote(): node for node in sorted(nodes)}
        ready = ray.wait([*calls], num_returns=len(calls), timeout=WAIT)[0] if calls else []
        for call in ready:
            with suppress(RayError):
                self._answers[calls[call]] = ray.get(call)
        self._answers = {node: own for node, own in self._answers.items() if node in nodes or any(own.values())}
        own = self._own.read()
        return {meter: used for answer in (*self._answers.values(), own) for meter, used in answer.items()}

    def __enter__(self) -> "NodeMeters":
        self._own.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._own.__exit__()
        self._actors.clear()  # which ends them


class _RemoteMeter:
    """On one node, until its handle is gone."""

    def __init__(self, powercap: Path) -> None:
        self._meter = EnergyMeter(powercap=powercap)
        self._meter.__enter__()

    def read(self) -> Reading:
        return self._meter.read()
