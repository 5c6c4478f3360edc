"""Replaces files of sealed stages, with the commits and manifests that name them; a crash at any file is made good.

All new files are written first, into a folder of a stage. WRITTEN there says that none is missing: from then on nothing
is made again, and the files only move to their places, commits after the files that they name, and manifests last. So a
crash leaves every file whole, old or new, and the same call again ends in the same bytes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import COMMITS, GROUP_UNITS, Commit, group_name, group_path, read_group, write_group
from curation.core.manifest import MANIFEST, Manifest, replace_json
from curation.core.new_file import FileFacts, NewFile
from curation.core.parquet_file import read_groups
from curation.core.threads import map_threads
from curation.engine.run.commit_log import group_of
from curation.engine.run.part_files import parquet_options, part_schema

WRITTEN = "written"


@dataclass(frozen=True)
class Replacement:
    """New files for sealed stages of one run, in the folder `name` of the stage at `home`: each has there the folder of
    its stage and its own name."""

    home: str
    name: str

    @property
    def folder(self) -> str:
        return storage.join(self.home, self.name)

    def named(self, stage: str, name: str) -> str:
        """What the new file of this name in the folder `stage` is called in the home stage."""
        return storage.join(self.name, folder_name(stage), name)

    def path(self, stage: str, name: str) -> str:
        """Where to write it."""
        path = storage.join(self.home, self.named(stage, name))
        storage.make_folder(path.rpartition("/")[0])
        return path

    def put_commits(self, stage: str, new: Iterable[Commit], step: str = COMMITS) -> None:
        """Writes the commits of a step with these in place of those of their units."""
        by_group: dict[int, dict[int, Commit]] = {}
        for commit in new:
            by_group.setdefault(commit.unit // GROUP_UNITS, {})[commit.unit] = commit
        for group, commits in by_group.items():
            before = read_group(group_path(stage, group, step))
            path = self.path(stage, storage.join(step, group_name(group)))
            write_group(path, [commits.get(old.unit, old) for old in before])

    def put_manifest(self, stage: str, manifest: Manifest) -> None:
        replace_json(self.path(stage, MANIFEST), manifest)

    def finish(self) -> None:
        """Moves all files to their places: none is missing."""
        storage.write_bytes(storage.join(self.folder, WRITTEN), b"")
        self.resume()

    def resume(self) -> bool:
        """Goes on where `finish` was cut off; False where it had not begun."""
        if not storage.exists(storage.join(self.folder, WRITTEN)):
            return False
        run = self.home.rstrip("/").rpartition("/")[0]

        def move(name: str) -> None:
            storage.move_file(storage.join(self.folder, name), storage.join(run, name))

        for wave in self._waves():
            map_threads(move, wave)
        storage.delete_folder(self.folder)
        return True

    def _waves(self) -> list[list[str]]:
        """The names of the files that are still to be moved, without what a killed writer left: files, then commits,
        then manifests, one after the other, that of the home stage last."""
        fs, path = storage.resolve(self.folder)
        names = sorted(info.path[len(path) + 1 :] for info in storage.listed(fs, path, recursive=True) if info.is_file)
        names = [name for name in names if "/" in name and not _last(name).startswith("_partial.")]
        manifests = [name for name in names if _last(name) == MANIFEST]
        manifests.sort(key=lambda name: name.startswith(f"{folder_name(self.home)}/"))
        commits = [name for name in names if group_of(_last(name)) is not None]
        files = [name for name in names if name not in {*manifests, *commits}]
        return [files, commits, *([name] for name in manifests)]


def folder_name(path: str) -> str:
    """The last name of a path."""
    return _last(path.rstrip("/"))


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def rewrite_groups(uri: str, target: str, change: Callable[[pa.Table, int], pa.Table]) -> FileFacts:
    """Writes a changed Parquet file at `target`, a row group at a time; `change` gets each group and the number of its
    first row."""
    first = 0
    schema = part_schema(uri)
    with NewFile(target) as file, pq.ParquetWriter(file, schema, **parquet_options(schema)) as writer:
        for table in read_groups(uri):
            writer.write_table(change(table, first), row_group_size=max(table.num_rows, 1))
            first += table.num_rows
    assert file.facts is not None, "a context that ends publishes"
    return file.facts
