"""Ends a piece of work that takes too much processor time or memory.

    with Watchdog() as watchdog:
        watchdog.run(call, piece)

The limits are a net: they count the processor time of the thread, so that a busy, stopped or suspended machine changes
nothing, and the growth of this process's own memory. Beside them stands a generous limit of waiting. A process beside
this one (`watcher`) compares; this one interrupts the work where Python can, by an exception, and where it cannot, as
in a library's loop, it is killed.
"""

import atexit
import ctypes
import json
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from curation.core import watcher
from curation.core.threads import repeating
from curation.core.watcher import SIGNAL

Cause: TypeAlias = Literal["timeout", "memory"]
Result = TypeVar("Result")

IDLE = 2  # watchers that are kept for what comes next
CAUSES: tuple[Cause, ...] = ("timeout", "memory")

GRACE = 10.0  # seconds of processor time (or of waiting) that work has to end after its interruption


@dataclass(frozen=True, kw_only=True)
class WorkLimits:
    """Limits on the work on one document, or on a file between two of its documents."""

    seconds: float = 60.0  # of processor time
    memory: int = 2 << 30  # bytes by which the process may grow

    def of(self, cause: Cause) -> float:
        """The limit that was exceeded."""
        return self.seconds if cause == "timeout" else self.memory

    def words(self, cause: Cause) -> str:
        """ "more than 60 s of processor time"."""
        taken = (
            f"{self.seconds:g} s of processor time" if cause == "timeout" else f"{self.memory >> 20:,} MiB of memory"
        )
        return f"more than {taken}"


LIMITS = WorkLimits()


class Interruption(BaseException):
    """Interrupts work that exceeds a limit. It is no Exception, so that no library takes it for an error of its own."""


class Overrun(Exception):  # noqa: N818 - an outcome like others
    """A call that exceeded a limit; `cause` stands in the drop reason."""

    pieces: ClassVar[int] = 16  # into which a batch is cut on which it happened

    def __init__(self, cause: Cause) -> None:
        super().__init__(f"exceeded the limit on {'processor time' if cause == 'timeout' else 'memory'}")
        self.cause: Cause = cause


class WatchedWork:
    """Work in progress. `note` is called before it is interrupted, and writes down what must not be tried again.

    `noted`: a result that comes in spite of an interruption does not count, because `note` has written otherwise.
    """

    noted = True
    waits = True  # whether the time that it waits is limited too
    grace = GRACE

    def __init__(self, limits: WorkLimits) -> None:
        self.limits = limits
        self.cause: Cause | None = None

    @property
    def place(self) -> tuple[int, int, int]:
        """Where in a file it is: rows pulled and given, and the number of a document."""
        return 0, 0, -1

    def note(self, cause: Cause) -> None:
        """Writes down nothing."""

    def ending(self) -> dict[str, Any]:
        """Describes the note that is left should the process be killed: its `folder` and `name`, the `note` itself, and
        a `line` for the log."""
        raise NotImplementedError


class Watchdog:
    """A context of the thread that it watches; `outer` is that of the same thread around it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.piece: WatchedWork | None = None
        self._stack = ExitStack()
        self._raised = 0.0  # when it was last interrupted

    def __enter__(self) -> Self:
        self._thread = threading.get_ident()
        self._main = threading.current_thread() is threading.main_thread()
        self._watching = _taken()
        self.slots = self._watching.slots
        self.outer = _watched.dog
        _watched.dog = self
        if self._main:
            signal.signal(SIGNAL, _on_signal)  # for good: without it a late signal would end the process
        else:
            self._stack.enter_context(repeating(self._heed, watcher.EVERY, "winnow-watchdog"))
        return self

    def __exit__(self, *raised: object) -> None:
        _watched.dog = self.outer
        self._stack.close()
        if len(_idle) < IDLE:
            _idle.append(self._watching)
        else:
            self._watching.end()

    def run(self, call: Callable[[], Result], piece: WatchedWork) -> Result:
        """The call's result. Raises Overrun where it exceeded a limit."""
        try:
            try:
                self.resume(piece)
                result = call()
                self.piece = None
            finally:
                self._close()
            if piece.cause is None or not piece.noted:
                return result
        except BaseException as error:
            if piece.cause is None or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
                raise
        raise Overrun(piece.cause)

    def advance(self) -> None:
        """The open piece makes progress."""
        self.slots[watcher.ADVANCED] += 1

    def pause(self) -> WatchedWork | None:
        """Watches nothing until `resume` is given what this returns."""
        piece = self.piece
        self._close()
        return piece

    def resume(self, piece: WatchedWork) -> None:
        """Watches the piece from here on, as if it had not been interrupted."""
        self.piece = piece
        self._watching.open(piece)

    def _close(self) -> None:
        """No interruption comes after this, though one may come on the way."""
        while True:
            try:
                with self._lock:
                    self.slots[watcher.OPEN] = 0
                    self.piece = None
                    if not self._main:
                        _raise_in(self._thread, None)
                return
            except Interruption:
                continue

    def _heed(self) -> None:
        """Interrupts the piece if it is to end; of a thread that is not the main one, where signals arrive."""
        with self._lock:
            if self.caught() and time.monotonic() - self._raised >= watcher.AGAIN:
                self._raised = time.monotonic()
                _raise_in(self._thread, Interruption)

    def caught(self) -> bool:
        """Whether the open piece is to end, which is then written down."""
        piece = self.piece
        if piece is None or self.slots[watcher.FIRED] != self.slots[watcher.OPEN]:
            return False
        if piece.cause is None:
            cause = CAUSES[self.slots[watcher.CAUSE] - 1]
            try:
                piece.note(cause)
            except OSError:  # a full disk, a store that fails: what is not written down is not interrupted
                return False
            piece.cause = cause
        return True


