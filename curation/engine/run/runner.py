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
from curation.engine.takedown.tombstones import Tombstones

log = logging.getLogger(__name__)


@dataclass
class State:
    """What is known of each node so far, by its index."""

    recipe: Recipe
    output: str
    nodes: list[Node]
    addresses: dict[int, Address] = field(default_factory=dict)
    folders: dict[int, str] = field(default_factory=dict)
    manifests: dict[int, Manifest] = field(default_factory=dict)

    def fitted(self) -> dict[str, str]:
        """Path of each sealed fit stage's asset, by the stage's name."""
        sealed = self.manifests.items()
        return {self.nodes[i].name: storage.join(self.folders[i], m.asset["file"]) for i, m in sealed if m.asset}

    def locate(self, node: Node) -> str:
        """Finds the node's address, where it is not known yet, and its folder, which it returns."""
        if node.index not in self.addresses:
            self.addresses[node.index] = address_of(node, self.recipe, self.addresses, self.fitted())
        self.folders[node.index] = locate(self.output, node, self.addresses[node.index])
        return self.folders[node.index]

    def record(self, *, complete: bool = False) -> RunRecord:
        """Writes run.json where the stages so far are not in it: repeating a finished run leaves it as it is."""
        entries = tuple(
            StageEntry(
                name=node.name,
                verb=node.verb,
                chain=node.chain,
                folder=self.folders[node.index].rstrip("/").rpartition("/")[2],
                address=self.addresses[node.index].digest,
            )
            for node in self.nodes
            if node.index in self.manifests
        )
        path = storage.join(self.output, RUN)
        run = RunRecord(FORMAT, self.recipe.name, plain(self.recipe.resolved()), entries, complete)
        before = read_run(self.output) if storage.exists(path) else None
        if before is not None:
            run = replace(run, tombstones=before.tombstones, taken_texts=before.taken_texts, takedowns=before.takedowns)
            if before.recipe == run.recipe and before.stages[: len(entries)] == entries and not complete:
                return before
        if run != before:
            replace_json(path, run)
        return run


def curate(
    recipe: Recipe, output: str, session: Session, on_progress: Callable[[Progress], None] = lambda _: None
) -> RunRecord:
    """Runs every stage of the recipe into the folder `output` and returns the finished run.

    Raises RecipeError or InputError before any work for what cannot run, StageError when a stage fails or leaves the
    bounds that the recipe states for it.
    """
    state = State(recipe, storage.absolute(output), build_plan(recipe))
    with only_run(state.output):
        return _run_all(state, session, on_progress)


def _run_all(state: State, session: Session, on_progress: Callable[[Progress], None]) -> RunRecord:
    output = state.output
    storage.make_folder(output)
    if storage.exists(storage.join(output, RUN)):
        check_whole(read_run(output), output)
    for node in state.nodes:  # all inputs are found before any work, and before run.json forgets what it had
        if node.verb.begins and not any(fits_named(component) for _, component in node.components):
            state.addresses[node.index] = address_of(node, state.recipe, {}, {})
    tombstones = Tombstones.of(output, state.record())  # refuses a run.json of another format before any work
    for node in state.nodes:
        manifest = read_manifest(state.locate(node))
        if manifest is None:
            manifest = _run_and_seal(state, node, tombstones, session, on_progress)
        else:
            on_progress(Progress(node.name, "sealed", 1, 1, manifest.total("rows"), 0.0))
        state.manifests[node.index] = manifest
        state.record()
        seal.check_guards(node, manifest)
    return state.record(complete=True)


def _run_and_seal(
    state: State, node: Node, tombstones: Tombstones, session: Session, on_progress: Callable[[Progress], None]
) -> Manifest:
    started = time.perf_counter()
    folder, recipe = state.folders[node.index], state.recipe
    storage.make_folder(folder)
    context = Context(
        node=node,
        folder=folder,
        address=state.addresses[node.index],
        buckets=recipe.buckets,
        upstream=tuple((state.folders[i], state.manifests[i]) for i in node.upstream),
        schemas=tuple(state.nodes[i].schema for i in node.upstream),
        fitted=state.fitted(),
        full_bytes=recipe.shards.split_mb << 20,
        tombstones=tombstones,
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
    state = State(recipe, output, build_plan(recipe))
    lines: list[PlannedStage] = []
    for node in state.nodes:
        fits = {name for _, component in node.components for name in fits_named(component).values()}
        if not fits <= state.fitted().keys() or not all(i in state.addresses for i in node.upstream):
            lines.append(PlannedStage(node, "", "", "waits for a fit", 0, 0))
            continue
        folder = state.locate(node)
        manifest = read_manifest(folder)
        if manifest is not None:
            state.manifests[node.index] = manifest
        line = _planned(node, folder, state.addresses[node.index], manifest)
        lines.append(replace(line, notes=() if manifest else notes(node.stage, recipe.buckets)))
    return lines


def _planned(node: Node, folder: str, address: Address, manifest: Manifest | None) -> PlannedStage:
    name = folder.rpartition("/")[2]
    if manifest is not None:
        units = len(manifest.commits)
        return PlannedStage(node, name, address.digest, "sealed", units, units)
    done = len(storage.list_names(storage.join(folder, "_commits"))) if storage.exists(folder) else 0
    return PlannedStage(node, name, address.digest, "partly done" if done else "will run", done, len(address.units))
