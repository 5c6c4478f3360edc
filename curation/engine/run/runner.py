"""Runs a plan: each stage is found sealed, or run over the units that are not committed yet, checked and sealed.

Resuming is the same command again: sealed stages and committed units are skipped, so a crash costs the units in flight.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from curation.core import storage
from curation.core.errors import InputError, StageError
from curation.core.manifest import (
    FORMAT,
    MANIFEST,
    RUN,
    Manifest,
    RunRecord,
    StageEntry,
    plain,
    read_manifest,
    read_run,
    replace_json,
    write_json,
)
from curation.engine.dedup.check import notes
from curation.engine.recipe.address import Address, address_of, locate
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.node import Node
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.run import seal
from curation.engine.run.context import Context
from curation.engine.run.lock import only_run
from curation.engine.run.progress import Progress, Watch
from curation.engine.run.session import Session
from curation.engine.run.stages import forget_failed, run_stage
from curation.engine.takedown.tombstones import NONE, Tombstones

log = logging.getLogger(__name__)


@dataclass
class State:
    """What is known of each node so far, by its index."""

    addresses: dict[int, Address] = field(default_factory=dict)
    folders: dict[int, str] = field(default_factory=dict)
    manifests: dict[int, Manifest] = field(default_factory=dict)
    tombstones: Tombstones = NONE

    def fitted(self, nodes: list[Node]) -> dict[str, str]:
        """Path of each sealed fit stage's asset, by the stage's name."""
        return {
            nodes[i].name: storage.join(self.folders[i], m.asset["file"]) for i, m in self.manifests.items() if m.asset
        }


def curate(
    recipe: Recipe, output: str, session: Session, on_progress: Callable[[Progress], None] = lambda _: None
) -> RunRecord:
    """Runs every stage of the recipe into the folder `output` and returns the finished run.

    Raises RecipeError or InputError before any work for what cannot run, StageError when a stage fails or leaves the
    bounds that the recipe states for it.
    """
    nodes = build_plan(recipe)
    output = storage.absolute(output)
    with only_run(output):
        return _run_all(nodes, recipe, output, session, on_progress)


def _run_all(
    nodes: list[Node], recipe: Recipe, output: str, session: Session, on_progress: Callable[[Progress], None]
) -> RunRecord:
    state = State()
    storage.make_folder(output)
    if storage.exists(storage.join(output, RUN)):
        check_whole(read_run(output), output)
    for node in nodes:  # all inputs are found before any work, and before run.json forgets what it had
        if node.verb.begins and not any(fits_named(component) for _, component in node.components):
            state.addresses[node.index] = address_of(node, recipe, {}, {})
    run = _record(recipe, output, nodes, state)  # refuses a run.json of another format before any work
    state.tombstones = Tombstones.of(output, run)
    for node in nodes:
        if node.index not in state.addresses:
            state.addresses[node.index] = address_of(node, recipe, state.addresses, state.fitted(nodes))
        folder = locate(output, node, state.addresses[node.index])
        state.folders[node.index] = folder
        manifest = read_manifest(folder)
        if manifest is None:
            manifest = _run_and_seal(nodes, node, recipe, state, session, on_progress)
        else:
            on_progress(Progress(node.name, "sealed", 1, 1, manifest.total("rows"), 0.0))
        state.manifests[node.index] = manifest
        _record(recipe, output, nodes, state)
        seal.check_guards(node, manifest)
    return _record(recipe, output, nodes, state, complete=True)


def _run_and_seal(
    nodes: list[Node],
    node: Node,
    recipe: Recipe,
    state: State,
    session: Session,
    on_progress: Callable[[Progress], None],
) -> Manifest:
    started = time.perf_counter()
    folder = state.folders[node.index]
    storage.make_folder(folder)
    context = Context(
        node=node,
        folder=folder,
        address=state.addresses[node.index],
        buckets=recipe.buckets,
        upstream=tuple((state.folders[i], state.manifests[i]) for i in node.upstream),
        schemas=tuple(nodes[i].schema for i in node.upstream),
        fitted=state.fitted(nodes),
        full_bytes=recipe.shards.split_mb << 20,
        tombstones=state.tombstones,
    )
    for note in notes(node.stage, recipe.buckets):
        on_progress(Progress(node.name, "note", 0, 0, 0, 0.0, note))
    with Watch(node.name, folder, on_progress) as watch:
        if not node.verb.mixes:
            session.start()
        outcome = run_stage(context, watch)
    manifest = seal.manifest(context, outcome, round(time.perf_counter() - started, 3))
    try:
        seal.check_errors(node, manifest)
    except StageError:
        forget_failed(context, manifest)  # so that the same command tries them again once the cause is mended
        raise
    write_json(storage.join(folder, MANIFEST), manifest)
    log.info("%s: %s", node.name, seal.one_line(manifest))
    sealed = read_manifest(folder)  # as a resumed run finds it: the order of its keys enters what comes after
    assert sealed is not None, "it was just written"
    return sealed


def _record(recipe: Recipe, output: str, nodes: list[Node], state: State, *, complete: bool = False) -> RunRecord:
    """Writes run.json where the stages so far are not in it: repeating a finished run leaves it as it is."""
    entries = tuple(
        StageEntry(
            name=node.name,
            verb=node.verb,
            chain=node.chain,
            folder=state.folders[node.index].rstrip("/").rpartition("/")[2],
            address=state.addresses[node.index].digest,
        )
        for node in nodes
        if node.index in state.manifests
    )
    before = read_run(output) if storage.exists(storage.join(output, RUN)) else None
    run = RunRecord(FORMAT, recipe.name, plain(recipe.resolved()), entries, complete)
    if before is not None:
        run = replace(run, tombstones=before.tombstones, taken_texts=before.taken_texts, takedowns=before.takedowns)
    if before is not None and before.recipe == run.recipe and before.stages[: len(entries)] == entries and not complete:
        return before
    if before is None or run != before:
        replace_json(storage.join(output, RUN), run)
    return run


def check_whole(run: RunRecord, output: str) -> None:
    """Raises InputError while a takedown has not been finished."""
    if not run.takedowns_finished:
        raise InputError(f"a takedown in {output} was cut off; run the same `winnow takedown` again, then this")


@dataclass(frozen=True)
class PlannedStage:
    """A line of the dry run. `address` is empty while a fit stage before it has not run."""

    node: Node
    folder: str
    address: str
    status: str  # "sealed", "partly done", "will run", "waits for a fit"
    done: int
    units: int
    notes: tuple[str, ...] = ()  # sizes and warnings to know before work


def dry_run(recipe: Recipe, output: str) -> list[PlannedStage]:
    """What `curate` would do, stage by stage; refuses what it would refuse. Writes nothing."""
    nodes = build_plan(recipe)
    state = State()
    lines: list[PlannedStage] = []
    for node in nodes:
        known = all(i in state.addresses for i in node.upstream)
        fitted = state.fitted(nodes)
        waits = any(not fitted.keys() >= set(fits_named(one).values()) for _, one in node.components)
        if not known or waits:
            lines.append(PlannedStage(node, "", "", "waits for a fit", 0, 0))
            continue
        address = address_of(node, recipe, state.addresses, fitted)
        folder = locate(output, node, address)
        state.addresses[node.index], state.folders[node.index] = address, folder
        manifest = read_manifest(folder)
        if manifest is not None:
            state.manifests[node.index] = manifest
        line = _planned(node, folder, address, manifest)
        lines.append(replace(line, notes=() if manifest else notes(node.stage, recipe.buckets)))
    return lines


def _planned(node: Node, folder: str, address: Address, manifest: Manifest | None) -> PlannedStage:
    name = folder.rpartition("/")[2]
    if manifest is not None:
        units = len(manifest.commits)
        return PlannedStage(node, name, address.digest, "sealed", units, units)
    done = len(storage.list_names(storage.join(folder, "_commits"))) if storage.exists(folder) else 0
    return PlannedStage(node, name, address.digest, "partly done" if done else "will run", done, len(address.units))
