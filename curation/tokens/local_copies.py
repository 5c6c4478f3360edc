"""Copies of a run's token files from an object store on this machine's disk, where they can be memory-mapped.

A thread copies the files in the order in which their rows are first asked for, until the budget is used up; meanwhile,
and where a file finds no room, its rows are read by requests (see `store_rows`). The order of a training draws the rows
of each batch from all files of a source, so a file is never dropped for another of its own run: each step would fetch
both again. What runs left behind that no process reads is dropped, the longest unused first.

Each run has a folder in TMPDIR/winnow-tokens-UID, which all of the user's processes share. A copy's name has the
checksum of its pack's manifest, so a file that a takedown replaced is copied again. The folder may be deleted at any
time: files that are mapped live on.
"""

import fcntl
import hashlib
import logging
import os
import shutil
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path
from threading import Lock, Thread

from curation.core import storage
from curation.core.credentials import masked
from curation.core.own_folder import own_folder
from curation.core.token_shapes import FileEntry

log = logging.getLogger(__name__)
CHUNK = 16 << 20  # bytes of a request
SPARE = 0.1  # the share of the disk that stays free without a budget
IN_USE = "in-use"  # a file in each run's folder that its readers lock


class LocalCopies:
    """Of the files below `folder`, of which `entries` has sizes and checksums by name, in at most `budget` bytes for
    all runs together; None: until a tenth of the disk is left."""

    def __init__(self, folder: str, entries: Mapping[str, FileEntry], budget: int | None = None) -> None:
        self._uri = folder
        self._entries = entries
        self.bytes = sum(entry["bytes"] for entry in entries.values())  # of all files, copied or not
        self._budget = budget
        self._asked: dict[str, Future[None]] = {}
        self._waiting: deque[str] = deque()
        self._thread: Thread | None = None  # that copies what waits
        self._guard = Lock()
        self._folder: Path | None = None

    def path(self, name: str) -> str | None:
        """The copy of a file, None while there is none."""
        with self._guard:
            if name not in self._asked:
                self._asked[name] = Future()
                self._waiting.append(name)
            if self._waiting and self._thread is None:
                # No executor: it would copy all that waits before the process can end.
                self._thread = Thread(target=self._copy_waiting, name="winnow-copies", daemon=True)
                self._thread.start()
        asked = self._asked[name]
        if not asked.done():
            return None
        asked.result()
        copy = self._place(name)
        return str(copy) if copy.exists() else None

    def wait(self) -> None:
        """Until each file that was asked for has been copied or found no room."""
        for asked in list(self._asked.values()):
            asked.exception()

    def forget(self, name: str) -> None:
        """Deletes the copy of a file, which is damaged here or where it comes from."""
        self._place(name).unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self._own_folder() / f"{self._entries[name]['blake2b'][:32]}-{name.rpartition('/')[2]}"

    def _own_folder(self) -> Path:
        """This run's, locked as long as this object lives so that nobody takes it for left behind."""
        if self._folder is None:
            name = hashlib.blake2b(masked(self._uri).encode(), digest_size=16).hexdigest()
            with _alone() as all_runs:
                folder = all_runs / name
                folder.mkdir(exist_ok=True)
                (folder / IN_USE).touch()  # its time tells when the folder was last used
                lock = os.open(folder / IN_USE, os.O_RDONLY)
                weakref.finalize(self, os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_SH)
            self._folder = folder
        return self._folder

    def _copy_waiting(self) -> None:
        while True:
            with self._guard:
                if not self._waiting:
                    self._thread = None
                    return
                name = self._waiting.popleft()
            try:
                self._copy(name)
            except OSError as error:
                log.warning("%s is not copied to this disk, its rows are read where it is: %s", name, error)
            except Exception as error:  # the reader's, who would wait for ever
                self._asked[name].set_exception(error)
                continue
            self._asked[name].set_result(None)

    def _copy(self, name: str) -> None:
        copy = self._place(name)
        entry = self._entries[name]
        with copy.with_name(f"{copy.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the other processes of this machine wait for the one that copies
            if copy.exists():
                return
            partial = copy.with_name(f"{copy.name}.partial")
            try:
                with partial.open("w+b") as target:
                    if not self._reserve(target, entry["bytes"]):
                        return
                    _fill(target, storage.join(self._uri, name))
                partial.replace(copy)
            finally:
                partial.unlink(missing_ok=True)

    def _reserve(self, target: BufferedRandom, size: int) -> bool:
        """Takes so many bytes of the disk, unless the budget has no room for them."""
        with _alone() as all_runs:
            left = [run for run in all_runs.iterdir() if (run / IN_USE).exists()]
            left.sort(key=lambda run: (run / IN_USE).stat().st_mtime)
            while self._room(all_runs) < size:
                if not left:
                    return False
                _drop_unused(left.pop(0))
            if size:
                os.posix_fallocate(target.fileno(), 0, size)
        return True

    def _room(self, all_runs: Path) -> int:
        if self._budget is not None:
            return self._budget - sum(_bytes(run) for run in all_runs.iterdir() if run.is_dir())
        disk = shutil.disk_usage(all_runs)
        return disk.free - int(SPARE * disk.total)


def _fill(target: BufferedRandom, uri: str) -> None:
    fs, path = storage.resolve(uri)
    with fs.open_input_stream(path) as source:
        while chunk := source.read(CHUNK):
            target.write(chunk)
    target.truncate()


def _drop_unused(run: Path) -> None:
    """Deletes a run's folder unless a process reads from it."""
    with suppress(OSError), (run / IN_USE).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(run)


def _bytes(run: Path) -> int:
    total = 0
    for file in run.iterdir():
        with suppress(FileNotFoundError):  # renamed or dropped by the process that copies it
            total += file.stat().st_size
    return total


@contextmanager
def _alone() -> Iterator[Path]:
    """The folder of all runs, which no other process changes meanwhile. Raises InputError if it is somebody else's."""
    folder = own_folder("tokens")
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(descriptor)
