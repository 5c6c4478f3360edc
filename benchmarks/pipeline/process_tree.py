"""What this process and all that it started use together, read from /proc every fifth of a second.

Resident memory is summed process by process, so that pages which several of them share count several times: what the
processes really use is less, never more. CPU seconds of a process that has ended are those last seen.
"""

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

PERIOD = 0.2  # seconds
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")

Process = tuple[int, int]  # number and start time: numbers come again


class Use(NamedTuple):
    parent: int
    cpu_seconds: float
    bytes: int


class ProcessTree:
    """A context in which the tree is watched."""

    def __init__(self) -> None:
        self._cpu: dict[Process, float] = {}  # of every process of the tree that was ever seen
        self._peak = 0
        self._stop, self._lock = threading.Event(), threading.Lock()
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
            peak, self._peak = self._peak, 0
        return peak

    def _watch(self) -> None:
        while not self._stop.wait(PERIOD):
            self._look()

    def _look(self) -> None:
        with self._lock:
            found = _processes()
            tree = {one: use for one, use in found.items() if one[0] == os.getpid() or one in self._cpu}
            waiting = {one[0] for one in tree}
            while waiting:
                children = {one: use for one, use in found.items() if use.parent in waiting and one not in tree}
                tree |= children
                waiting = {one[0] for one in children}
            self._cpu |= {one: use.cpu_seconds for one, use in tree.items()}
            self._peak = max(self._peak, sum(use.bytes for use in tree.values()))


def _processes() -> dict[Process, Use]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()  # the name before may hold anything
            except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
                continue
            cpu = (int(fields[11]) + int(fields[12])) / _TICKS
            found[int(folder.name), int(fields[19])] = Use(int(fields[1]), cpu, int(fields[21]) * _PAGE)
    return found
