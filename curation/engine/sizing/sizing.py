"""Predicts a run on a cluster, stage by stage: hours, cost, bytes written, requests and memory, from a finished run of
the same recipe on a sample. Starts no Ray and writes nothing."""

from dataclasses import dataclass

from curation.core.errors import InputError
from curation.engine.dedup.options import DedupOptions
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.sizing.growth import HOW, growths, sample_stages
from curation.engine.sizing.step_layout import Stage, links_of
from curation.engine.sizing.step_size import FEW_UNITS, Nodes, StepSize, ray_seconds, size_step

KNOWN_SECONDS = 1.0  # of work in the sample: a rate from less is mostly the fixed cost of units
NOTABLE = 0.05  # fraction of the whole run's time below which a step gets no warning
ASSUMED = (
    "every stage keeps the share of documents that it kept in the sample, and its documents are as long",
    "cores as fast as the sample's, nothing else on them, the sample run at once and not resumed",
    "no node is lost and no unit fails: add what your spot prices cost you in units done twice",
    "storage and network keep up with the cores; requests are upper bounds, gathering of exchanged files is not timed",
)


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


def size_run(recipe: Recipe, sample: str, nodes: Nodes, *, times: float = 1.0, price: float | None = None) -> Sizing:
    """What the recipe takes on its inputs, `times` as large as they are listed; `price` is of a node for an hour.

    Raises InputError where the sample lacks a stage, or its inputs have no known size.
    """
    if nodes.count < 1 or nodes.cpus < 1 or times <= 0:
        raise InputError(f"a plan needs at least one node with one core and an input, got {nodes} and times {times}")
    plan = build_plan(recipe)
    manifests = sample_stages(sample, plan)
    if not any(manifest.total("kept") for manifest in manifests):
        raise InputError(f"{sample} kept no document, so that nothing is known of later stages; {HOW}")
    grown = growths(recipe, plan, manifests, times)
    stages = [Stage(*fields) for fields in zip(plan, manifests, grown, strict=True)]
    ray = ray_seconds(step for manifest in manifests for step in manifest.steps)
    sized = tuple(_stage(stage, nodes, ray) for stage in stages)
    hours = sum(stage.wall_seconds for stage in sized) / 3600
    return Sizing(
        nodes=nodes.count,
        cpus=nodes.cpus,
        hours=hours,
        node_hours=hours * nodes.count,
        core_hours=sum(stage.core_seconds for stage in sized) / 3600,
        cost=None if price is None else hours * nodes.count * price,
        file_bytes=sum(stage.file_bytes for stage in sized),
        requests=sum(stage.requests for stage in sized),
        memory=max(stage.memory for stage in sized),
        stages=sized,
        warnings=tuple(_warnings(stages, sized, hours * 3600)),
    )


def _stage(stage: Stage, nodes: Nodes, ray: float) -> StageSize:
    sample, growth = stage.sample, stage.growth
    steps = tuple(size_step(step, stage, nodes, ray) for step in sample.steps)
    between = max(0.0, sample.wall_seconds - sum(step.wall_seconds for step in sample.steps))
    return StageSize(
        name=stage.node.name,
        documents=round(sample.total("rows") * growth.documents),
        units=max((step.units for step in steps), default=0),
        core_seconds=sum(step.core_seconds for step in steps),
        wall_seconds=between + sum(step.wall_seconds for step in steps),
        file_bytes=sum(step.file_bytes for step in steps),
        requests=sum(step.requests for step in steps),
        memory=max((step.memory for step in steps), default=0),
        steps=steps,
    )


def _warnings(stages: list[Stage], sized: tuple[StageSize, ...], seconds: float) -> list[str]:
    lines = []
    first = stages[0].sample.steps[0]
    if first.units < FEW_UNITS * first.cores:
        few = f"the sample had {first.units:,} units on {first.cores} cores, fewer than {FEW_UNITS} a core"
        lines.append(f"{few}: the slow start of processes counts as work, so that figures are too high")
    for stage, own in zip(stages, sized, strict=True):
        for before, step in zip(stage.sample.steps, own.steps, strict=True):
            if step.wall_seconds <= NOTABLE * seconds:
                continue
            if step.bound:
                lines.append(f"{own.name}, step {step.name}: {_advice(step)}")
            if before.seconds < KNOWN_SECONDS:
                few = f"the sample had only {before.seconds:.2f} s of it; take a larger one"
                lines.append(f"{own.name}, step {step.name}: {few}")
        options = stage.node.stage.options
        if isinstance(options, DedupOptions) and links_of(stage) > options.local_links:
            links = f"{stage.node.name}: about {links_of(stage):,} links, more than local_links {options.local_links:,}"
            lines.append(f"{links}; clusters are found in rounds, which the sample did not run and this does not count")
    return lines


def _advice(step: StepSize) -> str:
    """What bounds the step, and what to change."""
    hours = f"{step.wall_seconds / 3600:,.1f} h"
    if step.bound == "driver":
        return f"the driver needs {hours} to hand out {step.units:,} units; larger shards (`group_mb`) make fewer"
    if step.units == 1:
        return f"one task does it all and takes {hours}, whatever the number of nodes"
    return f"one of its {step.units:,} units takes {step.longest / 3600:,.1f} of {hours}, so that more nodes win little"
