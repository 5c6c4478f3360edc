"""Gives the contents of a repository's files by their hashes.

`git cat-file --batch-command` (git 2.36 or newer) gives sizes and contents as streams. It ends at an object that it
cannot read, one that is damaged or grows beyond its memory: another process then goes on with the next. Of some that
hold less than they state it gives less, and waits: so each batch ends with a question whose answer no object can hold.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from curation.core.errors import InputError
from curation.sources.documents.repositories.git_objects import GitObjects
from curation.sources.documents.repositories.git_process import GitProcess

REQUESTS = 256  # that fit into a pipe, so that git's answers may wait while they are written
MAX_UNREADABLE = 20  # files at which git may end before the repository is given up

_LINE = 1 << 12  # bytes of an answer's head


class Unreadable(NamedTuple):
    """Why a file's content cannot be had."""

    error: str


class GitContents:
    """Contents of up to `longest` bytes. To be used as a context, which ends git."""

    def __init__(self, objects: GitObjects, *, sha256: bool, longest: int) -> None:
        self._objects = objects
        self._sha256 = sha256
        self._longest = longest
        self._unreadable = 0
        self._nothing = secrets.token_hex(20)  # a hash that no object has
        self._end = f"{self._nothing} missing\n".encode()
        self._stack = ExitStack()
        self._process = self._started()

    def __enter__(self) -> "GitContents":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def sizes(self, hashes: Sequence[str]) -> list[int | None]:
        """The size of each, up to REQUESTS of them; None for what the repository lacks or git cannot read. Raises
        InputError where git ends."""
        self._ask("".join(f"info {name}\n" for name in hashes))
        return [self._size() for _ in hashes]

    def read(self, hashes: Sequence[str], sizes: Sequence[int]) -> Iterator[bytes | Unreadable]:
        """The content of each, up to REQUESTS of them. Raises InputError for more than MAX_UNREADABLE that git cannot
        read."""
        self._ask_contents(hashes)
        for number, size in enumerate(sizes, 1):
            content = self._content(size)
            if isinstance(content, Unreadable):
                self._go_on(content.error, hashes[number:])
            if number == len(sizes):
                self._process.stdout.readline(_LINE)  # the end
            yield content

    def _started(self) -> GitProcess:
        process = GitProcess(
            self._objects, "cat-file", "--batch-command", "--buffer", sha256=self._sha256, longest=self._longest
        )
        return self._stack.enter_context(process)

    def _ask(self, requests: str) -> None:
        """Sends requests. That git has ended shows where its answers are read."""
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{requests}flush\n".encode())
            self._process.stdin.flush()

    def _ask_contents(self, hashes: Sequence[str]) -> None:
        self._ask("".join(f"contents {name}\n" for name in (*hashes, self._nothing)))

    def _size(self) -> int | None:
        head = self._process.stdout.readline(_LINE).split()
        if not head:
            raise InputError(f"git cannot read {self._objects.folder.parent}: {self._process.error()}")
        return int(head[2]) if len(head) == 3 and head[1] == b"blob" else None

    def _content(self, size: int) -> bytes | Unreadable:
        """The next answer, or why there is none."""
        head = self._process.stdout.readline(_LINE).split()
        if head and (len(head) != 3 or head[1] != b"blob" or int(head[2]) != size):
            return Unreadable("git gives another object than before")
        content = self._taken(size + 1)
        if head and len(content) == size + 1 and content.endswith(b"\n"):
            return content[:-1]
        if content.endswith(self._end) or len(content) > size:
            return Unreadable("it has another size than it states")
        return Unreadable(self._process.error() or "git ended before its end")

    def _taken(self, size: int) -> bytes:
        """The next bytes, fewer where git has ended or has no more to say."""
        content = bytearray()
        while len(content) < size and (block := self._process.stdout.read1(size - len(content))):
            content += block
            if content.endswith(self._end):
                break
        return bytes(content)

    def _go_on(self, error: str, hashes: Sequence[str]) -> None:
        """Asks another process for the contents that come after one that could not be read."""
        self._unreadable += 1
        if self._unreadable > MAX_UNREADABLE:
            raise InputError(
                f"git cannot read more than {MAX_UNREADABLE} objects of {self._objects.folder.parent}, the last: "
                f"{error}; run `git fsck` in it, and clone it anew or leave it out"
            )
        self._stack.close()
        self._process = self._started()
        self._ask_contents(hashes)
