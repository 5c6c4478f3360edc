"""Runs git on the objects of a repository that anyone may have made. git executes nothing that the repository names,
asks no one, fetches nothing, and ends where it takes too long or needs too much memory.

git never sees the repository's own folder. It works in an empty one with the settings below, and is told where the
checked objects are (`git_objects`): the repository's settings, with what they include, its branches, `shallow`,
replacements, grafts and worktrees are not read. Only plumbing runs (`ls-tree`, `cat-file`, `config --file -`), which
knows no hooks, filters, pagers or signature programs.
"""

import io
import os
import re
import resource
import select
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from curation.core.errors import InputError
from curation.sources.documents.repositories.git_objects import GitObjects

CPU_SECONDS = 15  # of a command, and as many more as the objects have CPU_BYTES; most need a twentieth of it
CPU_BYTES = 1 << 20
MAX_SILENCE = 120  # seconds that git may take to say something: disks stall, and machines are busy
MEMORY = 192 << 20  # bytes of a command's heap, to which those of the largest file to be read are added four times
MAX_COMPLAINTS = 4 << 20  # bytes of messages

_SETTINGS = """[core]
  repositoryFormatVersion = 1
  bare = true
  commitGraph = false
  multiPackIndex = false
  packedGitWindowSize = 8m
  packedGitLimit = 128m
[extensions]
  objectFormat = {}
[protocol]
  allow = never
"""
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
_PATIENCE = 10  # seconds until a command whose output has ended is ended too
_SAID = 300  # characters of git's own words in a message
_NO_MEMORY = "ut of memory"
_LETTERS = re.compile(r"[^ -~]+")


class GitProcess:
    """One git command at work on a repository's objects; its output is read from `stdout` while it runs. `longest` is
    the size of the largest file that is to be read."""

    def __init__(self, objects: GitObjects, *arguments: str, sha256: bool = False, longest: int = 0) -> None:
        self._objects = objects
        self._seconds = CPU_SECONDS + objects.size // CPU_BYTES
        self._folder = tempfile.TemporaryDirectory(prefix="winnow-git-")
        empty = Path(self._folder.name)
        (empty / "refs").mkdir()
        (empty / "HEAD").write_text("ref: refs/heads/none\n")
        (empty / "config").write_text(_SETTINGS.format("sha256" if sha256 else "sha1"))
        self._complaints = empty / "complaints"
        try:
            with self._complaints.open("wb") as complaints:
                self._process = subprocess.Popen(
                    ["git", f"--git-dir={empty}", "--no-pager", *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    env={
                        "PATH": os.environ.get("PATH", os.defpath),
                        "GIT_OBJECT_DIRECTORY": str(objects.folder.absolute()),
                        **_ENVIRONMENT,
                    },
                    cwd="/",  # where no program lies that a PATH with "." would find
                    bufsize=0,
                )
        except FileNotFoundError as error:
            self._folder.cleanup()
            raise InputError("git is not installed here; install it, or read tarballs of the repositories") from error
        self._memory = MEMORY + 4 * longest
        self._limit()
        assert self._process.stdin
        assert self._process.stdout
        self.stdin = io.BufferedWriter(self._process.stdin)
        self.stdout = io.BufferedReader(_Pipe(self._process.stdout, str(objects.folder.parent)), 1 << 17)

    def __enter__(self) -> "GitProcess":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the command, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # of a request that was not sent
            self.stdin.close()
        self.stdout.close()
        self._folder.cleanup()

    def error(self) -> str:
        """What git says against the repository; "" if it ended well. One that does not end by itself is ended. Raises
        InputError where it took too long."""
        try:
            status = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        if status == -signal.SIGXCPU:
            raise InputError(
                f"git needs more than {self._seconds} seconds to read {self._objects.folder.parent}; leave this "
                "repository out"
            )
        with self._complaints.open("rb") as complaints:
            said = complaints.read(_SAID).decode("utf-8", "replace").replace(self._folder.name, "")
        words = _LETTERS.sub(" ", said).strip()
        if _NO_MEMORY in words:
            return f"it needs more than {self._memory >> 20} MB of memory"
        ended = f"git was ended by signal {-status}" if status < 0 else f"git ended with status {status}"
        return "" if status == 0 else words or ended

    def _limit(self) -> None:
        for limit, soft, hard in (
            (resource.RLIMIT_CPU, self._seconds, self._seconds + 5),
            (resource.RLIMIT_DATA, self._memory, self._memory),  # which leaves out the files that are mapped
            (resource.RLIMIT_FSIZE, MAX_COMPLAINTS, MAX_COMPLAINTS),
            (resource.RLIMIT_CORE, 0, 0),
        ):
            resource.prlimit(self._process.pid, limit, (soft, hard))


class _Pipe(io.RawIOBase):
    """The output of a command. Raises InputError where nothing comes for MAX_SILENCE seconds."""

    def __init__(self, pipe: IO[bytes], repository: str) -> None:
        self._pipe = pipe
        self._repository = repository
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._poll.poll(MAX_SILENCE * 1000):
            raise InputError(
                f"git said nothing of {self._repository} for {MAX_SILENCE} seconds; leave this repository out"
            )
        return self._pipe.readinto(buffer)  # type: ignore[attr-defined,no-any-return]  # unbuffered

    def close(self) -> None:
        self._pipe.close()
        super().close()


def answer(objects: GitObjects, *arguments: str, given: bytes = b"", sha256: bool = False) -> tuple[bytes, str]:
    """The first bytes of what a command says of `given`, and what it says against the repository, "" if nothing."""
    with GitProcess(objects, *arguments, sha256=sha256) as process:
        with suppress(BrokenPipeError):  # of a command that has failed; its error tells why
            process.stdin.write(given)
            process.stdin.close()
        said = process.stdout.read(1 << 16)
        while process.stdout.read(1 << 16):
            continue
        return said, process.error()
