"""What each verb does: which steps it runs, over which units, and what it leaves for the manifest."""

import dataclasses
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from curation.core import storage
from curation.core.errors import StageError
from curation.core.manifest import Commit, Manifest
from curation.engine import exchange, fit
from curation.engine.address import Address
from curation.engine.assets import located, substitute
from curation.engine.execution import Unit, Work, run
from curation.engine.lookup import LOOKUP_COLUMNS, LookupKeys
from curation.engine.parts import part_schema
from curation.engine.plan import Node, after
from curation.engine.progress import Watch
from curation.engine.steps import COMMITS, READS, MapStep, PackStep, ReadStep, Sources, commit_name, committed
from curation.tokens.pack import tokens_section
from curation.tokens.tokenizer import vocabulary_of

TOKENIZER = "tokenizer.json"
READERS = 16  # commits read at a time
CARRIED = f"_{TOKENIZER}"  # from tokenize to pack; a reader of the stage's Parquet passes over names with _


@dataclass(frozen=True)
class Context:
    """A node about to run: its folder, its resolved address and what lies upstream."""

    node: Node
    folder: str
    address: Address
    buckets: int
    upstream: tuple[tuple[str, Manifest], ...]
    schemas: tuple[pa.Schema | None, ...]
    fitted: dict[str, str]
    full_bytes: int

    @property
    def parts(self) -> tuple[tuple[str, Any], ...]:
        """The stage's own parts, fitted assets filled in."""
        return tuple((key, located(substitute(part, self.fitted))) for key, part in self.node.stage.parts)

    @property
    def shards(self) -> tuple[tuple[str, str], ...]:
        """(path, source) of every shard that the stage reads, in order."""
        return tuple(
            (storage.join(folder, part.file), part.source)
            for folder, manifest in self.upstream
            for part in manifest.parts
        )

    def units(self) -> list[Unit]:
        return [Unit(number, path) for number, (path, _) in enumerate(self.shards)]


@dataclass(frozen=True)
class Outcome:
    """What a stage left: its commits in unit order, its columns, and the entries that some verbs add."""

    commits: tuple[Commit, ...]
    schema: pa.Schema | None = None
    asset: dict[str, str] | None = None
    tokens: dict[str, Any] | None = None
    mix: dict[str, Any] | None = None


def run_stage(context: Context, watch: Watch) -> Outcome:
    """Runs whatever of the stage is not committed yet."""
    if context.node.verb == "fit" and not any(manifest.total("kept") for _, manifest in context.upstream):
        raise StageError(f"{context.node.name} has no text to learn from: see `winnow funnel` for what dropped it all")
    return _VERBS[context.node.verb](context, watch)


def run_step(
    context: Context, watch: Watch, name: str, work: Work, units: Sequence[Unit], commits: str = COMMITS
) -> tuple[Commit, ...]:
    """The step's commits in unit order, after running those that had none. Raises StageError if any stays without."""
    storage.make_folder(storage.join(context.folder, commits))
    watch.step(name, commits, len(units))
    names = set(storage.list_names(storage.join(context.folder, commits)))
    found = _commits(context.folder, [unit for unit in units if commit_name(unit.number) in names], commits)
    missing = [unit for unit in units if found.get(unit.number) is None]
    if missing:
        run(work, missing)
        found |= _commits(context.folder, missing, commits)
    lost = [number for number, commit in found.items() if commit is None]
    if lost:
        raise StageError(f"{context.node.name}: units {lost[:5]} left no commit; run the same command again")
    return tuple(commit for _, commit in sorted(found.items()) if commit is not None)


def forget_failed(context: Context, manifest: Manifest) -> None:
    """Deletes the commits of units that hold documents dropped as `error.*`, of a dedup also what led to them."""
    for one in manifest.commits:
        if any(reason.startswith("error.") for part in one.parts for reason in part.dropped):
            for commits in (COMMITS, exchange.KEYS) if context.node.verb == "dedup" else (COMMITS,):
                storage.delete_file(storage.join(context.folder, commits, commit_name(one.unit)))
    if context.node.verb == "dedup":
        for commits in (COMMITS, exchange.BUCKETS):
            storage.delete_folder(storage.join(context.folder, commits))


def _commits(folder: str, units: Sequence[Unit], commits: str) -> dict[int, Commit | None]:
    """Each unit's commit, several at a time: a store may take long to answer."""
    numbers = [unit.number for unit in units]
    with ThreadPoolExecutor(READERS) as pool:
        return dict(zip(numbers, pool.map(lambda number: committed(folder, number, commits), numbers), strict=True))


