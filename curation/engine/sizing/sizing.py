"""Predicts a run on a cluster, stage by stage: hours, cost, bytes written, requests and memory, from a finished run of
the same recipe on a sample. Starts no Ray and writes nothing.

All is linear in what each step of the sample took: a first stage grows by the bytes of its input, any other by the
documents that reach it, and a fit by the text that it learns from. The first unit that a process runs
is slow, which says nothing of the others: as many of the longest units as the sample had cores are left out of a rate,
where there are FEW_UNITS times as many. What a step's wall time was beyond its work (the start of processes) is added
once. Of each unit the driver takes DRIVER_SECONDS, one after the other, whatever the number of nodes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf

from curation.core.commits import GROUP_UNITS
from curation.core.component import only
from curation.core.errors import InputError
from curation.core.fits import Fit
from curation.core.manifest import Manifest, StepWork
from curation.core.needs import MEMORY
from curation.core.progress import duration
from curation.engine.dedup.layout import WORKED_ON, blocks_for
from curation.engine.dedup.rounds import parts_for
from curation.engine.executor.work import wave_units
from curation.engine.fit.portions import MOST_PORTIONS
from curation.engine.recipe.node import Node
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.run.exchange import GROUP_BYTES, RANGES, buckets_for
from curation.engine.run.token_units import MOST_SHARDS, TOKEN_SHARD_BYTES
from curation.engine.sizing.growth import HOW, Growth, growths, sample_stages

FEW_UNITS = 8  # times the cores
DRIVER_SECONDS = 0.008  # of the driver's own CPU time per unit: 4,096 empty units on 2026-11-22
REQUESTS = 4  # per unit or shard of a step at most, as the engine's tests enforce, …
RANGE_REQUESTS = 2  # … and per range that a unit is sent
BY_BUCKET = {"sort index": 1, "collide": WORKED_ON, "collide again": WORKED_ON}  # a task holds its rows so many times
BY_BLOCK = ("refine", "fetch", "verify", "attach")
BY_ROWS = (*BY_BUCKET, "fetch", "verify", "elect")  # a task's memory follows from the rows of its unit
FIT_EXPONENT = 0.61  # of the seconds of a fit's last step: it learns from distinct words; see benchmarks/README.md
KNOWN_SECONDS = 1.0  # of work: a rate that rests on less is mostly what a unit costs that holds nothing
# Worth a warning is a step of more than NOTABLE of the run's time and more than MINUTE, in which the cores wait for
# more than WAITING of the stage's time and more than MINUTE.
NOTABLE = 0.05
WAITING = 0.1
MINUTE = 60.0
ASSUMED = (
    "every stage keeps the share of documents that it kept in the sample, and its documents are as long",
    "cores as fast as the sample's, nothing else on them, the sample run at once and not resumed",
    "no node is lost and no unit fails: add what your spot prices cost you in units done twice",
    "storage and network keep up with the cores; requests are upper bounds, gathering of exchanged files is not timed",
)


@dataclass(frozen=True)
class StepSize:
    """`longest` is of one unit; `memory` in bytes is what a task asks for."""

    name: str
    units: int
    core_seconds: float
    longest: float
    wall_seconds: float
    waiting_seconds: float  # of the wall time, beyond what the work takes on all cores
    file_bytes: int
    requests: int
    memory: int


@dataclass(frozen=True)
class StageSize:
    """A stage of the planned run; `memory` is the most that one of its tasks asks for, in bytes."""

    name: str
    documents: int  # that it reads
    units: int  # of the step with the most units
    core_seconds: float
    wall_seconds: float
    file_bytes: int
    requests: int
    memory: int
    steps: tuple[StepSize, ...]


@dataclass(frozen=True)
class Sizing:
    """The whole run; `cost` is in the unit of the price, None without one."""

    nodes: int
    cpus: int
    hours: float
    node_hours: float
    core_hours: float
    cost: float | None
    file_bytes: int
    requests: int
    memory: int
    stages: tuple[StageSize, ...]
    warnings: tuple[str, ...]
    assumed: tuple[str, ...] = ASSUMED


def size_run(
    recipe: Recipe, sample: str, *, nodes: int, cpus: int, times: float = 1.0, price: float | None = None
) -> Sizing:
    """What the recipe takes on its inputs, `times` as large as they are listed; `cpus` are of each node, `price` is of
    a node for an hour.

    Raises InputError where the sample lacks a stage, its inputs have no known size, or no node could hold a task.
    """
    if nodes < 1 or cpus < 1 or not 0 < times < inf:
        given = f"{nodes} nodes of {cpus} cores and times {times}"
        raise InputError(f"a plan needs at least one node with one core and an input, got {given}")
    plan = build_plan(recipe)
    manifests = sample_stages(sample, plan)
    if not any(manifest.total("kept") for manifest in manifests):
        raise InputError(f"{sample} kept no document, so that nothing is known of later stages; {HOW}")
    grown = growths(recipe, plan, manifests, times)
    sized = tuple(_stage(*fields, nodes, cpus) for fields in zip(plan, manifests, grown, strict=True))
    hours = sum(stage.wall_seconds for stage in sized) / 3600
    return Sizing(
        nodes=nodes,
        cpus=cpus,
        hours=hours,
        node_hours=hours * nodes,
        core_hours=sum(stage.core_seconds for stage in sized) / 3600,
        cost=None if price is None else hours * nodes * price,
        file_bytes=sum(stage.file_bytes for stage in sized),
        requests=sum(stage.requests for stage in sized),
        memory=max(stage.memory for stage in sized),
        stages=sized,
        warnings=tuple(_warnings(plan, manifests, grown, sized)),
    )


def _stage(node: Node, sample: Manifest, growth: Growth, nodes: int, cpus: int) -> StageSize:
    steps = tuple(_step(step, node, sample, growth, nodes, cpus) for step in sample.steps)
    between = max(0.0, sample.wall_seconds - sum(step.wall_seconds for step in sample.steps))
    return StageSize(
        name=node.name,
        documents=round(sample.total("rows") * growth.documents),
        units=max((step.units for step in steps), default=0),
        core_seconds=sum(step.core_seconds for step in steps),
        wall_seconds=between + sum(step.wall_seconds for step in steps),
        file_bytes=sum(step.file_bytes for step in steps),
        requests=sum(step.requests for step in steps),
        memory=max((step.memory for step in steps), default=0),
        steps=steps,
    )


def _step(step: StepWork, node: Node, sample: Manifest, growth: Growth, nodes: int, cpus: int) -> StepSize:
    if cpus < step.cpus:
        raise InputError(f"{step.name} asks for {step.cpus:g} cores a task, more than the {cpus} of a node")
    slots = nodes * int(cpus // step.cpus)
    grown = _learned(node, sample, growth) if node.verb.learns and step.name != "sizes" else growth.documents
    learns = step.name == "learn"
    rows = round(max(0, step.memory - MEMORY) * step.units * grown)  # bytes of them, in all tasks
    units = _units(step, node, sample, growth, rows)
    rate = step.seconds / max(step.units, 1)
    if step.units >= FEW_UNITS * step.cores:
        rate = (step.seconds - step.first_seconds) / (step.units - step.cores)
    seconds = rate * step.units * (grown**FIT_EXPONENT if learns else grown)
    mean = seconds / max(units, 1)
    longest = seconds if units == 1 else mean * step.longest / rate if rate else 0.0
    started = max(0.0, step.wall_seconds - wall_of(step.units, step.seconds, step.longest, step.cores))
    wall = max(wall_of(units, seconds, longest, slots) + started, DRIVER_SECONDS * units)
    ranges = growth.shards * units if step.name in (*BY_BUCKET, *BY_BLOCK) else 0
    if ranges > RANGES:  # the senders' files are gathered first
        ranges = growth.shards + units * max(ceil(growth.shards / GROUP_UNITS), ceil(rows / GROUP_BYTES))
    return StepSize(
        name=step.name,
        units=units,
        core_seconds=seconds,
        longest=longest,
        wall_seconds=wall,
        waiting_seconds=wall - seconds / slots,
        file_bytes=step.file_bytes if learns else round(step.file_bytes * grown),
        requests=REQUESTS * max(units, growth.shards) + RANGE_REQUESTS * ranges,
        memory=MEMORY + rows // units if step.name in BY_ROWS else step.memory,
    )


def _units(step: StepWork, node: Node, sample: Manifest, growth: Growth, rows: int) -> int:
    """How many units the step will have; `rows` is what a step by rows holds in all its tasks, in bytes."""
    if step.name in BY_BUCKET:
        return max(step.units, buckets_for(rows // BY_BUCKET[step.name]))
    if step.name in BY_BLOCK:
        return blocks_for(growth.shards, round(sample.total("rows") * growth.documents))
    if step.name == "elect":
        return max(step.units, parts_for(links_in_rounds(node, sample, growth)))
    if node.verb.packs:
        return max(ceil(step.file_bytes * growth.documents / TOKEN_SHARD_BYTES), ceil(growth.shards / MOST_SHARDS))
    if node.verb.learns:
        return 1 if step.name == "learn" else min(growth.shards, MOST_PORTIONS)
    return growth.shards


def _learned(node: Node, sample: Manifest, growth: Growth) -> float:
    """How many times the sample's text a fit will learn from: no more than it is limited to."""
    _, fit = only(Fit, node.components)
    if fit.sample_bytes is None:
        return growth.documents
    groups = ((sample.asset or {}).get("sample") or {}).get("groups", ())
    learned: int = sum(group["sample_bytes"] for group in groups)
    return min(growth.documents, max(1.0, fit.sample_bytes / max(learned, 1)))


