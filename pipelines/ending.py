"""Ends a command on SIGTERM or SIGINT: through every context, within seconds, and with no process left behind."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType, TracebackType
from typing import NoReturn, Self

GRACE = 8.0  # seconds that contexts have to end, so that the command has ended within 10
LAST_LINE = "stopped; the same command resumes"
SIGNALS = (signal.SIGTERM, signal.SIGINT)
IGNORE = 1  # SIG_IGN of signal(2)
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


class StopSignal(BaseException):
    """A signal stopped the command; the message replaces LAST_LINE, and an empty one is not shown."""


class Ending:
    """A context in which SIGNALS end the command; `number` is the signal that came.

    The first signal raises SystemExit in the main thread. Further ones are ignored, so that they cannot interrupt the
    clean-up. A watching thread raises SystemExit again if Python swallowed it, as it does in callbacks of a fork or of
    the garbage collector. After `grace` seconds it ends the process, because the main thread may hang in a call.
    """

    def __init__(self, grace: float = GRACE) -> None:
        self.number: int | None = None
        self._grace = grace
        self._read = -1
        self._write = -1
        self._before: dict[int, object] = {}
        self._ignored = False  # Python swallowed the SystemExit
        self._show_ignored = sys.unraisablehook

    @property
    def code(self) -> int:
        """The exit code: 128 + the number of the signal."""
        assert self.number is not None, "a signal has come"
        return 128 + self.number

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            return self
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as SIGINT is in a shell's background job
                self._before[number] = signal.signal(number, self._end)
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._show_ignored = sys.unraisablehook
        sys.unraisablehook = self._note_ignored
        threading.Thread(target=self._watch, name="winnow-ending", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restores the handlers, unless a signal came: they stay until the process has ended."""
        if self.number is None and self._before:
            sys.unraisablehook = self._show_ignored
            signal.set_wakeup_fd(-1)
            os.close(self._write)
            for number, before in self._before.items():
                signal.signal(number, before)  # type: ignore[arg-type]

    def leave(self) -> NoReturn:
        """Ends the process and all its descendants after a signal.

        It skips the interpreter's shutdown, in which libraries with running threads may crash.
        """
        kill_descendants()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(self.code)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self.number is None:
            self.number = number
            sys.exit(self.code)

    def _note_ignored(self, ignored: "sys.UnraisableHookArgs") -> None:
        if self.number is not None and isinstance(ignored.exc_value, SystemExit):
            self._ignored = True
        else:
            self._show_ignored(ignored)

    def _watch(self) -> None:
        came = 0
        while came not in SIGNALS:
            content = os.read(self._read, 1)
            if not content:
                os.close(self._read)
                return
            came = content[0]
        deadline = time.monotonic() + self._grace
        while time.monotonic() < deadline:
            _ignore_further()
            if self._ignored:
                self._ignored = False
                _raise_in_main_thread()
            time.sleep(0.005)
        kill_descendants()
        os.write(sys.stderr.fileno(), f"{LAST_LINE}\n".encode())
        os._exit(128 + came)


def _raise_in_main_thread() -> None:
    thread = ctypes.c_ulong(threading.main_thread().ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))


def _ignore_further() -> None:
    """Works in any thread, unlike `signal.signal`. Needed because Ray restores the default action of SIGTERM while it
    shuts down, and a second signal would end the process there."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for number in SIGNALS:
            library.signal(number, ctypes.c_void_p(IGNORE))


def adopt_orphans() -> None:
    """Makes this process the parent of descendants whose own parents die, so that `kill_descendants` finds them: Ray's
    workers outlive a raylet that is killed. Does nothing on systems without subreapers."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def kill_descendants() -> None:
    """Kills all descendants of this process, and no other process, until there are none."""
    for _ in range(20):
        family = descendants(os.getpid())
        if not family:
            return
        for pid in family:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def descendants(pid: int) -> set[int]:
    """The living descendants of a process, from /proc; none on systems without /proc."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                parents[int(stat.parent.name)] = int(parent)
    family = {pid}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return family - {pid}
