"""Reads token files against the checksums of their manifest, each once, before a row of it is used.

Threads read the files in the order in which they are asked for; one that a reader waits for comes first. A file that
passed is recorded in TMPDIR/winnow-checked-UID with its size, times and number on the disk. So the processes of a
machine share the work, and one that starts again does not read files again that are as they were. After RECHECK it
does, since a disk may lose bits without a trace. The folder may be deleted at any time.
"""

import fcntl
import hashlib
import os
import posixpath
import stat
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock, Thread
from typing import NamedTuple

from curation.core import storage
from curation.core.errors import InputError
from curation.core.own_folder import own_folder
from curation.core.token_shapes import FileEntry

THREADS = max(1, min(4, (os.cpu_count() or 1) // 4))  # 0.9 GB/s each; a step waits for them before the first one only
CHUNK = 4 << 20  # bytes read at a time
RECHECK = 86_400.0  # seconds for which a record holds
BUSY = 0.05  # seconds until a file that another process reads is looked at again


class TokenFile(NamedTuple):
    """A file by its name in the manifests, and where it, or its copy, is read."""

    name: str  # "<pack folder>/<file>"
    uri: str
    home: str  # the URI of what the copy is of; `uri` itself if it is none


class FileChecks:
    """The checks of files of which `entries` has checksums and sizes by name."""

    def __init__(self, entries: Mapping[str, FileEntry]) -> None:
        self._entries = entries
        self._found: dict[TokenFile, Future[None]] = {}
        self._waiting: deque[TokenFile] = deque()
        self._threads = 0
        self._guard = Lock()

    def ask(self, files: Iterable[TokenFile]) -> None:
        """Lets threads check the files, in this order and after those that were asked for before."""
        with self._guard:
            for file in files:
                if file not in self._found:
                    self._found[file] = Future()
                    self._waiting.append(file)
            while self._threads < min(THREADS, len(self._waiting)):
                self._threads += 1
                # No executor: it would read all that waits before the process can end.
                Thread(target=self._check_waiting, name="winnow-checks", daemon=True).start()

    def wait(self, files: Iterable[TokenFile]) -> None:
        """Returns once the files are checked, before others. Raises InputError for one with another checksum."""
        files = list(files)
        self.ask(files)
        with self._guard:
            urgent = [file for file in files if not self._found[file].done() and file in self._waiting]
            for file in reversed(urgent):
                self._waiting.remove(file)
                self._waiting.appendleft(file)
        for file in files:
            self._found[file].result()

    def left(self, files: Iterable[TokenFile], seconds: float) -> int:
        """Bytes of the files that are not checked after at most so long."""
        files = list(files)
        self.ask(files)
        wait([self._found[file] for file in files], seconds)
        return sum(self._entries[file.name]["bytes"] for file in files if not self._found[file].done())

    def _check_waiting(self) -> None:
        while True:
            with self._guard:
                if not self._waiting:
                    self._threads -= 1
                    break
                file = self._waiting.popleft()
            try:
                done = _shared_check(file, self._entries[file.name]["blake2b"])
            except Exception as error:  # the reader's, who would wait for ever
                self._found[file].set_exception(error)
                continue
            if done:
                self._found[file].set_result(None)
                continue
            with self._guard:
                self._waiting.append(file)
            time.sleep(BUSY)
        _drop_old_records()


def check(uri: str, checksum: str) -> None:
    """Returns once the file is checked, by this process or another one. Raises InputError for another checksum."""
    while not _shared_check(TokenFile("", uri, uri), checksum):
        time.sleep(BUSY)


def lineage_file(folder: str, name: str, entry: FileEntry) -> str:
    """The path of the lineage of the token file `name` in a folder, once it is checked against its checksum. In a store
    it is not, since it would be read whole for a few rows."""
    path = storage.join(folder, f"{name}.parquet")
    if not storage.in_store(path) and storage.exists(path):
        check(path, entry["blake2b"])
    return path


def check_anew(uri: str, checksum: str) -> None:
    """The same, whatever was found before."""
    _compare(TokenFile("", uri, uri), checksum)


def _shared_check(file: TokenFile, checksum: str) -> bool:
    """False while another process reads the file."""
    record = _record(file.uri, checksum)
    if record is None:
        _compare(file, checksum)
        return True
    with record:
        try:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        state = _state(file.uri)
        passed_at = os.fstat(record.fileno()).st_mtime
        if state and record.read() == state and abs(time.time() - passed_at) < RECHECK:
            return True
        _compare(file, checksum)
        with suppress(OSError):  # a full disk costs another reading
            record.truncate(0)
            record.write(state)
    return True


def _record(uri: str, checksum: str) -> FileIO | None:
    """The file that holds the state in which another one passed; None where there is no room or right for it."""
    name = hashlib.blake2b(os.fsencode(f"{storage.resolve(uri)[1]}\n{checksum}"), digest_size=16).hexdigest()
    try:
        record = FileIO(str(own_folder("checked") / name), "a+")
    except (OSError, InputError):
        return None
    record.seek(0)
    return record


def _drop_old_records() -> None:
    """Deletes what no longer holds; where another process has one open, that costs another reading."""
    with suppress(OSError, InputError):
        for record in own_folder("checked").iterdir():
            if time.time() - record.stat().st_mtime > RECHECK:
                record.unlink()


def _state(uri: str) -> bytes:
    """What changes with the file; empty where that is unknown: in a store, or there is none."""
    if storage.in_store(uri):
        return b""
    try:
        found = Path(storage.resolve(uri)[1]).stat()
    except OSError:
        return b""
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}".encode()


def _compare(file: TokenFile, checksum: str) -> None:
    """Raises InputError for a file with another checksum."""
    if digest(file.uri) == checksum:
        return
    what = file.home if file.home == file.uri else f"{file.home} or its copy on this machine, which is deleted now,"
    run = posixpath.dirname(posixpath.dirname(file.home))
    raise InputError(
        f"{what} is damaged: its checksum differs from its manifest's, so none of its rows is used; "
        f"`winnow verify {run} --deep` says what to delete so that the run makes it again, or copy it again (after a "
        "takedown: start again)"
    )


def digest(uri: str) -> str:
    """BLAKE2b-256 in hex of a file, which may be larger than memory. Raises InputError for what is no file of data."""
    fs, path = storage.resolve(uri)
    found = hashlib.blake2b(digest_size=32)
    chunk = memoryview(bytearray(CHUNK))
    try:
        with fs.open_input_stream(path) if storage.in_store(uri) else _plain_file(path, uri) as file:
            while size := file.readinto(chunk):
                found.update(chunk[:size])
    except FileNotFoundError as error:
        raise InputError(f"no file at {uri}; copy the whole pack folder") from error
    except OSError as error:
        raise InputError(f"cannot read {uri}: {error.strerror or error}; copy it again") from error
    return found.hexdigest()


def _plain_file(path: str, uri: str) -> FileIO:
    """Opened without waiting for the writer of a pipe. Raises InputError for anything but a file."""
    file = FileIO(path, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InputError(f"{uri} is no plain file; copy the whole pack folder again")
    return file