def wall_of(units: int, seconds: float, longest: float, slots: int) -> float:
    """Seconds until all units have ended. They run in waves; at the end of each, some cores wait for its slowest."""
    if units <= slots:
        return longest if units else 0.0
    return seconds / slots + ceil(units / wave_units(slots)) * longest * (1 - 1 / slots) / 2


def links_in_rounds(node: Node, sample: Manifest, growth: Growth) -> int:
    """Links between documents of a dedup stage, verified ones included; 0 where one task joins all clusters."""
    figures = sample.dedup or {}
    links = round((figures.get("links", 0) + figures.get("verified", 0)) * growth.documents)
    return links if node.verb.clusters and links > node.stage.dedup.local_links else 0


def _warnings(
    nodes: Sequence[Node], sample: Sequence[Manifest], grown: Sequence[Growth], sized: Sequence[StageSize]
) -> Iterator[str]:
    seconds = sum(stage.wall_seconds for stage in sized)
    first = sample[0].steps[0]
    if first.units < FEW_UNITS * first.cores and seconds > MINUTE:
        few = f"the sample had {first.units:,} units on {first.cores} cores, fewer than {FEW_UNITS} a core"
        yield f"{few}: the slow start of processes counts as work, so that figures are too high"
    for node, manifest, growth, own in zip(nodes, sample, grown, sized, strict=True):
        for before, step in zip(manifest.steps, own.steps, strict=True):
            if step.wall_seconds <= max(NOTABLE * seconds, MINUTE):
                continue
            bound = bound_of(step)
            if bound and step.waiting_seconds > max(WAITING * own.wall_seconds, MINUTE):
                yield f"{own.name}, step {step.name}: {bound}"
            if before.seconds < KNOWN_SECONDS:
                yield (
                    f"{own.name}, step {step.name}: the sample had only {before.seconds:.2f} s of it; take a larger one"
                )
        if links := links_in_rounds(node, manifest, growth):
            yield (
                f"{own.name}: about {links:,} links, more than local_links {node.stage.dedup.local_links:,}; clusters "
                "are found in rounds, which the sample did not run and this does not count"
            )


def bound_of(step: StepSize) -> str:
    """What keeps the step from ending sooner, and what to change; "" where the cores do."""
    time = duration(step.wall_seconds)
    if step.wall_seconds <= DRIVER_SECONDS * step.units:
        return f"the driver needs {time} to hand out {step.units:,} units; larger shards (`group_mb`) make fewer"
    if step.waiting_seconds < step.wall_seconds / 3 or step.longest <= step.wall_seconds / 3:
        return ""
    if step.units == 1:
        return f"one task does it all and takes {time}, whatever the number of nodes"
    return f"one of its {step.units:,} units takes {duration(step.longest)} of {time}, so that more nodes win little"
