"""Parses pages in a child process, so that a page that hangs, crashes or eats the memory costs only itself.

Why a fresh interpreter and not a fork: the caller is a threaded Ray worker, whose locks a fork would copy as they are.
Why no parent-death signal: it fires when the thread that started the child ends. The child ends with its standard input.

One child is kept per process and used again; it is replaced after `PAGES_PER_CHILD` pages, since parsers leak. A page
that crashes or runs out of memory in a used child is tried once more in a fresh one: what earlier pages left behind must
not decide its fate.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.core.errors import StageError
from curation.extract.child import BROKEN, OUT_OF_MEMORY, PAGE, PARSER_ERROR, READY, REPLY, TEXT

PAGES_PER_CHILD = 10_000
PIPE_BYTES = 1 << 20  # several pages wait in the pipe while one is parsed
GRACE_SECONDS = 30.0  # beyond a page's deadline, before a child that the kernel did not stop is killed
START_SECONDS = 120.0

_F_SETPIPE_SZ = 1031


@dataclass(frozen=True)
class Parsing:
    """Which function the child runs ("module:function" that takes `options` and returns str -> str) and its net."""

    parser: str
    options: str  # JSON
    timeout_seconds: float
    memory_mb: int

    @classmethod
    def of(cls, parser: str, options: Mapping[str, object], timeout_seconds: float, memory_mb: int) -> "Parsing":
        return cls(parser, json.dumps(options, sort_keys=True), timeout_seconds, memory_mb)


@dataclass(frozen=True)
class Outcome:
    """A page's text as UTF-8, or the cause for which there is none; `netted` where the net was what stopped it."""

    text: bytes = b""
    cause: str | None = None
    netted: bool = False


def parse_pages(parsing: Parsing, pages: Sequence[bytes], on_netted: Callable[[int, str], None]) -> list[Outcome]:
    """One outcome per page (UTF-8 bytes, without NULs); `on_netted(index, cause)` is called as soon as one is caught.

    Raises StageError when the child cannot start. Threads of one process take turns.
    """
    outcomes: list[Outcome] = []
    with _lock:
        while len(outcomes) < len(pages):
            child = _child_for(parsing)
            fresh = child.pages == 0
            room = min(len(pages), len(outcomes) + PAGES_PER_CHILD - child.pages)
            outcomes += _until_netted(child, pages[len(outcomes) : room])
            if not (outcomes and outcomes[-1].netted):
                continue
            _close()
            last = outcomes[-1]
            if last.cause != "timeout" and not (fresh and child.pages == 1):
                outcomes[-1:] = _until_netted(_child_for(parsing), pages[len(outcomes) - 1 : len(outcomes)])
                last = outcomes[-1]
                if last.netted:
                    _close()
            if last.netted:
                on_netted(len(outcomes) - 1, str(last.cause))
    return outcomes


class Child:
    """A running child process and how many pages it has answered."""

    def __init__(self, parsing: Parsing) -> None:
        self.parsing = parsing
        self.pages = 0
        self.process = _start(parsing)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        for pipe in (self.stdin, self.stdout):
            _widen(pipe)
        os.set_blocking(self.stdin, False)
        self._received = bytearray()
        status, text = self._reply(memoryview(b""), START_SECONDS)[0] or (BROKEN, b"it ended before it was ready")
        if status != READY:
            self.close()
            raise StageError(f"the parser {parsing.parser} does not start: {text.decode(errors='replace')}")
