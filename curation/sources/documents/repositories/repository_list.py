"""Finds the repositories and tarballs that an entry of `paths` names."""

import glob
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.core.names import name_text, system_name
from curation.sources.documents.repositories.git_folder import git_folder, head_hash
from curation.sources.documents.repositories.git_objects import checked_objects

TARBALLS = (".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.zst")


def list_repositories(pattern: str) -> list[InputFile]:
    """The git repositories and files that a local path, folder or glob names, sorted; in a store, files only.

    A folder that is no repository stands for the repositories and tarballs in it, at any depth but not in each other,
    without names that begin with "." or "_". A repository's `size` is that of its objects in bytes and its `stamp` the
    commit that HEAD names, so only a commit makes another input of it. Raises InputError if nothing is found.
    """
    if "://" in pattern:
        return list_files(pattern)
    own = system_name(pattern)
    paths = sorted(glob.glob(own, recursive=True)) if glob.has_magic(own) else [own]  # noqa: PTH207
    found = list(chain.from_iterable(_inputs(os.path.abspath(path)) for path in paths))  # noqa: PTH100  # links stay
    if not found:
        for path in paths:
            if os.path.isfile(os.path.join(path, ".git")):  # noqa: PTH113, PTH118
                raise InputError(
                    f"{name_text(path)} is a worktree or a submodule: its .git is a file that names a repository "
                    "elsewhere; give that repository, or a clone of this folder"
                )
        raise InputError(f"no git repository and no tarball in {pattern}; put some there, or correct the path or glob")
    return sorted(found, key=lambda file: file.path)


def _inputs(path: str) -> Iterator[InputFile]:
    if not os.path.isdir(path):  # noqa: PTH112
        yield from list_files(name_text(path))
        return
    for folder, folders, names in os.walk(path):
        repository = git_folder(Path(folder))
        if repository:
            folders.clear()
            yield _input(name_text(folder), repository)
            continue
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if name.lower().endswith(TARBALLS) and not name.startswith((".", "_")):
                yield from list_files(name_text(os.path.join(folder, name)))  # noqa: PTH118


def _input(path: str, repository: Path) -> InputFile:
    try:
        return InputFile(path, checked_objects(repository).size, head_hash(repository))
    except InputError:  # is said where repositories are checked, or read
        return InputFile(path, 0, "")