class _Watching:
    """A watcher and the memory that this process shares with it."""

    def __init__(self) -> None:
        descriptor = os.memfd_create("winnow-watch")
        os.ftruncate(descriptor, watcher.SIZE)
        self._memory = mmap.mmap(descriptor, watcher.SIZE)
        self.slots = memoryview(self._memory)[: watcher.TEXT].cast("q")
        self._opened = 0
        command = [sys.executable, "-I", "-S", watcher.__file__, str(os.getpid()), str(descriptor)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=(descriptor,), cwd="/")
        os.close(descriptor)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def open(self, piece: WatchedWork) -> None:
        """Watches this thread's work on a piece."""
        limits = piece.limits
        said: dict[str, Any] = {cause: limits.words(cause) for cause in CAUSES}
        said["limits"] = {cause: limits.of(cause) for cause in CAUSES}
        text = json.dumps(piece.ending() | said).encode(errors="replace")
        self._memory[watcher.TEXT : watcher.TEXT + len(text)] = text
        slots = self.slots
        slots[watcher.THREAD] = threading.get_native_id()
        slots[watcher.MILLISECONDS] = int(limits.seconds * 1000)
        slots[watcher.BYTES] = limits.memory
        slots[watcher.GRACE] = int(piece.grace * 1000)
        slots[watcher.WAITS] = piece.waits
        slots[watcher.PULLED], slots[watcher.GIVEN], slots[watcher.NUMBER] = piece.place
        slots[watcher.LENGTH] = len(text)
        self._opened += 1
        slots[watcher.OPEN] = self._opened

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def _taken() -> _Watching:
    """A watcher that watches nothing else."""
    while _idle:
        one = _idle.pop()
        if one.alive:
            return one
    return _Watching()


def _end_idle() -> None:
    while _idle:
        _idle.pop().end()


class _Watched(threading.local):
    dog: Watchdog | None = None


_watched = _Watched()
_idle: list[_Watching] = []
atexit.register(_end_idle)
# A child of a fork shares the memory of its parent's watchers, which do not watch it.
os.register_at_fork(after_in_child=_idle.clear)
os.register_at_fork(after_in_child=lambda: setattr(_watched, "dog", None))


def open_piece() -> WatchedWork | None:
    """The watched work of this thread; None outside of any."""
    return _watched.dog.piece if _watched.dog is not None else None


@contextmanager
def unhurried() -> Iterator[None]:
    """Work of this thread whose time depends on the size of a file, which no deadline bounds."""
    dog = _watched.dog
    piece = dog.pause() if dog is not None else None
    try:
        yield
    finally:
        if dog is not None and piece is not None:
            dog.resume(piece)


def advance() -> None:
    """Says that the work of this thread makes progress: it has read more of a file, or got another answer."""
    if _watched.dog is not None:
        _watched.dog.advance()


def _on_signal(number: int, frame: FrameType | None) -> None:
    dog = _watched.dog
    while dog is not None:
        if dog.caught():
            raise Interruption
        dog = dog.outer


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raises in another thread as soon as it runs Python; None takes back what it has not yet raised."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), kind and ctypes.py_object(kind))
