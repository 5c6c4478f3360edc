"""The files of a `.git` folder that are read without git: HEAD, the branch that it names, and the settings.

Anyone may have made the folder, so each file is opened without following a link at any step below it and without
waiting for a pipe. What is no plain file is refused.
"""

import os
import re
import stat
from pathlib import Path
from typing import IO

from curation.core.errors import InputError

MAX_SETTINGS = 1 << 20  # bytes of `config`
MAX_BRANCH = 1 << 12  # bytes of HEAD, of a branch's file and of a line of packed-refs
MAX_PACKED = 256 << 20  # bytes of packed-refs; a branch or tag takes about 70
MAX_STEPS = 5  # from HEAD to a commit, as in git

_HASH = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?)\s*")
_BRANCH = re.compile(rb"ref:\s*(refs(?:/[^\0-\x20\x7f/.~^:?*\[\\][^\0-\x20\x7f/~^:?*\[\\]*)+)\s*")
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY


def git_folder(path: Path) -> Path | None:
    """The folder with the objects of the repository at `path`, checked out or bare; None if there is none. A `.git`
    that is a file or a link leads elsewhere and is none."""
    for folder in (path / ".git", path):
        parts = (folder, folder / "HEAD", folder / "objects", folder / "refs")
        if folder.is_dir() and all(part.exists() and not part.is_symlink() for part in parts[1:]):
            return None if folder.name == ".git" and folder.is_symlink() else folder
    return None


def head_hash(folder: Path) -> str:
    """The hash that HEAD leads to, as a rule a commit's; "" if its branch has no commit yet. Raises InputError where
    HEAD leads nowhere or a file on the way is no plain file."""
    if os.path.lexists(folder / "reftable"):
        raise InputError(f"{folder} has a reftable; run `git refs migrate --ref-format=files` in it, or clone it")
    name = "HEAD"
    for _ in range(MAX_STEPS):
        said = _content(folder, name, MAX_BRANCH)
        if said is None:
            return _packed(folder, name.encode())
        if found := _HASH.fullmatch(said):
            return found[1].decode()
        branch = _BRANCH.fullmatch(said)
        if branch is None:
            raise InputError(f"{folder / name} names no branch and no commit; leave this repository out")
        name = os.fsdecode(branch[1])
    raise InputError(f"{folder}/HEAD leads from branch to branch without end; leave this repository out")


def settings(folder: Path) -> bytes:
    """The content of `config`; empty if there is none. Raises InputError where it is no plain file, or too large."""
    return _content(folder, "config", MAX_SETTINGS) or b""


def _packed(folder: Path, branch: bytes) -> str:
    """The hash of a branch in packed-refs; "" if it is not there."""
    file = _opened(folder, "packed-refs")
    if file is None:
        return ""
    with file:
        if os.fstat(file.fileno()).st_size > MAX_PACKED:
            raise InputError(f"{folder}/packed-refs has more than {MAX_PACKED:,} bytes; leave this repository out")
        while line := file.readline(MAX_BRANCH):
            name, _, called = line.rstrip(b"\n").partition(b" ")
            if called == branch and (found := _HASH.fullmatch(name)):
                return found[1].decode()
    return ""


def _content(folder: Path, name: str, most: int) -> bytes | None:
    """A file's content; None if there is no such file."""
    file = _opened(folder, name)
    if file is None:
        return None
    with file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(f"{folder / name} has more than {most:,} bytes; leave this repository out")
    return content


def _opened(folder: Path, name: str) -> IO[bytes] | None:
    """A plain file below the folder; None if there is none, or a folder of the same name."""
    *parents, last = name.split("/")
    opened: list[int] = []
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
        for parent in parents:
            opened.append(os.open(parent, _FOLDER, dir_fd=opened[-1]))
        file = os.open(last, _FILE, dir_fd=opened[-1])
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise InputError(f"{folder / name} may not be read; give this user the right to, or leave it out") from error
    except OSError as error:  # a link, or a socket
        raise _refusal(folder / name) from error
    finally:
        for number in opened:
            os.close(number)
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(file, "rb")
    os.close(file)
    if stat.S_ISDIR(mode) and parents:  # branches `a/b` are left where `a` was deleted
        return None
    raise _refusal(folder / name)


def _refusal(path: Path) -> InputError:
    return InputError(f"{path} is no plain file; leave this repository out")
