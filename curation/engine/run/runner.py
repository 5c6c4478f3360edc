"""Runs a plan: a stage that is sealed is skipped, any other is run over the units without a commit, checked and sealed.

Resuming is the same command again: sealed stages and committed units are skipped, so a crash costs the units in flight.
"""

import time
from collections.abc import Callable

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import (
    MANIFEST,
    RUN,
    Manifest,
    RunRecord,
    read_manifest,
    read_run,
    write_json,
)
from curation.core.progress import Progress
from curation.core.run_lock import only_run
from curation.core.shard_files import ShardFiles
from curation.core.storage_options import configure
from curation.core.wording import listed
from curation.engine.dedup.check import notes
from curation.engine.privacy.redacting import (
    last_redacting,
    learnt_before,
    refuse_without_originals,
    rewriters_up_to,
)
from curation.engine.privacy.replace import has_originals, replace_originals, tidy_originals
from curation.engine.recipe.node import Node
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.run import seal
from curation.engine.run.context import Context
from curation.engine.run.guards import GuardError, check_errors, check_guards
from curation.engine.run.progress import Watch
from curation.engine.run.ray_metrics import RunMetrics
from curation.engine.run.reports import Reports
from curation.engine.run.resources import alive_nodes, check_resources, states_needs
from curation.engine.run.session import Session
from curation.engine.run.stages import forget_failed, run_stage, tidy
from curation.engine.run.state import State
from curation.engine.takedown.tombstones import Tombstones


def curate(
    recipe: Recipe, output: str, session: Session, on_progress: Callable[[Progress], None] = lambda _: None
) -> RunRecord:
    """Runs every stage of the recipe into the folder `output` and returns the finished run.

    Raises RecipeError or InputError before any work for what cannot run, StageError when a stage fails or leaves the
    bounds that the recipe states for it.
    """
    configure(recipe.storage)
    state = State(recipe, storage.absolute(output), build_plan(recipe))
    with only_run(state.output), RunMetrics(state.output) as metrics:

        def forward(now: Progress) -> None:
            metrics(now)
            on_progress(now)

        with Reports(state.output, len(state.nodes), forward) as reports:
            return _run_all(state, session, reports)


def _run_all(state: State, session: Session, on_progress: Callable[[Progress], None]) -> RunRecord:
    output = state.output
    storage.make_folder(output)
    if storage.exists(storage.join(output, RUN)):
        check_whole(read_run(output), output)
    state.find_inputs()  # before run.json is replaced
    for node in state.nodes:
        if states_needs(node.components):
            session.start()
            check_resources(node.components, alive_nodes())
    tombstones = Tombstones.of(output, state.record())  # refuses a run.json of another format before any work
    redacting = last_redacting(state.recipe, state.nodes)
    for node in state.nodes:
        manifest = read_manifest(state.locate(node))
        if manifest is None:
            refuse_without_originals(node, [state.manifests[i] for i in node.upstream])
            manifest = _run_and_seal(state, node, tombstones, session, on_progress)
        else:
            on_progress(Progress(node.name, "sealed", 1, 1, manifest.total("rows")))
        state.manifests[node.index] = manifest
        state.record()
        check_guards(node, manifest)
        if node.index in redacting:
            _replace_originals(state, node, session, on_progress)
    return state.record(complete=True)


def _context(state: State, node: Node, tombstones: Tombstones) -> Context:
    return Context(
        node=node,
        folder=state.folders[node.index],
        address=state.addresses[node.index],
        upstream=tuple(ShardFiles(state.folders[i], state.manifests[i]) for i in node.upstream),
        fitted=state.fitted(),
        full_bytes=state.recipe.shards.split_mb << 20,
        tombstones=tombstones,
    )


def _replace_originals(state: State, node: Node, session: Session, on_progress: Callable[[Progress], None]) -> None:
    folder = state.folders[node.index]
    stage = ShardFiles(folder, state.manifests[node.index])
    if not has_originals(stage):
        tidy_originals(stage)
        return
    session.start()
    watch = Watch(node.name, on_progress, folder.rstrip("/").rpartition("/")[2])
    if learnt := learnt_before(state.nodes, node):
        watch.note(f"{listed(learnt)} learnt from originals and may hold words of them; fit after {node.name}")
    replace_originals(_context(state, node, Tombstones()), stage, rewriters_up_to(state.nodes, node), watch)
    for index in state.manifests:
        changed = read_manifest(state.folders[index])
        assert changed is not None, "it is sealed"
        state.manifests[index] = changed
    done = state.manifests[node.index].originals or {}
    rows = f"{done['replaced']:,} rows have the redacted text, {done['emptied']:,} none"
    watch.note(f"the originals are gone: in it and the stages before it {rows}")


def _run_and_seal(
    state: State, node: Node, tombstones: Tombstones, session: Session, on_progress: Callable[[Progress], None]
) -> Manifest:
    started = time.perf_counter()
    folder = state.folders[node.index]
    storage.make_folder(folder)
    context = _context(state, node, tombstones)
    for note in notes(context.stage, context.documents):
        on_progress(Progress(node.name, "note", note=note))
    watch = Watch(node.name, on_progress, folder.rstrip("/").rpartition("/")[2])
    if not node.verb.mixes:
        session.start()
    try:
        outcome = run_stage(context, watch)
        wall = round(time.perf_counter() - started, 3)
        manifest = seal.manifest(context, outcome, wall, watch.steps)
        check_errors(node, manifest)
    except GuardError:
        forget_failed(context)  # so that the same command tries them again once the cause is mended
        raise
    tidy(context, outcome)
    write_json(storage.join(folder, MANIFEST), manifest)
    watch.sealed(manifest)
    sealed = read_manifest(folder)  # as a resumed run reads it: later stages depend on the order of its keys
    assert sealed is not None, "it was just written"
    return sealed


def check_whole(run: RunRecord, output: str) -> None:
    """Raises InputError while a takedown has not been finished."""
    if not run.takedowns_finished:
        raise InputError(f"a takedown in {output} was cut off; run the same `winnow takedown` again, then this")
