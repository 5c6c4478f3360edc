"""Predicts a run on a cluster, stage by stage: hours, cost, bytes written, requests and memory, from a finished run of
the same recipe on a sample. Starts no Ray and writes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from curation.core.errors import InputError
from curation.core.progress import duration
from curation.engine.recipe.dedup_options import DedupOptions
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.sizing.growth import HOW, growths, sample_stages
from curation.engine.sizing.step_layout import SizedStage, links_of
from curation.engine.sizing.step_size import FEW_UNITS, Nodes, StepSize, ray_seconds, size_step

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
    if nodes.count < 1 or nodes.cpus < 1 or not 0 < times < inf:
        raise InputError(f"a plan needs at least one node with one core and an input, got {nodes} and times {times}")
    plan = build_plan(recipe)
    manifests = sample_stages(sample, plan)
    if not any(manifest.total("kept") for manifest in manifests):
        raise InputError(f"{sample} kept no document, so that nothing is known of later stages; {HOW}")
    grown = growths(recipe, plan, manifests, times)
    stages = [SizedStage(*fields) for fields in zip(plan, manifests, grown, strict=True)]
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


def _stage(stage: SizedStage, nodes: Nodes, ray: float) -> StageSize:
    sample = stage.sample
    growth = stage.growth
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


def _warnings(stages: list[SizedStage], sized: tuple[StageSize, ...], seconds: float) -> Iterator[str]:
    first = stages[0].sample.steps[0]
    if first.units < FEW_UNITS * first.cores and seconds > MINUTE:
        few = f"the sample had {first.units:,} units on {first.cores} cores, fewer than {FEW_UNITS} a core"
        yield f"{few}: the slow start of processes counts as work, so that figures are too high"
    for stage, own in zip(stages, sized, strict=True):
        for before, step in zip(stage.sample.steps, own.steps, strict=True):
            if step.wall_seconds <= max(NOTABLE * seconds, MINUTE):
                continue
            if step.bound and step.waiting_seconds > max(WAITING * own.wall_seconds, MINUTE):
                yield f"{own.name}, step {step.name}: {_bound_by(step)}"
            if before.seconds < KNOWN_SECONDS:
                yield (
                    f"{own.name}, step {step.name}: the sample had only {before.seconds:.2f} s of it; take a larger one"
                )
        options = stage.node.stage.options
        links = links_of(stage)
        if isinstance(options, DedupOptions) and links > options.local_links:
            yield (
                f"{own.name}: about {links:,} links, more than local_links {options.local_links:,}; clusters are found "
                "in rounds, which the sample did not run and this does not count"
            )


def _bound_by(step: StepSize) -> str:
    """What keeps the step from ending sooner, and what to change."""
    time = duration(step.wall_seconds)
    if step.bound == "driver":
        return f"the driver needs {time} to hand out {step.units:,} units; larger shards (`group_mb`) make fewer"
    if step.units == 1:
        return f"one task does it all and takes {time}, whatever the number of nodes"
    return f"one of its {step.units:,} units takes {duration(step.longest)} of {time}, so that more nodes win little"
