"""Puts a changed file in the place of the old one, whole or not at all, and knows files by their checksums."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from curation.core import storage

CHUNK = 16 << 20  # bytes read at a time


@contextmanager
def replacing(uri: str) -> Iterator[str]:
    """Gives the path to write to; once that is done without an error, what is there takes the place of `uri`."""
    beside = storage.beside_of(uri)
    yield beside
    storage.move_file(beside, uri)


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
