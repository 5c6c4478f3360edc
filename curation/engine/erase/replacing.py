"""Replaces the files of a sealed stage, unit by unit, and then the commits that name them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.commits import COMMITS, GROUP_UNITS, Commit, group_path, read_group, write_group
from curation.core.new_file import FileFacts, checksum_of
from curation.core.parquet_file import read_groups
from curation.engine.run.part_files import parquet_options, part_schema

CHUNK = 16 << 20  # bytes read at a time
T = TypeVar("T")


def replace_files(
    folder: str, writes: Mapping[str, Callable[[str], T]], commit: Callable[[dict[str, T]], Commit]
) -> Commit:
    """Replaces files of a unit, each by what its function in `writes` (by the file's name) writes at a path; returns
    the commit that `commit` makes of what the functions return.

    First all files are written beside the old ones, then each is moved into place, in the order of `writes`. A crash
    leaves every file whole, old or new. If a function applied to its own result gives the same bytes, the same call
    again ends in the same bytes.
    """
    paths = {name: storage.join(folder, name) for name in writes}
    for path in paths.values():
        storage.delete_file(storage.beside_of(path))  # left by an attempt that was cut off
    new = commit({name: write(storage.beside_of(paths[name])) for name, write in writes.items()})
    for path in paths.values():
        storage.move_file(storage.beside_of(path), path)
    return new


def replace_commits(folder: str, new: Iterable[Commit], step: str = COMMITS) -> None:
    """Replaces the commits of their units, a group at a time."""
    by_group: dict[int, dict[int, Commit]] = {}
    for commit in new:
        by_group.setdefault(commit.unit // GROUP_UNITS, {})[commit.unit] = commit
    for group, commits in sorted(by_group.items()):
        path = group_path(folder, group, step)
        write_group(path, [commits.get(old.unit, old) for old in read_group(path)])


def rewrite_groups(uri: str, target: str, change: Callable[[pa.Table, int], pa.Table]) -> None:
    """Writes a changed Parquet file at `target`, a row group at a time; `change` gets each group and the number of its
    first row."""
    first = 0
    fs, path = storage.resolve(target)
    schema = part_schema(uri)
    with pq.ParquetWriter(path, schema, filesystem=fs, **parquet_options(schema)) as writer:
        for table in read_groups(uri):
            writer.write_table(change(table, first), row_group_size=max(table.num_rows, 1))
            first += table.num_rows


def facts_of(uri: str) -> FileFacts:
    """What a commit says of the file, found by reading it."""
    return FileFacts(storage.size(uri), checksum_of(uri))


def pieces(uri: str) -> Iterator[bytes]:
    """The file's content, CHUNK bytes at a time."""
    fs, path = storage.resolve(uri)
    with fs.open_input_stream(path, compression=None) as stream:
        while piece := stream.read(CHUNK):
            yield piece
