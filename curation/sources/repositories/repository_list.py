"""Finds the repositories and tarballs that an entry of `paths` names."""

import glob
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.sources.repositories.git_process import git_folder
from curation.sources.repositories.git_repository import head_commit

TARBALLS = (".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.zst")


def list_repositories(pattern: str) -> list[InputFile]:
    """The git repositories and files that a local path, folder or glob names, sorted; in a store, files only.

    A folder that is no repository stands for the repositories and tarballs in it, at any depth but not in each other,
    without names that begin with "." or "_". A repository's `size` is that of its objects in bytes and its `stamp` the
    commit that HEAD names, so only a commit makes another input of it. Raises InputError if nothing is found.
    """
    if "://" in pattern:
        return list_files(pattern)
    paths = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else [pattern]  # noqa: PTH207
    found = list(chain.from_iterable(_inputs(os.path.abspath(path)) for path in paths))  # noqa: PTH100  # links stay
    if not found:
        raise InputError(f"no git repository and no tarball in {pattern}; put some there, or correct the path or glob")
    return sorted(found, key=lambda file: file.path)


def _inputs(path: str) -> Iterator[InputFile]:
    if not os.path.isdir(path):  # noqa: PTH112
        yield from list_files(path)
        return
    for folder, folders, names in os.walk(path):
        objects = git_folder(Path(folder))
        if objects:
            folders.clear()
            yield InputFile(folder, _bytes(objects / "objects"), _stamp(folder))
            continue
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if name.lower().endswith(TARBALLS) and not name.startswith((".", "_")):
                yield from list_files(os.path.join(folder, name))  # noqa: PTH118


def _stamp(folder: str) -> str:
    try:
        return head_commit(folder)
    except InputError:  # is said where repositories are checked, or read
        return ""


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
