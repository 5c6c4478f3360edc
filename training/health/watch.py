"""Looks after all processes of a training wherever a step is logged, and tells of what is wrong by process and node."""

import logging
import platform
import time
from collections.abc import Callable
from statistics import median
from threading import Event
from typing import NamedTuple

from curation.core.energy import Reading
from training.config.run import TrainConfig
from training.health.energy import EnergyLog
from training.health.gpu import GpuState, GpuWatch
from training.health.nodes import leave_out
from training.health.speed import SlowRanks, SpeedProbe
from training.metrics.records import Record
from training.parallel.mesh import Worker

log = logging.getLogger(__name__)
WAITS = 0.2  # of its time, for data


class Condition(NamedTuple):
    """Of one process."""

    host: str
    seconds: float  # of its probe
    waited: float  # share of the time since it was looked at last, for data
    gpu: GpuState
    used: Reading


class HealthWatch:
    """Every process makes one; `waited`: seconds for data since the start."""

    def __init__(self, output: str, worker: Worker, asked: Event, waited: Callable[[], float]) -> None:
        self._output = output
        self._worker = worker
        self._asked = asked
        self._waited = waited
        self._probe = SpeedProbe(worker.device)
        self._gpu = GpuWatch(worker.device)
        self._slow = SlowRanks(worker.device)
        self._energy = EnergyLog(output, worker.device, writes=worker.first)
        self._told: set[str] = set()
        self._last = time.perf_counter(), 0.0

    def look(self) -> Record:
        """`probe`: median and greatest seconds, and whose the greatest are; `problems`: what is wrong, if something is;
        `energy_consumed`: kWh so far.

        A process whose GPU is broken has its node left out, and asks all to stop. Every process must call it."""
        own = Condition(platform.node(), self._probe.seconds(), self._share(), self._gpu.state(), self._energy.read())
        self._leave_out(own.gpu)
        all_of_them = self._worker.gather(own)
        seconds = [condition.seconds for condition in all_of_them]
        worst = max(range(len(seconds)), key=seconds.__getitem__)
        problems = self._problems(all_of_them)
        if self._worker.first:
            self._tell(problems)
        probe = {"median": median(seconds), "most": seconds[worst], "rank": worst}
        energy = self._energy.add(condition.used for condition in all_of_them)
        facts = {"probe": probe, "energy_consumed": energy.energy_consumed}
        return {**facts, **({"problems": list(problems.values())} if problems else {})}

    def energy(self, config: TrainConfig) -> Record:
        """Over all attempts, until now (see `curation.core.energy`). Every process must call it and gets the same."""
        own = self._energy.add(self._worker.gather(self._energy.read()), last=True)
        return self._worker.gather(own)[0].on_grid(config.country_iso_code, config.carbon_intensity).record()

    def close(self) -> None:
        """Also after an error, which may be that of a broken GPU."""
        self._energy.close()
        self._leave_out(self._gpu.state())

    def _leave_out(self, gpu: GpuState) -> None:
        if gpu.broken:
            leave_out(self._output, f"the GPU of process {self._worker.rank} is broken: {gpu.broken}")
            self._asked.set()

    def _share(self) -> float:
        waited = self._waited()
        now = time.perf_counter()
        then, before = self._last
        self._last = now, waited
        return (waited - before) / max(now - then, 1e-9)

    def _problems(self, conditions: list[Condition]) -> dict[str, str]:
        """Texts, by what they are about."""
        found: dict[str, str] = {}
        for rank, times in self._slow.look([condition.seconds for condition in conditions]).items():
            who = f"process {rank} on {conditions[rank].host}"
            found[f"slow {rank}"] = f"{who} is {times:.1f} times as slow as the median; all others wait for it"
        for rank, condition in enumerate(conditions):
            if condition.waited > WAITS:
                found[f"waits {rank}"] = (
                    f"process {rank} on {condition.host} waits for data {condition.waited:.0%} of its time"
                )
            who = f"the GPU of process {rank} on {condition.host}"
            if condition.gpu.slowed:
                found[f"slowed {rank}"] = f"{who} is held back by {condition.gpu.slowed}"
            if condition.gpu.broken:
                found[f"broken {rank}"] = f"{who} is broken: {condition.gpu.broken}; its node is left out"
        return found

    def _tell(self, problems: dict[str, str]) -> None:
        """Once each."""
        for about in problems.keys() - self._told:
            log.warning("%s", problems[about])
        self._told |= problems.keys()
