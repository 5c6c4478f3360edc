"""Puts a changed file in the place of the old one, whole or not at all, and knows files by their checksums."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.parquet_file import read_groups
from curation.engine.run.part_files import COMPRESSION, part_schema

CHUNK = 16 << 20  # bytes read at a time


@contextmanager
def replacing(uri: str) -> Iterator[str]:
    """Gives the path to write to; once that is done without an error, what is there takes the place of `uri`."""
    beside = storage.beside_of(uri)
    yield beside
    storage.move_file(beside, uri)


def replace_groups(uri: str, change: Callable[[pa.Table, int], pa.Table]) -> None:
    """Writes a Parquet file anew, a row group at a time; `change` is given each, and the number of its first row."""
    first = 0
    with replacing(uri) as beside:
        fs, target = storage.resolve(beside)
        with pq.ParquetWriter(target, part_schema(uri), filesystem=fs, compression=COMPRESSION) as writer:
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
