"""The process that watches another's work, run as a file with the number of a shared memory; see `watchdog`.

A process of its own, because a library that holds Python's lock, as `re` does, lets no thread beside it run. It knows
the standard library only, so that it starts in milliseconds, and ends with the process that it watches.
"""

import json
import mmap
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SIGNAL = signal.SIGRTMIN + 8  # that nothing else uses
EVERY = 0.05  # seconds between two looks
AGAIN = 1.0  # seconds between two signals for one piece of work, because a library may swallow what the first raises
PATIENCE = 20  # times the processor time that work may wait without doing anything
ROOM = 1 << 30  # bytes, at least, by which work may grow beyond its limit before its process is ended at once
SIZE = 1 << 16  # bytes of the shared memory
# Places in it, int64 each, before TEXT: the piece of work that is open (0: none) and the one that is to end, with its
# cause; the thread; limits; what changes as the work advances.
OPEN, FIRED, CAUSE, THREAD, MILLISECONDS, BYTES, GRACE, WAITS, ADVANCED, PULLED, GIVEN, NUMBER, LENGTH = range(13)
TEXT = 128  # where a JSON object begins that says what to write and to tell before the process is ended
CAUSES = ("", "timeout", "memory")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Watcher:
    """Watches one process."""

    def __init__(self, process: int, memory: mmap.mmap) -> None:
        self._process = process
        self._memory = memory
        self._slots = memoryview(memory)[:TEXT].cast("q")
        self._seen: tuple[int, ...] = ()  # at the last look
        self._base = 0  # bytes of memory when the piece was first seen
        self._cpu = self._waited = 0.0  # since its last progress, or since the first signal
        self._told = 0.0  # seconds since the last signal

    def look(self, passed: float) -> None:
        """Compares what the open piece took with its limits; `passed`: seconds since the last look."""
        piece = self._slots[OPEN]
        if not piece:
            self._seen = ()
            return
        cpu, stopped = thread_state(self._process, self._slots[THREAD])
        resident = own_bytes(self._process)
        seen = (piece, *self._slots[ADVANCED : NUMBER + 1])
        fired = self._slots[FIRED] == piece
        if seen[:1] != self._seen[:1]:
            self._base = resident
        if seen != self._seen and not fired:
            self._cpu = cpu
            self._waited = 0.0
        self._seen = seen
        self._waited += 0 if stopped else passed
        self._told += passed
        if fired:
            self._insist(piece, cpu - self._cpu, resident - self._base)
        else:
            self._judge(piece, cpu - self._cpu, resident - self._base)

    def _judge(self, piece: int, used: float, grown: int) -> None:
        seconds = self._slots[MILLISECONDS] / 1000
        waited = self._slots[WAITS] and self._waited > PATIENCE * seconds
        cause = CAUSES.index("timeout") if waited or used > seconds else 0
        if grown > self._slots[BYTES]:
            cause = CAUSES.index("memory")
        if cause and self._slots[OPEN] == piece:
            self._slots[CAUSE] = cause
            self._slots[FIRED] = piece
            self._cpu += used
            self._waited = 0.0
            self._tell()

    def _insist(self, piece: int, used: float, grown: int) -> None:
        """Tells the process again, or ends it if the piece does not end."""
        too_large = grown > self._slots[BYTES] + max(self._slots[BYTES], ROOM)
        if too_large or max(used, self._waited) > self._slots[GRACE] / 1000:
            self._end(piece)
        elif self._told >= AGAIN:
            self._tell()

    def _tell(self) -> None:
        self._told = 0.0
        os.kill(self._process, SIGNAL)

    def _end(self, piece: int) -> None:
        cause = CAUSES[self._slots[CAUSE]]
        ending = json.loads(self._memory[TEXT : TEXT + self._slots[LENGTH]])
        with suppress(OSError):
            note = write_note(ending, cause, *self._slots[PULLED : NUMBER + 1])
            if self._slots[OPEN] != piece:  # it has just ended by itself
                if note is not None:
                    note.unlink()
                return
        sys.stderr.write("\n" + ending["line"].replace("{cause}", cause).replace("{limit}", ending[cause]) + "\n")
        sys.stderr.flush()
        os.kill(self._process, signal.SIGKILL)
        sys.exit()


def write_note(ending: dict[str, Any], cause: str, pulled: int, given: int, number: int) -> Path | None:
    """Writes whole, on a local disk, what later attempts must know, and returns the path; in a store there is none."""
    if not ending["folder"]:
        return None
    note = {**ending["note"], "cause": cause, "limit": ending["limits"][cause]}
    name = ending["name"]
    if "file" in note and number >= 0:
        note["number"] = number
        name = f"{name}.{number}"
    elif "file" in note:
        note |= {"pulled": -1 if ending["again"] else pulled, "given": given}
        name = f"{name}.end"
    folder = Path(ending["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f"_partial.{name}.json"
    beside.write_text(json.dumps(note, sort_keys=True, indent=1))
    return beside.replace(folder / f"{name}.json")


def thread_state(process: int, thread: int) -> tuple[float, bool]:
    """Seconds of processor time that a thread of a process has taken, and whether somebody has stopped it."""
    fields = Path(f"/proc/{process}/task/{thread}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, fields[0] in (b"T", b"t")


def own_bytes(process: int) -> int:
    """Bytes of a process's memory, without mapped files."""
    fields = Path(f"/proc/{process}/statm").read_bytes().split()
    return (int(fields[1]) - int(fields[2])) * PAGE


def main(process: int, descriptor: int) -> None:
    """Looks until the process has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that is watched
    watcher = Watcher(process, mmap.mmap(descriptor, SIZE))
    looked = time.monotonic()
    while os.getppid() == process:
        time.sleep(EVERY)
        now = time.monotonic()
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread, or the process, has just ended
            watcher.look(min(now - looked, 2 * EVERY))  # this process may have been stopped
        looked = now


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
