"""Replaces the originals of a sealed redacting stage in the stages before it; safe to repeat after any crash.

Tasks write the shards' new files, and the look-up tables made of them, into a folder of the stage. WRITTEN says that
all are there; from then on nothing is made again, because it would be made of files without originals. They are moved
into place, then come the commits and the manifest of each stage, that of the redacting stage last: while a manifest has
no `originals`, the same run goes on here. `originals` has the `stage` that redacted and its `address`; in that stage
also how many rows of all stages were `replaced` and `emptied`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from curation.core import storage
from curation.core.commits import Commit, Part, read_group
from curation.core.manifest import MANIFEST, ORIGINALS, replace_json
from curation.core.protocols import Redacting
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.engine.erase.originals_step import OriginalsStep, new_name
from curation.engine.erase.replacing import replace_commits
from curation.engine.executor.work import Unit
from curation.engine.recipe.originals import stages_before
from curation.engine.run import lookup
from curation.engine.run.commit_log import group_of
from curation.engine.run.context import Context, run_step
from curation.engine.run.progress import Watch
from curation.engine.run.steps import ShardSources

WRITTEN = "written"
Facts = Mapping[str, Mapping[str, Any]]  # bytes and blake2b of the new files, by `new_name`


def replace_originals(
    context: Context, stage: ShardFiles, rewriters: Mapping[str, tuple[Redacting, ...]], watch: Watch
) -> None:
    """Does it for the sealed `stage` of the context, whose sources `rewriters` redact up to it."""
    folder = storage.join(stage.folder, ORIGINALS)
    before = stages_before(stage)
    if all(one.manifest.originals is not None for one in (stage, *before)):
        storage.delete_folder(folder)  # left where the last step was cut off
        return
    first = [earlier for earlier in before if earlier.manifest.verb.begins]
    if not storage.exists(storage.join(folder, WRITTEN)):
        sources = ShardSources.of([part.source for part in stage.manifest.shards.brief])
        step = OriginalsStep(stage.folder, rewriters, sources)
        units = [Unit(number, files) for number, files in enumerate(stage.all_files())]
        run_step(context, watch, "originals", step, units, ORIGINALS)
        for one in first:
            _look_up_again(context, watch, folder, one)
        storage.write_bytes(storage.join(folder, WRITTEN), b"")
    commits = _commits(folder)
    files = {name.rpartition("/")[2]: facts for commit in commits for name, facts in commit.extra["files"].items()}
    _move(folder, [path for files in stage.all_files() for path in files], first)
    counts = Counter[str]()
    for commit in commits:
        counts.update(commit.counts)
    gone = {"stage": stage.manifest.name, "address": stage.manifest.address}
    for earlier in before:
        _recommit(earlier, files, gone)
    _recommit(stage, files, {**gone, **dict(sorted(counts.items()))})
    storage.delete_folder(folder)


def _commits(folder: str) -> list[Commit]:
    """What the tasks left, whether or not their files were moved since."""
    groups = (name for name in storage.list_names(folder) if group_of(name) is not None)
    return [commit for name in groups for commit in read_group(storage.join(folder, name))]


def _look_up_again(context: Context, watch: Watch, folder: str, first: ShardFiles) -> None:
    """Builds the look-up table of a first stage of what its new files say: no hash of an original URL stays."""
    own = _table_of(folder, first)
    storage.make_folder(own)
    new = [storage.join(folder, new_name(path)) for (path, *_) in first.all_files()]
    lookup.build(partial(run_step, replace(context, folder=own), watch), own, new)


def _table_of(folder: str, first: ShardFiles) -> str:
    return storage.join(folder, first.folder.rstrip("/").rpartition("/")[2])


def _move(folder: str, paths: Sequence[str], first: Sequence[ShardFiles]) -> None:
    """Moves what is not moved yet: the new files of the part files at `paths`, and the new look-up tables."""
    new = {storage.join(folder, new_name(path)): path for path in paths}
    waiting = {storage.join(folder, name) for name in storage.list_names(folder)}
    for one in first:
        table = storage.join(_table_of(folder, one), lookup.BUCKETS)
        for name in storage.list_names(table):
            new[storage.join(table, name)] = storage.join(one.folder, lookup.BUCKETS, name)
            waiting.add(storage.join(table, name))
    map_threads(lambda path: storage.move_file(path, new[path]), sorted(waiting & new.keys()))


def _recommit(stage: ShardFiles, files: Facts, originals: dict[str, Any]) -> None:
    """Writes the stage's commits and manifest with the facts of its new files. What the parts count stays: it tells
    what the stage read and kept when it ran."""
    commits = tuple(_with_new(commit, stage.folder, files) for commit in stage.manifest.commits)
    replace_commits(stage.folder, commits)
    table = ShardTable.of(commits, stage.folder, stage.manifest.chain)
    manifest = replace(stage.manifest, shards=table, originals=originals)
    replace_json(storage.join(stage.folder, MANIFEST), manifest)


def _with_new(commit: Commit, folder: str, files: Facts) -> Commit:
    def of(part: Part) -> Part:
        facts = files[new_name(storage.join(folder, part.file))]
        return replace(part, file_bytes=facts["bytes"], blake2b=facts["blake2b"])

    return replace(commit, parts=tuple(of(part) for part in commit.parts))
