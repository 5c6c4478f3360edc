"""The files that a component loads, by name, and the hashes of their content, which a stage's address holds."""

import hashlib
from collections.abc import Iterator

from curation.core import storage
from curation.core.component import Component, Files

BLOCK = 16 << 20  # bytes read at a time


def hashed_files(key: str, component: Component) -> Iterator[tuple[str, str, str]]:
    """Name, path and SHA-256 (hex) of each file: of one file "<key>.<option>", of several "<key>.<option>.<number or
    name>"; none for a component without files. Raises InputError where one is missing."""
    for option, files in sorted(component.assets().items()):
        for name, path in _named(f"{key}.{option}", files):
            yield name, path, _sha256(path)


def _sha256(path: str) -> str:
    """Of what a file holds, which may be more than memory does; a store is asked for all of it at once."""
    if storage.in_store(path) or storage.size(path) <= BLOCK:
        return hashlib.sha256(storage.read_bytes(path)).hexdigest()
    fs, inner = storage.resolve(path)
    digest = hashlib.sha256()
    with fs.open_input_stream(inner, compression=None) as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _named(prefix: str, files: Files) -> list[tuple[str, str]]:
    if isinstance(files, str):
        return [(prefix, files)]
    named = enumerate(files) if isinstance(files, tuple) else sorted(files.items())
    return [(f"{prefix}.{name}", file) for name, file in named]
