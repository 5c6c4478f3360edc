"""What a process and all that it started use together, read from /proc every fifth of a second.

Resident memory is summed over processes, so shared pages count several times: the sum is an upper bound. For a process
that has ended, the CPU seconds last read count.
"""

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

PERIOD = 0.2  # seconds
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

Process = tuple[int, int]  # number and start time, because numbers are used again


class Use(NamedTuple):
    parent: int
    cpu_seconds: float
    bytes: int


class ProcessTree:
    """A context in which the tree of processes is watched: of this one, or of another by its number."""

    def __init__(self, root: int | None = None) -> None:
        self._root = root or os.getpid()
        self._cpu: dict[Process, float] = {}  # of every process of the tree that was ever seen
        self._peak = 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "ProcessTree":
        self._look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def cpu_seconds(self) -> float:
        """Of all processes so far, also those that have ended."""
        self._look()
        return sum(self._cpu.values())

    def peak_bytes(self) -> int:
        """The most memory since the last call."""
        self._look()
        with self._lock:
            peak = self._peak
            self._peak = 0
        return peak

    def end(self) -> None:
        """Kills what is left of the tree."""
        self._look()
        for number, _ in self._cpu.keys() & _processes().keys():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def _watch(self) -> None:
        while not self._stop.wait(PERIOD):
            self._look()

    def _look(self) -> None:
        with self._lock:
            running = _processes()
            tree = {key: use for key, use in running.items() if key[0] == self._root or key in self._cpu}
            parents = {number for number, _ in tree}
            while parents:
                children = {key: use for key, use in running.items() if use.parent in parents and key not in tree}
                tree |= children
                parents = {number for number, _ in children}
            self._cpu |= {key: use.cpu_seconds for key, use in tree.items()}
            self._peak = max(self._peak, sum(use.bytes for use in tree.values()))


def _processes() -> dict[Process, Use]:
    processes = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()  # the name before may hold anything
            except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
                continue
            cpu = (int(fields[11]) + int(fields[12])) / _TICKS
            processes[int(folder.name), int(fields[19])] = Use(int(fields[1]), cpu, int(fields[21]) * _PAGE)
    return processes
