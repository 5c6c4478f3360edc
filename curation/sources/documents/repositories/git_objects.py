"""Checks the objects of a repository before git reads them: they must be plain files in the repository's own folders.

git would follow a link, wait for a pipe, and read the folders that `info/alternates` names. Files are judged as the
check finds them: what someone changes while a run reads the repository is not seen, and a hard link cannot be told from
any other file.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from curation.core.errors import InputError

MAX_FILES = 2_000_000  # git packs objects by itself once there are some 7,000 of their own

_BORROWS = ("objects/info/alternates", "objects/info/http-alternates", "commondir")


class GitObjects(NamedTuple):
    """The checked folder of a repository's objects, and the bytes of the files in it."""

    folder: Path
    size: int


def checked_objects(folder: Path) -> GitObjects:
    """The objects of the repository in this `.git` folder. Raises InputError for links, for what is no plain file, for
    objects that are borrowed from another folder, and for more than MAX_FILES files."""
    for name in _BORROWS:
        if os.path.lexists(folder / name):
            raise _borrowed(folder, name)
    objects = folder / "objects"
    size = 0
    for number, file in enumerate(_files(folder, objects)):
        if number == MAX_FILES:
            raise InputError(f"{objects} has more than {MAX_FILES:,} files; run `git gc` in it, or leave it out")
        with suppress(FileNotFoundError):  # git, which packs objects, has just removed it
            size += file.stat(follow_symlinks=False).st_size
    return GitObjects(objects, size)


def _files(folder: Path, at: Path, depth: int = 2) -> Iterator["os.DirEntry[str]"]:
    """The files in a folder and, as deep as git has some, in those within it."""
    try:
        with os.scandir(at) as entries:
            for entry in entries:
                if entry.is_symlink():
                    raise _borrowed(folder, str(Path(entry.path).relative_to(folder)))
                if entry.is_file(follow_symlinks=False):
                    yield entry
                elif not entry.is_dir(follow_symlinks=False):
                    raise InputError(f"{entry.path} is no plain file; leave this repository out")
                elif depth:
                    yield from _files(folder, Path(entry.path), depth - 1)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot list {at}: {error.strerror}; mend that, or leave the repository out") from error


def _borrowed(folder: Path, name: str) -> InputError:
    return InputError(
        f"{folder} borrows objects from another folder ({name}); run `git repack -a -d` in it and remove that "
        "file, or clone it without --shared and --reference"
    )
