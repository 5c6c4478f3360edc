"""Runs a plan: a stage that is sealed is skipped, any other is run over the units without a commit, checked and sealed.

Resuming is the same command again: sealed stages and committed units are skipped, so a crash costs the units in flight.
"""

import logging
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from curation.core import storage
from curation.core.component import needs_of
from curation.core.manifest import MANIFEST, Manifest, RunRecord, read_manifest, write_json
from curation.core.progress import Progress
from curation.core.run_lock import only_run
from curation.core.shard_files import ShardFiles
from curation.core.wording import listed
from curation.engine.dedup.notes import notes
from curation.engine.driver import seal
from curation.engine.driver.input_notes import input_notes
from curation.engine.driver.prepare import PreparedRun, prepare, recorded
from curation.engine.driver.reports import Reports, report_sealed
from curation.engine.driver.run_stage import forget_failed, run_stage, tidy
from curation.engine.driver.state import State
from curation.engine.erase.replace_originals import replace_originals
from curation.engine.executor.executor import Executor
from curation.engine.recipe.named_files import at_line
from curation.engine.recipe.node import Node
from curation.engine.recipe.originals import has_originals, learnt_before, refuse_without_originals, rewriters_up_to
from curation.engine.recipe.recipe import Recipe
from curation.engine.recipe.removed import notes as removal_notes
from curation.engine.removed.tombstones import Tombstones
from curation.engine.run.context import Context
from curation.engine.run.guards import GuardError, check_errors, check_guards
from curation.engine.run.progress import Watch
from curation.engine.run.stage_energy import StageEnergy
from curation.tokens.validation_share import misses

log = logging.getLogger(__name__)


def curate(
    recipe: Recipe, output: str, executor: Executor, on_progress: Callable[[Progress], None] = lambda _: None
) -> RunRecord:
    """Runs every stage of the recipe into the folder `output` and returns the finished run.

    Raises RecipeError or InputError before any work for what cannot run, and StageError when a stage fails or leaves
    the bounds that the recipe states for it. Until a run is refused, its folder is only read.
    """
    return run_prepared(prepare(recipe, output), executor, on_progress)


def run_prepared(prepared: PreparedRun, executor: Executor, on_progress: Callable[[Progress], None]) -> RunRecord:
    """Runs what is not sealed. What the executor lacks is refused first, then the folder is claimed."""
    state = prepared.state
    if prepared.finished:
        report_sealed(state.manifests.values(), on_progress)
        return state.new_record(prepared.before, complete=True)
    log.info(prepared.line())
    if prepared.has_units:
        executor.check(tuple(entry for node in prepared.unsealed for entry in node.components))
    with only_run(state.output), executor.metrics(state.output) as metrics:
        if recorded(state.output) != prepared.before:  # another process ran here meanwhile
            prepared = prepare(state.recipe, state.output)

        def forward(now: Progress) -> None:
            metrics(now)
            on_progress(now)

        with Reports(state.output, len(state.nodes), forward) as reports:
            return _run_all(prepared, executor, reports)


def _run_all(prepared: PreparedRun, executor: Executor, on_progress: Callable[[Progress], None]) -> RunRecord:
    state = replace(prepared.state, manifests={})
    tombstones = Tombstones.of(state.output, state.record())
    for node in state.nodes:
        manifest = read_manifest(state.locate(node))
        if manifest is None:
            refuse_without_originals(node, [state.manifests[i] for i in node.upstream])
            manifest = _run_and_seal(state, node, tombstones, executor, on_progress)
        else:
            on_progress(Progress(node.name, "sealed", 1, 1, manifest.total("rows")))
        state.manifests[node.index] = manifest
        state.record()
        check_guards(node, manifest)
        if node.index in prepared.redacting:
            _replace_originals(state, node, executor, on_progress)
    return state.record(complete=True)


def _context(state: State, node: Node, executor: Executor, tombstones: Tombstones) -> Context:
    return Context(
        node=node,
        folder=state.folders[node.index],
        address=state.addresses[node.index],
        upstream=tuple(ShardFiles(state.folders[i], state.manifests[i]) for i in node.upstream),
        fitted=state.fitted(),
        full_bytes=state.recipe.shards.split_mb << 20,
        executor=executor,
        tombstones=tombstones,
        removed_in=state.removed_in(),
    )


def _replace_originals(state: State, node: Node, executor: Executor, on_progress: Callable[[Progress], None]) -> None:
    folder = state.folders[node.index]
    stage = ShardFiles(folder, state.manifests[node.index])
    if not has_originals(stage):
        return
    executor.start()
    watch = Watch(node.name, on_progress, folder.rstrip("/").rpartition("/")[2], sealed=True)
    if learnt := learnt_before(state.nodes, node):
        watch.note(f"{listed(learnt)} learnt from originals and may hold words of them; fit after {node.name}")
    watch.note("the redacted text takes the place of the originals, in it and the stages before it")
    replace_originals(_context(state, node, executor, Tombstones()), stage, rewriters_up_to(state.nodes, node), watch)
    for index in state.manifests:
        changed = read_manifest(state.folders[index])
        assert changed is not None, "it is sealed"
        state.manifests[index] = changed
    done = state.manifests[node.index].originals or {}
    rows = f"{done['replaced']:,} rows have the redacted text, {done['emptied']:,} none"
    watch.note(f"the originals are gone: in it and the stages before it {rows}")


def _run_and_seal(
    state: State, node: Node, tombstones: Tombstones, executor: Executor, on_progress: Callable[[Progress], None]
) -> Manifest:
    started = time.perf_counter()
    folder = state.folders[node.index]
    storage.make_folder(folder)
    context = _context(state, node, executor, tombstones)
    removed = removal_notes(state.removals) if node.index == 0 else ()
    for note in (*removed, *notes(context.stage, context.documents), *input_notes(node, context.address.units)):
        on_progress(Progress(node.name, "note", note=note))
    watch = Watch(node.name, on_progress, folder.rstrip("/").rpartition("/")[2])
    if not node.verb.mixes:
        executor.start()
    gpus = needs_of(component for _, component in node.components).num_gpus > 0
    try:
        with StageEnergy(folder, executor, gpus=gpus) as energy:
            with at_line(state.recipe.document, node.stage.at()) if node.verb.mixes else nullcontext():
                outcome = run_stage(context, watch)
            wall = round(time.perf_counter() - started, 3)
            manifest = replace(seal.manifest(context, outcome, wall, watch.steps), energy=energy.total())
            check_errors(node, manifest)
    except GuardError:
        forget_failed(context)  # so that the same command tries them again once the cause is mended
        raise
    tidy(context, outcome)
    energy.forget()
    write_json(storage.join(folder, MANIFEST), manifest)
    for miss in misses(manifest):
        watch.note(miss)
    watch.sealed(manifest)
    sealed = read_manifest(folder)  # as a resumed run reads it: later stages depend on the order of its keys
    assert sealed is not None, "it was just written"
    return sealed
