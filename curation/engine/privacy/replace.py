"""Replaces the originals of a sealed redacting stage in the stages before it; safe to repeat after any crash.

Tasks write the shards' new files into a folder of the stage; they are moved into place, then come the commits and the
manifest of each stage, that of the redacting stage last: while its manifest has no `originals`, the same run begins
here again. `originals` has the `stage` that redacted and its `address`; in that stage also how many rows of all stages
were `replaced` and `emptied`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from curation.core import storage
from curation.core.commits import Commit, Part
from curation.core.manifest import MANIFEST, ORIGINALS, replace_json
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.engine.privacy.redacting import stages_before
from curation.engine.privacy.step import OriginalsStep, new_name
from curation.engine.run.context import Context, run_step
from curation.engine.run.progress import Watch
from curation.engine.run.work import Unit
from curation.engine.takedown.replacing import replace_commits

Facts = Mapping[str, Mapping[str, Any]]  # bytes and blake2b of the new files, by `new_name`


def replace_originals(context: Context, stage: ShardFiles, watch: Watch) -> None:
    """Does it for the sealed `stage` of the context."""
    units = [Unit(number, files) for number, files in enumerate(stage.all_files())]
    commits = run_step(context, watch, "originals", OriginalsStep(stage.folder), units, ORIGINALS)
    files = {name.rpartition("/")[2]: facts for commit in commits for name, facts in commit.extra["files"].items()}
    _move(stage, units)
    counts = Counter[str]()
    for commit in commits:
        counts.update(commit.counts)
    gone = {"stage": stage.manifest.name, "address": stage.manifest.address}
    for earlier in stages_before(stage):
        _recommit(earlier, files, gone)
    _recommit(stage, files, {**gone, **dict(sorted(counts.items()))})
    storage.delete_folder(storage.join(stage.folder, ORIGINALS))


def _move(stage: ShardFiles, units: Iterable[Unit]) -> None:
    def move(path: str) -> None:
        storage.move_file(storage.join(stage.folder, ORIGINALS, new_name(path)), path)

    map_threads(move, [path for unit in units for path in reversed(unit.payload)])


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
