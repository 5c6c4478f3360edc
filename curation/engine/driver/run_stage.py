"""Runs a stage by its verb: the steps, their units, and the entries for the manifest."""

from functools import partial

from curation.core import storage
from curation.core.component import only
from curation.core.errors import StageError
from curation.core.protocols import Extractor, Source
from curation.core.reasons import errors_in
from curation.core.verbs import DEDUP, FILTER, FIT, MIX, PACK, READ, REWRITE, TOKENIZE
from curation.engine.dedup.dedup_stage import run_dedup
from curation.engine.dedup.layout import forget_dedup, tidy_dedup
from curation.engine.executor.work import Unit
from curation.engine.fit.fit_stage import run_fit, tidy_fit
from curation.engine.recipe.assets import located, substitute
from curation.engine.recipe.columns import check_split_by
from curation.engine.recipe.mix_checks import mix_index
from curation.engine.recipe.schemas import after, written
from curation.engine.run import lookup
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.context import Context, Outcome, given_columns, run_step
from curation.engine.run.guards import FAILED, check_inputs_read
from curation.engine.run.held_out import CANDIDATES, with_held_out
from curation.engine.run.progress import Watch
from curation.engine.run.read_step import ReadStep
from curation.engine.run.steps import MapStep, PackStep, ShardSources, columns_of
from curation.engine.run.token_units import token_units
from curation.tokens.around_documents import around_documents
from curation.tokens.encode import Encode
from curation.tokens.encoders.load_tokenizer import MODEL, load
from curation.tokens.encoders.never_text import never_text
from curation.tokens.encoders.tokenizer_files import JSON
from curation.tokens.manifests import INDEX
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.mixing.shortfalls import shortfalls
from curation.tokens.pack import Pack, tokens_section

CARRIED = "_"  # prefix of the tokenizer's file in a tokenize stage; readers of Parquet skip such names


def run_stage(context: Context, watch: Watch) -> Outcome:
    """Runs the units of the stage that have no commit yet."""
    return _RUN[context.node.verb](context, watch)


def tidy(context: Context, outcome: Outcome) -> None:
    """Deletes files that nothing reads once the stage is sealed."""
    if outcome.dedup is not None:
        tidy_dedup(context.folder, outcome.dedup)
    if outcome.asset is not None:
        tidy_fit(context.folder)
    if context.node.verb.encodes:
        storage.delete_folder(storage.join(context.folder, CANDIDATES))
    if outcome.lookup is not None:
        for name in (lookup.KEYS, lookup.GATHERED):
            storage.delete_folder(storage.join(context.folder, name))


def forget_failed(context: Context) -> None:
    """Deletes the commits of units with documents dropped as `error.*` or with skipped input files, and in a dedup
    stage all that came before them, so that the same command tries these units again."""
    with CommitLog(context.folder) as log:
        failed = [
            commit.unit
            for commit in log.commits.values()
            if commit.counts.get(FAILED) or any(errors_in(part.dropped) for part in commit.parts)
        ]
        if context.node.verb.clusters:
            forget_dedup(context)
            failed = list(log.commits)
        log.forget(failed)


def _read(context: Context, watch: Watch) -> Outcome:
    node = context.node
    extractor = None
    if node.extract:
        key, component = only(Extractor, node.extract.components)
        extractor = key, located(substitute(component, context.fitted))
    _, source = only(Source, context.components[:1])
    step = ReadStep(
        context.folder,
        node.chain,
        source,
        extractor,
        context.full_bytes,
        context.tombstones,
        skips_inputs=node.stage.options.max_failed_inputs > 0,
        limits=node.stage.options.limits,
    )
    units = [Unit(number, pieces) for number, pieces in enumerate(context.address.units)]
    commits = run_step(context, watch, "read", step, units)
    check_inputs_read(node.name, node.stage.options, commits)
    paths = [storage.join(context.folder, part.file) for commit in commits for part in commit.parts]
    lookup_table = lookup.build(partial(run_step, context, watch), context.folder, paths)
    return Outcome(commits, step.schema(), lookup=lookup_table)


def _map(context: Context, watch: Watch) -> Outcome:
    given = given_columns(context)
    stage = context.stage
    last = context.node.last
    schema = after(stage.verb, stage.components, given)
    components = stage.components
    if stage.verb.encodes:
        key, encoder = only(Encode, components)
        components = ((key, with_held_out(context, watch, encoder, given)),)
    step = MapStep(
        context.folder,
        stage.verb,
        components,
        tuple(given.names) if last else columns_of(stage.components, given, context.tombstones),
        ShardSources.of([part.source for _, part in context.shards]),
        written(stage, given, schema, last=last),
        context.tombstones,
        stage.options.limits,
    )
    if stage.verb.encodes:
        tokenizer = stage.sole(Encode).loaded().text
        storage.write_bytes(storage.join(context.folder, CARRIED + tokenizer.file), tokenizer.content)
    return Outcome(run_step(context, watch, context.node.verb.name, step, context.units()), schema)


def _pack(context: Context, watch: Watch) -> Outcome:
    packer = context.stage.sole(Pack)
    if packer.split_by is not None:
        check_split_by(packer.split_by, {field.name: field.type for field in given_columns(context)})
    tokenizers = [_carried(stage.folder) for stage in context.upstream]
    contents = {storage.read_bytes(path) for path in tokenizers}
    if len(contents) > 1:
        raise StageError(f"{context.node.name} would mix tokens of different tokenizers; tokenize all sources with one")
    content = contents.pop()
    ends = {(own["begin"], own["end"]) for own in (around_documents(stage.manifest) for stage in context.upstream)}
    if len(ends) > 1:
        around = " or ".join(f"{begin} and {end}" for begin, end in sorted(ends))
        raise StageError(
            f"{context.node.name} would mix documents that begin and end with {around}; tokenize all sources alike"
        )
    vocabulary = load(tokenizers[0], *ends.pop()).vocabulary
    storage.write_bytes(storage.join(context.folder, vocabulary.file), content)
    upstream = [(stage.folder, stage.manifest.shards.brief) for stage in context.upstream]
    runs = token_units(upstream, vocabulary.dtype.itemsize)
    units = [Unit(number, shards) for number, shards in enumerate(runs)]
    commits = run_step(context, watch, "pack", PackStep(context.folder, packer, vocabulary, never_text(content)), units)
    parts = [part for commit in commits for part in commit.extra["parts"]]
    return Outcome(commits, tokens=tokens_section(parts, pack=packer, vocabulary=vocabulary))


def _carried(folder: str) -> str:
    """The tokenizer's file that a tokenize stage left for pack."""
    files = [storage.join(folder, CARRIED + name) for name in (JSON, MODEL)]
    return next(filter(storage.exists, files), files[0])


def _mix(context: Context, watch: Watch) -> Outcome:
    watch.step("mix", 1)
    packs = [(stage.folder.rpartition("/")[2], stage.manifest.tokens or {}) for stage in context.upstream]
    index = mix_index(context.stage.sole(Mix), packs, context.folder.rstrip("/").rpartition("/")[0])
    storage.write_bytes(storage.join(context.folder, INDEX), index_bytes(index))
    for shortfall in shortfalls(index):
        watch.note(shortfall)
    return Outcome((), mix=index)


_RUN = {
    READ: _read,
    FILTER: _map,
    REWRITE: _map,
    TOKENIZE: _map,
    DEDUP: run_dedup,
    FIT: run_fit,
    PACK: _pack,
    MIX: _mix,
}
