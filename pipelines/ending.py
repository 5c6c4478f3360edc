"""Ends a command on SIGTERM or SIGINT: through every context, within seconds, and with no process left behind.

A second Ctrl-C ends it at once.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import NoReturn, Self

GRACE = 8.0  # seconds that contexts have to end, so that the command has ended within 10
NOTICE = 0.5  # seconds after which a command that is still ending says so
ECHO = 0.2  # seconds in which a second SIGINT is the same Ctrl-C, passed on by a program between terminal and command
ENDING_LINE = "stopping, which takes some seconds; Ctrl-C again ends at once"
LAST_LINE = "stopped"
SIGNALS = (signal.SIGTERM, signal.SIGINT)
IGNORE = 1  # SIG_IGN of signal(2)
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


class StopSignal(BaseException):
    """A signal stopped the command; the message replaces the last line, and an empty one is not shown."""


class Ending:
    """A context in which SIGNALS end the command; `number` is the signal that came.

    The first signal raises SystemExit in the main thread. A further SIGTERM is ignored, so that it cannot interrupt the
    clean-up; a second SIGINT ends the process at once, even if something has taken the first one for itself, as a
    training run does that writes a checkpoint first. A watching thread does this. It also raises SystemExit again if
    Python swallowed it, as it does in callbacks of a fork or of the garbage collector, and ends the process after
    `grace` seconds, because the main thread may hang in a call. `last_line` makes the line that the process leaves.
    """

    def __init__(self, last_line: Callable[[int], str] = lambda _: LAST_LINE, grace: float = GRACE) -> None:
        self.number: int | None = None
        self._last_line = last_line
        self._grace = grace
        self._interrupted: dict[bool, float] = {}  # when a first SIGINT came, for something else and for this context
        self._sigint: ctypes.Array[ctypes.c_char] | None = None  # Python's own handler in C
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
        if signal.SIGINT in self._before:
            self._sigint = _current_action(signal.SIGINT)
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

    def line(self) -> str:
        """The last line of a command that a signal has ended."""
        assert self.number is not None, "a signal has come"
        return self._last_line(self.number)

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
        while came not in SIGNALS or signal.getsignal(came) != self._end:  # or something else answers it
            content = os.read(self._read, 1)
            if not content:
                os.close(self._read)
                return
            came = content[0]
            self._count(came)
        began = time.monotonic()
        noticed = came != signal.SIGINT
        os.set_blocking(self._read, False)
        while (waited := time.monotonic() - began) < self._grace:
            self._ignore_further()
            if self._ignored:
                self._ignored = False
                _raise_in_main_thread()
            if waited > NOTICE and not noticed:
                noticed = True
                _write_line(ENDING_LINE)
            with contextlib.suppress(BlockingIOError):
                for number in os.read(self._read, 64):
                    self._count(number)
            time.sleep(0.005)
        self._end_now(came)

    def _count(self, number: int) -> None:
        """Ends the process at a second SIGINT; a prompt may take any number of them."""
        handler = signal.getsignal(number)
        if number == signal.SIGINT and handler is not signal.default_int_handler:
            now = time.monotonic()
            if now - self._interrupted.setdefault(handler == self._end, now) > ECHO:
                self._end_now(number)

    def _end_now(self, number: int) -> NoReturn:
        kill_descendants()
        _write_line(self._last_line(number))
        os._exit(128 + number)

    def _ignore_further(self) -> None:
        """Works in any thread, unlike `signal.signal`. Needed because Ray restores the default action of SIGTERM while
        it shuts down, and a second signal would end the process there. SIGINT goes on to wake the watching thread."""
        with contextlib.suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            library.signal(signal.SIGTERM, ctypes.c_void_p(IGNORE))
            if self._sigint is not None:
                library.sigaction(signal.SIGINT, self._sigint, None)


def _current_action(number: int) -> "ctypes.Array[ctypes.c_char] | None":
    """The `struct sigaction` of a signal; None on systems without it."""
    action = ctypes.create_string_buffer(1024)  # more than it takes anywhere
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).sigaction(number, None, action)
        return action
    return None


def _write_line(line: str) -> None:
    """Past the streams, whose locks the main thread may hold."""
    if line:
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), f"{line}\n".encode(errors="backslashreplace"))


def _raise_in_main_thread() -> None:
    thread = ctypes.c_ulong(threading.main_thread().ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))


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
