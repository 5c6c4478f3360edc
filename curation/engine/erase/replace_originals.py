"""Replaces the originals of a sealed redacting stage in the stages before it; safe to repeat after any crash.

Tasks write the shards' new files, and the look-up tables made of them. While a manifest has no `originals`, the same
run goes on here. `originals` has the `stage` that redacted and its `address`; in that stage also how many rows of all
stages were `replaced` and `emptied`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from curation.core import storage
from curation.core.commits import COMMITS, Commit, Part
from curation.core.manifest import MANIFEST, ORIGINALS
from curation.core.protocols import Redacting
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.engine.erase.originals_step import OriginalsStep
from curation.engine.erase.replacing import Replacement, folder_name
from curation.engine.executor.work import Unit
from curation.engine.recipe.originals import stages_before
from curation.engine.run import lookup
from curation.engine.run.context import Context, run_step
from curation.engine.run.progress import Watch
from curation.engine.run.steps import ShardSources

Facts = Mapping[str, Mapping[str, Any]]  # bytes and blake2b of the new files, by name in the redacting stage's folder


def replace_originals(
    context: Context, stage: ShardFiles, rewriters: Mapping[str, tuple[Redacting, ...]], watch: Watch
) -> None:
    """Does it for the sealed `stage` of the context, whose sources `rewriters` redact up to it."""
    replacement = Replacement(stage.folder, ORIGINALS)
    if replacement.resume():
        return
    before = stages_before(stage)
    if all(one.manifest.originals is not None for one in (stage, *before)):
        storage.delete_folder(replacement.folder)  # left where the last step was cut off
        return
    sources = ShardSources.of([part.source for part in stage.manifest.shards.brief])
    units = [Unit(number, files) for number, files in enumerate(stage.all_files())]
    commits = run_step(context, watch, "originals", OriginalsStep(replacement, rewriters, sources), units, ORIGINALS)
    files = {name: facts for commit in commits for name, facts in commit.extra["files"].items()}
    counts = Counter[str]()
    for commit in commits:
        counts.update(commit.counts)
    gone = {"stage": stage.manifest.name, "address": stage.manifest.address}
    for earlier in before:
        if earlier.manifest.verb.begins:
            _look_up_again(context, watch, replacement, earlier)
        _recommit(replacement, earlier, files, gone)
    _recommit(replacement, stage, files, {**gone, **dict(sorted(counts.items()))})
    replacement.finish()


def _look_up_again(context: Context, watch: Watch, replacement: Replacement, first: ShardFiles) -> None:
    """Builds the look-up table of a first stage of what its new files say: no hash of an original URL stays."""
    new = [replacement.path(first.folder, folder_name(path)) for (path, *_) in first.all_files()]
    own = storage.join(replacement.folder, folder_name(first.folder))
    lookup.build(partial(run_step, replace(context, folder=own), watch), own, new)
    for name in storage.list_names(own):
        if name.startswith("_") and name not in (lookup.BUCKETS, COMMITS, MANIFEST):
            storage.delete_folder(storage.join(own, name))


def _recommit(replacement: Replacement, stage: ShardFiles, files: Facts, originals: dict[str, Any]) -> None:
    """Writes the stage's commits and manifest with the facts of its new files. What the parts count stays: it tells
    what the stage read and kept when it ran."""

    def of(part: Part) -> Part:
        facts = files[replacement.named(stage.folder, part.file)]
        return replace(part, file_bytes=facts["bytes"], blake2b=facts["blake2b"])

    def with_new(commit: Commit) -> Commit:
        return replace(commit, parts=tuple(of(part) for part in commit.parts))

    commits = tuple(map(with_new, stage.manifest.commits))
    replacement.put_commits(stage.folder, commits)
    table = ShardTable.of(commits, stage.folder, stage.manifest.chain)
    replacement.put_manifest(stage.folder, replace(stage.manifest, shards=table, originals=originals))
