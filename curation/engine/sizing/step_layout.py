"""The layout of a step at the planned size: its units, the requests that they make, and the memory of a task."""

from dataclasses import dataclass
from math import ceil

from curation.core.commits import GROUP_UNITS
from curation.core.component import only
from curation.core.fits import Fit
from curation.core.manifest import Manifest, StepWork
from curation.core.needs import MEMORY
from curation.engine.dedup.layout import ROW_BYTES, blocks_for
from curation.engine.dedup.rounds import parts_for
from curation.engine.fit.portions import MOST_PORTIONS, PORTION_BYTES
from curation.engine.recipe.dedup_options import DedupOptions
from curation.engine.recipe.node import Node
from curation.engine.run import lookup
from curation.engine.run.exchange import GROUP_BYTES, RANGES, buckets_for
from curation.engine.run.routing import SLOTS
from curation.engine.run.token_units import MOST_SHARDS, TOKEN_SHARD_BYTES
from curation.engine.sizing.growth import Growth

REQUESTS = 4  # per shard of a step at most, …
RANGE_REQUESTS = 2  # … and per range that a unit is sent
STORED_ROW_BYTES = 11  # of a key row in its file
SORTED = "sort index"  # of the look-up table, by bucket
BY_BUCKET = ("collide", "collide again")
BY_BLOCK = ("refine", "fetch", "verify", "attach")
BY_ROWS = (SORTED, *BY_BUCKET, "fetch", "verify", "elect")  # a task's memory follows from the rows of its unit


@dataclass(frozen=True)
class SizedStage:
    """A stage of the planned run, and the same one of the sample."""

    node: Node
    sample: Manifest
    growth: Growth


def units_of(step: StepWork, stage: SizedStage) -> int:
    """How many units the step will have."""
    growth = stage.growth
    options = stage.node.stage.options
    if stage.node.verb.learns:
        return _fit_units(step, stage)
    if step.name == "gather":
        return ceil(step.units * growth.documents)
    if stage.node.verb.packs:
        size = step.file_bytes * growth.documents
        return max(ceil(size / TOKEN_SHARD_BYTES), ceil(growth.shards / MOST_SHARDS))
    if step.name == SORTED:
        return max(step.units, buckets_for(_index_rows(stage) * lookup.ROW_BYTES))
    if not isinstance(options, DedupOptions):
        return growth.units if step.name == "read" else growth.shards
    if step.name in BY_BUCKET:
        return max(step.units, buckets_for(_keys(stage) * ROW_BYTES))
    if step.name in BY_BLOCK:
        return blocks_for(growth.shards, round(stage.sample.total("rows") * growth.documents))
    if step.name == "keys":
        return growth.shards
    links = links_of(stage)  # the other steps find clusters: elect, and those of rounds
    return step.units if links <= options.local_links else max(step.units, parts_for(links))


def _fit_units(step: StepWork, stage: SizedStage) -> int:
    """Of a fit: portions of neighbouring shards, buckets of its counts, or the one task that learns."""
    if step.name == "learn":
        return 1
    if step.name in ("gather", "merge"):
        return min(SLOTS, ceil(step.units * learned_more(stage)))
    size = fit_groups(stage)[0] * stage.growth.documents
    return max(step.units, min(stage.growth.shards, MOST_PORTIONS, ceil(size / PORTION_BYTES)))


def fit_groups(stage: SizedStage) -> tuple[int, int]:
    """UTF-8 bytes of text that the sample's fit could learn from, and of what it did."""
    groups = ((stage.sample.asset or {}).get("sample") or {}).get("groups", ())
    return sum(group["available_bytes"] for group in groups), sum(group["sample_bytes"] for group in groups)


def learned_more(stage: SizedStage) -> float:
    """How many times the sample's text the fit will learn from: no more than it is limited to."""
    _, fit = only(Fit, stage.node.components)
    growth = stage.growth.documents
    if fit.sample_bytes is None:
        return growth
    return min(growth, max(1.0, fit.sample_bytes / max(fit_groups(stage)[1], 1)))


def requests_of(step: StepWork, stage: SizedStage, units: int) -> int:
    """Requests to the store, by the budget that the engine's tests enforce."""
    shards = stage.growth.shards
    if step.name == SORTED:
        return REQUESTS * units + RANGE_REQUESTS * ranges(shards, units, _index_rows(stage) * STORED_ROW_BYTES)
    if step.name in BY_BUCKET:
        return REQUESTS * units + RANGE_REQUESTS * ranges(shards, units, _keys(stage) * STORED_ROW_BYTES)
    if step.name in BY_BLOCK:
        senders = {"fetch": buckets_for(_keys(stage) * ROW_BYTES), "verify": 2 * units}.get(step.name, 1)
        return REQUESTS * shards + RANGE_REQUESTS * senders * units
    return REQUESTS * max(units, shards)


def ranges(senders: int, receivers: int, size: int) -> int:
    """The number of ranges that are read where `size` bytes are sent, those of gathering included."""
    if senders * receivers <= RANGES:
        return senders * receivers
    per = max(1, min(GROUP_UNITS, GROUP_BYTES * senders // max(size, 1)))
    return senders + ceil(senders / per) * receivers


def memory_of(step: StepWork, stage: SizedStage, units: int) -> int:
    """Bytes that a task asks for."""
    if step.name not in BY_ROWS:
        return step.memory
    return round(MEMORY + max(0, step.memory - MEMORY) * stage.growth.documents * step.units / units)


def links_of(stage: SizedStage) -> int:
    """Links between documents of a dedup stage, verified ones included."""
    figures = stage.sample.dedup or {}
    links: int = figures.get("links", 0) + figures.get("verified", 0)
    return round(links * stage.growth.documents)


def _keys(stage: SizedStage) -> int:
    """Key rows of a dedup stage."""
    keys: int = (stage.sample.dedup or {})["keys"]
    return round(keys * stage.growth.documents)


def _index_rows(stage: SizedStage) -> int:
    """Rows of a look-up table."""
    rows: int = (stage.sample.lookup or {})["rows"]
    return round(rows * stage.growth.documents)
