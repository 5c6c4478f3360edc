"""What one step of a stage will take on a cluster: its seconds, its units, what it writes, its requests and memory.

Work grows with the documents; a dedup's with their power of DEDUP_EXPONENT. The first unit that a process runs is slow,
which says nothing of the others: as many of the sample's longest units as it had cores are left out of its rate, where
there are FEW_UNITS times as many. UNIT_SECONDS of a unit do not grow with what it holds. What the sample's wall time
was beyond the work is Ray's: a share per unit, the same for all steps, and the start of processes, once. Of each unit
the driver takes DRIVER_SECONDS, one after the other, whatever the number of nodes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from statistics import median

from curation.core.errors import InputError
from curation.core.manifest import StepWork
from curation.engine.executor.work import wave_units
from curation.engine.sizing.step_layout import SizedStage, fit_groups, learned_more, memory_of, requests_of, units_of

DEDUP_EXPONENT = 1.02  # of CPU time: benchmarks/README.md, 200,000 to 2 million documents on 2026-11-21
FIT_EXPONENT = 0.61  # of the seconds of a fit: `demo`'s tokenizer on ten times the pages, see benchmarks/README.md
FEW_UNITS = 8  # times the cores
UNIT_SECONDS = 0.01  # of a unit, however little it holds: the least of the steps of a dedup on 2026-11-22
DRIVER_SECONDS = 0.008  # of the driver's own CPU time per unit: 4,096 empty units on 2026-11-22
READ_SECONDS = 4.2e-9  # per byte of text that a fit reads but does not learn from, on 2026-11-22 …
OPEN_SECONDS = 0.0035  # … and per shard, on a local disk


@dataclass(frozen=True)
class Nodes:
    """Machines of a cluster, all alike."""

    count: int
    cpus: int  # of each

    def slots(self, step: StepWork) -> int:
        """Tasks of the step at a time. Raises InputError where no node could hold one."""
        if self.cpus < step.cpus:
            raise InputError(f"{step.name} asks for {step.cpus:g} cores a task, more than the {self.cpus} of a node")
        return self.count * int(self.cpus // step.cpus)


@dataclass(frozen=True)
class StepSize:
    """`bound` says what keeps the step from ending sooner: "" (the cores), "driver" or "unit". `waiting_seconds` of the
    wall time are beyond what the work takes on all cores."""

    name: str
    units: int
    core_seconds: float
    longest: float  # seconds of one unit
    wall_seconds: float
    waiting_seconds: float
    file_bytes: int
    requests: int
    memory: int  # bytes that a task asks for
    bound: str


def ray_seconds(steps: Iterable[StepWork]) -> float:
    """Core-seconds of Ray's own for a unit: the median over the sample's steps that had many units; 0 without such."""
    shares = [_lost(step) * step.cores / step.units for step in steps if step.units >= FEW_UNITS * step.cores]
    return median(shares) if shares else 0.0


def size_step(step: StepWork, stage: SizedStage, nodes: Nodes, ray: float) -> StepSize:
    """The step of the planned run, as `step` was in the sample; `ray` as `ray_seconds` gives it."""
    units = units_of(step, stage)
    slots = nodes.slots(step)
    seconds, longest = _work(step, stage, units, slots)
    start = max(0.0, _lost(step) - ray * step.units / step.cores)
    wall = wall_of(units, seconds, longest, slots) + ray * units / slots + start
    driver = DRIVER_SECONDS * units
    return StepSize(
        name=step.name,
        units=units,
        core_seconds=seconds,
        longest=longest,
        wall_seconds=max(wall, driver),
        waiting_seconds=max(wall, driver) - seconds / slots,
        file_bytes=round(step.file_bytes * _written_more(step, stage)),
        requests=requests_of(step, stage, units),
        memory=memory_of(step, stage, units),
        bound="driver" if driver > wall else _bound(units, seconds / slots, longest, wall),
    )


def _work(step: StepWork, stage: SizedStage, units: int, slots: int) -> tuple[float, float]:
    """Core-seconds of all units, and seconds of the longest."""
    growth = stage.growth
    cores = step.cores
    if stage.node.verb.learns:
        seconds = _fit_seconds(step, stage)
        return seconds, max(seconds / units, step.longest)
    rate = step.seconds / max(step.units, 1)
    start = 0.0
    if step.units >= FEW_UNITS * cores:
        rate = (step.seconds - step.first_seconds) / (step.units - cores)
        start = max(0.0, step.seconds - rate * step.units) / cores  # of one process
    grown = growth.documents**DEDUP_EXPONENT if stage.node.verb.clusters else growth.documents
    seconds = max(0.0, rate - UNIT_SECONDS) * step.units * grown + UNIT_SECONDS * units + start * min(slots, units)
    uneven = max(step.longest - start, rate) / rate if rate else 1.0
    return seconds, seconds if units == 1 else seconds / max(units, 1) * max(uneven, growth.largest / growth.unit)


def _fit_seconds(step: StepWork, stage: SizedStage) -> float:
    """A fit learns from no more text than its limit, from distinct words in the end. It counts what it learns from, and
    reads all that there is."""
    more = learned_more(stage)
    if step.name in ("gather", "merge"):
        return step.seconds * more
    work = step.seconds * (more if step.name == "count" else more**FIT_EXPONENT)
    if step.name == "learn":
        return work
    read = READ_SECONDS * fit_groups(stage)[0] * (stage.growth.documents - more)
    return work + read + OPEN_SECONDS * (stage.growth.shards - len(stage.sample.shards))


def _written_more(step: StepWork, stage: SizedStage) -> float:
    """How many times the sample's bytes the step writes."""
    if not stage.node.verb.learns:
        return stage.growth.documents
    return 1 if step.name == "learn" else learned_more(stage)


def wall_of(units: int, seconds: float, longest: float, slots: int) -> float:
    """Seconds until all units have ended. They run in waves; each ends with its slowest."""
    wave = wave_units(slots)
    full, rest = divmod(units, wave)
    mean = seconds / max(units, 1)
    return full * _wave(wave, mean, longest, slots) + _wave(rest, mean, longest, slots)


def _wave(units: int, mean: float, longest: float, slots: int) -> float:
    if units <= slots:
        return longest if units else 0.0
    last = longest * (1 - 1 / slots) / 2  # that some cores wait for the others at the end
    return max(units * mean / slots + last, ceil(units / slots) * mean)


def _lost(step: StepWork) -> float:
    """Seconds of the sample's step that were not its units' work: Ray's."""
    return max(0.0, step.wall_seconds - wall_of(step.units, step.seconds, step.longest, step.cores))


def _bound(units: int, ideal: float, longest: float, wall: float) -> str:
    if wall < 1.5 * ideal:
        return ""
    return "unit" if longest > wall / 3 else ""