def _read(context: Context, watch: Watch) -> Outcome:
    node = context.node
    for folder in (READS, exchange.KEYS, exchange.BUCKETS):
        storage.make_folder(storage.join(context.folder, folder))
    extractor = None
    if node.extract:
        key, part = node.extract.parts[0]
        extractor = key, located(part)
    step = ReadStep(context.folder, node.chain, context.parts[0][1], extractor, context.full_bytes)
    units = [Unit(number, pieces) for number, pieces in enumerate(context.address.units)]
    commits = run_step(context, watch, "read", step, units)
    paths = [storage.join(context.folder, part.file) for commit in commits for part in commit.parts]
    _lookup(context, watch, paths)
    return Outcome(commits, step.schema())


def _lookup(context: Context, watch: Watch, paths: list[str]) -> None:
    """The table by which `winnow why` finds a document: every url and doc_id with its shard and row."""
    scatter = exchange.Scatter(
        context.folder, (("lookup", LookupKeys()),), LOOKUP_COLUMNS, context.buckets, kept_only=False
    )
    units = [Unit(number, path) for number, path in enumerate(paths)]
    run_step(context, watch, "index", scatter, units, exchange.KEYS)
    gather = exchange.Gather(context.folder, len(paths), sort_only=True)
    buckets = [Unit(number, None) for number in range(context.buckets)]
    run_step(context, watch, "index", gather, buckets, exchange.BUCKETS)


def _given(context: Context) -> pa.Schema:
    """Columns that the stage reads: those of its upstream; where several join, those that they have in common."""
    schemas = [part_schema(storage.join(folder, manifest.parts[0].file)) for folder, manifest in context.upstream]
    return pa.schema([f for f in schemas[0] if all(f in list(other) for other in schemas[1:])])


def _map(context: Context, watch: Watch) -> Outcome:
    given = _given(context)
    stage = dataclasses.replace(context.node.stage, parts=context.parts)
    schema = after(stage, given)
    sources = Sources.of([source for _, source in context.shards])
    step = MapStep(context.folder, context.node.verb, context.parts, tuple(given.names), sources, schema)
    if context.node.verb == "tokenize":
        tokenizer = context.parts[0][1].tokenizer
        storage.write_bytes(storage.join(context.folder, CARRIED), storage.read_bytes(tokenizer))
    return Outcome(run_step(context, watch, context.node.verb, step, context.units()), schema)


def _dedup(context: Context, watch: Watch) -> Outcome:
    for folder in (exchange.KEYS, exchange.BUCKETS):
        storage.make_folder(storage.join(context.folder, folder))
    given = _given(context)
    units = context.units()
    columns = tuple(dict.fromkeys(column for _, part in context.parts for column in part.reads))
    scatter = exchange.Scatter(context.folder, context.parts, columns, context.buckets)
    run_step(context, watch, "keys", scatter, units, exchange.KEYS)
    gather = exchange.Gather(context.folder, len(units))
    run_step(context, watch, "collide", gather, [Unit(b, None) for b in range(context.buckets)], exchange.BUCKETS)
    schema = after(context.node.stage, given)
    sources = Sources.of([source for _, source in context.shards])
    keys = tuple(key for key, _ in context.parts)
    step = exchange.Attach(context.folder, keys, context.buckets, tuple(given.names), sources, schema)
    return Outcome(run_step(context, watch, "attach", step, units), schema)


def _fit(context: Context, watch: Watch) -> Outcome:
    part = context.parts[0][1]
    watch.step("fit", "", 1)
    kept = sum(manifest.total("kept_text_bytes") for _, manifest in context.upstream)
    asset = fit.run_fit(part, [path for path, _ in context.shards], kept, context.folder)
    return Outcome((), None, asset=asset)


def _pack(context: Context, watch: Watch) -> Outcome:
    packer = context.parts[0][1]
    tokenizers = [storage.join(folder, CARRIED) for folder, _ in context.upstream]
    contents = {storage.read_bytes(one) for one in tokenizers}
    if len(contents) > 1:
        raise StageError(f"{context.node.name} would mix tokens of different tokenizers; tokenize all sources with one")
    tokenizer, content = tokenizers[0], contents.pop()
    storage.write_bytes(storage.join(context.folder, TOKENIZER), content)
    vocabulary = vocabulary_of(tokenizer)
    sources = Sources.of([source for _, source in context.shards])
    step = PackStep(context.folder, packer, vocabulary, sources)
    commits = run_step(context, watch, "pack", step, context.units())
    parts = [part for commit in commits for part in commit.extra["parts"]]
    return Outcome(commits, tokens=tokens_section(parts, pack=packer, vocabulary=vocabulary))


def _mix(context: Context, watch: Watch) -> Outcome:
    mix = context.parts[0][1]
    watch.step("mix", "", 1)
    packs = [(folder.rpartition("/")[2], manifest.tokens or {}) for folder, manifest in context.upstream]
    return Outcome((), mix=fit.build_mix(mix, packs, context.folder))


_VERBS = {
    "read": _read,
    "filter": _map,
    "rewrite": _map,
    "tokenize": _map,
    "dedup": _dedup,
    "fit": _fit,
    "pack": _pack,
    "mix": _mix,
}
