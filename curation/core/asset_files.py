"""The files that a component loads, by name, and the hashes of their content, which a stage's address holds."""

import hashlib
from collections.abc import Iterator

from curation.core import storage
from curation.core.component import Component, Files


def hashed_files(key: str, component: Component) -> Iterator[tuple[str, str, str]]:
    """Name, path and SHA-256 (hex) of each file: of one file "<key>.<option>", of several "<key>.<option>.<number or
    name>"; none for a component without files. Raises InputError where one is missing."""
    for option, files in sorted(component.assets().items()):
        for name, path in _named(f"{key}.{option}", files):
            yield name, path, _sha256(path)


def _sha256(path: str) -> str:
    """A store is asked for all of a file at once."""
    return hashlib.sha256(storage.read_bytes(path)).hexdigest() if storage.in_store(path) else storage.sha256(path)


def _named(prefix: str, files: Files) -> list[tuple[str, str]]:
    if isinstance(files, str):
        return [(prefix, files)]
    named = enumerate(files) if isinstance(files, tuple) else sorted(files.items())
    return [(f"{prefix}.{name}", file) for name, file in named]
