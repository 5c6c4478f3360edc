"""Runs git on a repository that anyone may have made: it executes nothing that the repository's configuration names,
asks no one, fetches nothing and reads objects of that repository alone.

Only plumbing runs (`rev-parse`, `ls-tree`, `cat-file`, `config --get`), which knows no hooks, filters, pagers or
signature programs; the settings below are a second wall. A repository that borrows objects from another folder
(`objects/info/alternates`, `commondir`) is refused, since it would read outside.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from curation.core.errors import InputError

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.commitGraph=false",
    "protocol.allow=never",
    "safe.directory=*",
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # the same for a git older than 2.45
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "LC_ALL": "C",
}
_BORROWS = ("objects/info/alternates", "objects/info/http-alternates", "commondir")
_READ = ("HEAD", "config", "packed-refs", "shallow", "config.worktree")
_INCLUDES = re.compile(rb"\[\s*include", re.IGNORECASE)
_PATIENCE = 10  # seconds until a command whose output has ended is ended too
_ENDED = "git ended with status {}"
_NOTHING = _ENDED.format(1)  # there is no such thing
_SAID = 300  # characters of git's own words in a message


def git_folder(path: Path) -> Path | None:
    """The folder with the objects of the repository at `path`, checked out or bare; None if there is none. A `.git`
    that is a file or a link leads elsewhere and is none."""
    for folder in (path / ".git", path):
        parts = (folder, folder / "HEAD", folder / "objects", folder / "refs")
        if folder.is_dir() and all(part.exists() and not part.is_symlink() for part in parts[1:]):
            return None if folder.name == ".git" and folder.is_symlink() else folder
    return None


class GitProcess:
    """One git command at work on a repository's folder; its output is read from `stdout` while it runs."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # a pipe that no one reads would fill
        try:
            self._process = subprocess.Popen(
                ["git", f"--git-dir={folder.absolute()}", "--no-pager", *settings, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                env={"PATH": os.environ.get("PATH", os.defpath), **_ENVIRONMENT},
                cwd="/",  # where no program lies that a PATH with "." would find
                bufsize=1 << 17,
            )
        except FileNotFoundError as error:
            self._words.close()
            raise InputError("git is not installed here; install it, or read tarballs of the repositories") from error
        assert self._process.stdin
        assert self._process.stdout
        self.stdin = self._process.stdin
        self.stdout = self._process.stdout

    def __enter__(self) -> "GitProcess":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the command, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self.stdin, self.stdout, self._words):
            try:
                stream.close()
            except BrokenPipeError:  # of a request that was not sent
                continue

    def error(self) -> str:
        """What git says against it; "" if it ended well. One that does not end by itself is ended."""
        try:
            status = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._words.seek(0)
        said = self._words.read(_SAID).decode("utf-8", "replace").strip()
        return "" if status == 0 else said or _ENDED.format(status)


def answer(folder: Path, *arguments: str) -> str | None:
    """The first bytes of what a command says; None if it fails with nothing to say against the repository. Raises
    InputError, with git's words, where it has."""
    with GitProcess(folder, *arguments) as process:
        text = process.stdout.read(1 << 16)
        while process.stdout.read(1 << 16):
            continue
        error = process.error()
    if error and error != _NOTHING:
        raise InputError(f"git cannot read {folder}: {error}")
    return None if error else text.decode("utf-8", "replace")


def refuse_borrowed(folder: Path) -> None:
    """Raises InputError for a repository that takes settings from other files, or objects from another folder; or whose
    own are no plain files: opening a pipe would wait for ever."""
    for name in _READ:
        if (folder / name).exists() and not (folder / name).is_file():
            raise InputError(f"{folder / name} is no plain file; leave this repository out")
    if (folder / "config").exists() and _INCLUDES.search((folder / "config").read_bytes()):
        raise InputError(f"{folder}/config includes another file; remove that section, or clone the repository")
    parts = [*(folder / "objects").glob("*"), *(folder / "objects" / "pack").glob("*")]
    links = [str(part.relative_to(folder)) for part in parts if part.is_symlink()]
    for name in (*_BORROWS, *links):
        if name in links or (folder / name).exists():
            raise InputError(
                f"{folder} borrows objects from another folder ({name}); run `git repack -a -d` in it and remove that "
                "file, or clone it without --shared and --reference"
            )
