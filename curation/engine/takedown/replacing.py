"""Replaces the files of a sealed stage, unit by unit, and knows files by their checksums."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.manifest import Commit, read_commit, replace_json
from curation.core.parquet_file import read_groups
from curation.engine.run.part_files import COMPRESSION, part_schema
from curation.engine.run.steps import COMMITS, commit_path

CHUNK = 16 << 20  # bytes read at a time
T = TypeVar("T")


def replace_unit(
    folder: str,
    writes: Mapping[str, Callable[[str], T]],
    commit: Callable[[dict[str, T]], Commit],
    commits: str = COMMITS,
) -> Commit:
    """Replaces files of a unit by what `writes`, by name, write at the path that they are given, and its commit by that
    which `commit` makes of what they return.

    First all files are written beside the old ones, then each is moved into place, in the order of `writes`, then the
    commit. A crash leaves every file whole, old or new; where each write gives the same bytes when it is made of its
    own outcome, the same call again ends in the same bytes.
    """
    paths = {name: storage.join(folder, name) for name in writes}
    new = commit({name: write(storage.beside_of(paths[name])) for name, write in writes.items()})
    for path in paths.values():
        storage.move_file(storage.beside_of(path), path)
    path = commit_path(folder, new.unit, commits)
    if read_commit(path) is not None:
        replace_json(path, new)
    return new


def rewrite_groups(uri: str, target: str, change: Callable[[pa.Table, int], pa.Table]) -> None:
    """Writes a Parquet file anew at `target`, a row group at a time; `change` is given each, and its first row."""
    first = 0
    fs, path = storage.resolve(target)
    with pq.ParquetWriter(path, part_schema(uri), filesystem=fs, compression=COMPRESSION) as writer:
        for table in read_groups(uri):
            writer.write_table(change(table, first), row_group_size=max(table.num_rows, 1))
            first += table.num_rows


def checksum_of(uri: str) -> str:
    """BLAKE2b-256 in hex, read piece by piece."""
    digest = hashlib.blake2b(digest_size=32)
    for piece in pieces(uri):
        digest.update(piece)
    return digest.hexdigest()


def pieces(uri: str) -> Iterator[bytes]:
    """The file's content, CHUNK bytes at a time."""
    fs, path = storage.resolve(uri)
    with fs.open_input_stream(path, compression=None) as stream:
        while piece := stream.read(CHUNK):
            yield piece
