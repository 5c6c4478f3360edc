"""Parses pages in a child process, so that a page that hangs, crashes or exhausts the memory costs only itself.

Why a fresh interpreter and not a fork: the caller is a threaded Ray worker, and a fork would copy its locks as they
are. Why no parent-death signal: it fires when the thread that started the child ends. The child ends with its input.

A process keeps one child per parser and reuses it for up to `PAGES_PER_CHILD` pages, because parsers leak. A crash or
exhausted memory counts against a page only if it is the first page of its child, because earlier pages may be the
cause. Any other page is tried once more in a fresh child.
"""

import atexit
import os
import select
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curation.core.errors import StageError
from curation.core.watchdog import advance
from curation.extract.sandbox.child import OUT_OF_MEMORY, PAGE, PARSER_ERROR, READINGS, READY, REPLY
from curation.extract.sandbox.launch import PIPE_BYTES, Parsing, launch

PAGES_PER_CHILD = 10_000
MAX_CHILDREN = 2  # kept at once: a cascade alternates between two parsers
GRACE_SECONDS = 30.0  # beyond a page's deadline, before a child that the kernel did not stop is killed
START_SECONDS = 120.0
EXIT_SECONDS = 5.0


@dataclass(frozen=True)
class PageOutcome:
    """A page's text as UTF-8, and the name of the `reading` that took the parser's place, if one did; or the cause why
    there is none, `caught` if that is a limit on time or memory, or a crash."""

    text: bytes = b""
    cause: str | None = None
    caught: bool = False
    reading: str | None = None


def parse_pages(parsing: Parsing, pages: Sequence[bytes], on_caught: Callable[[int, str], None]) -> list[PageOutcome]:
    """One outcome per page of UTF-8; `on_caught(index, cause)` is called as soon as one is caught.

    Raises StageError when the child cannot start. Threads of one process take turns.
    """
    outcomes: list[PageOutcome] = []
    with _lock:
        while len(outcomes) < len(pages):
            more = _until_caught(parsing, pages[len(outcomes) :])
            outcomes += more
            if more and more[-1].caught:
                on_caught(len(outcomes) - 1, str(more[-1].cause))
    return outcomes


def close() -> None:
    """End this process's children."""
    while _children:
        _children.popitem()[1].end()


class Child:
    """A running child process, and how many pages it has answered."""

    def __init__(self, parsing: Parsing) -> None:
        self.parsing = parsing
        self.pages = 0
        self.process, self._to_child, self._from_child = launch(parsing)
        self._received = bytearray()
        self._overdue = False
        os.set_blocking(self._to_child, False)
        status, message = next(self._replies(1, deque(), START_SECONDS), (-1, b"it ended at once"))
        if status != READY:
            self.end()
            raise StageError(f"the parser {parsing.parser} does not start: {message.decode(errors='replace')}")

    def answers(self, pages: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """(status, text) per page in order, fewer if the child dies before it has answered all."""
        outgoing = deque(memoryview(part) for page in pages for part in (PAGE.pack(len(page)), page))
        return self._replies(len(pages), outgoing, self.parsing.timeout_seconds + GRACE_SECONDS)

    def cause_of_death(self) -> str:
        """Call when the replies have ended early."""
        try:
            code = self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "crash"
        if self._overdue or code == -signal.SIGALRM:
            return "timeout"
        return "memory" if code == -signal.SIGKILL else "crash"  # only the kernel, out of memory, sends SIGKILL

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.forget()

    def forget(self) -> None:
        """Close the pipes."""
        os.close(self._to_child)
        os.close(self._from_child)

    def _replies(self, count: int, outgoing: deque[memoryview], seconds: float) -> Iterator[tuple[int, bytes]]:
        alive = True
        while count and alive:
            alive = self._pump(outgoing, seconds)
            while count and (reply := self._take()):
                count -= 1
                yield reply

    def _pump(self, outgoing: deque[memoryview], seconds: float) -> bool:
        """Write and read what the pipes can take and hold now; False once the child has closed its end."""
        poll = select.poll()
        poll.register(self._from_child, select.POLLIN)
        if outgoing:
            poll.register(self._to_child, select.POLLOUT)
        ready = dict(poll.poll(seconds * 1000))
        if not ready:
            self._overdue = True
            self.process.kill()
        if self._to_child in ready:
            self._send(outgoing)
        if self._from_child not in ready:
            return True
        chunk = os.read(self._from_child, PIPE_BYTES)
        self._received += chunk
        return bool(chunk)

    def _send(self, outgoing: deque[memoryview]) -> None:
        try:
            while outgoing:
                sent = os.write(self._to_child, outgoing[0])
                outgoing[0] = outgoing[0][sent:]
                if not outgoing[0]:
                    outgoing.popleft()
        except BlockingIOError:
            pass  # the pipe is full
        except BrokenPipeError:
            outgoing.clear()  # the child died; the end of its replies tells how

    def _take(self) -> tuple[int, bytes] | None:
        if len(self._received) < REPLY.size:
            return None
        status, size = REPLY.unpack_from(self._received)
        end = REPLY.size + size
        if len(self._received) < end:
            return None
        text = bytes(self._received[REPLY.size : end])
        del self._received[:end]
        return status, text


def _until_caught(parsing: Parsing, pages: Sequence[bytes]) -> list[PageOutcome]:
    """Outcomes of the first pages: as many as one child may answer, up to and including the first that is caught.

    Empty if the page at fault was not the child's first and must be tried again.
    """
    child = _child_for(parsing)
    outcomes: list[PageOutcome] = []
    pages = pages[: PAGES_PER_CHILD - child.pages]
    cause = None
    try:
        for status, text in child.answers(pages):
            advance()
            if status == OUT_OF_MEMORY:
                cause = "memory"
                break
            child.pages += 1
            failed = "parser_error" if status == PARSER_ERROR else None
            outcomes.append(PageOutcome(text, failed, reading=READINGS.get(status)))
    except BaseException:
        _end(parsing)  # otherwise leftover replies would be taken for those of the next pages
        raise
    if len(outcomes) < len(pages):
        cause = cause or child.cause_of_death()
        _end(parsing)
        if cause == "timeout" or child.pages == 0:
            outcomes.append(PageOutcome(cause=cause, caught=True))
    return outcomes


def _child_for(parsing: Parsing) -> Child:
    child = _children.get(parsing)
    if child is not None and (child.pages >= PAGES_PER_CHILD or child.process.poll() is not None):
        _end(parsing)
    if parsing not in _children:
        if len(_children) >= MAX_CHILDREN:
            _end(next(iter(_children)))
        _children[parsing] = Child(parsing)
    return _children[parsing]


def _end(parsing: Parsing) -> None:
    if parsing in _children:
        _children.pop(parsing).end()


def _after_fork() -> None:
    """A forked copy of this process leaves the children to its parent."""
    global _children, _lock
    left = _children
    _children = {}
    _lock = threading.Lock()
    for child in left.values():
        child.process.returncode = 0
        child.forget()


_children: dict[Parsing, Child] = {}
_lock = threading.Lock()
atexit.register(close)
os.register_at_fork(after_in_child=_after_fork)
