"""One run at a time in a folder: two drivers would overwrite each other's files.

In an object store a lease takes the lock's place (see `lease`). The lock file names its holder. A name in a file that
nobody holds is that of a process that was killed: one that ends takes its name out.
"""

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from curation.core import lease, storage
from curation.core.errors import InputError

LOCK = ".lock"
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
PATIENCE = 0.5  # seconds: `holder` takes the lock for a moment


@dataclass(frozen=True)
class Holder:
    """The process that holds a run's folder, or that held it when it was killed."""

    pid: int
    host: str
    since: str  # ISO 8601, UTC

    @classmethod
    def this_process(cls) -> "Holder":
        return cls(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"


@contextmanager
def only_run(output: str) -> Iterator[None]:
    """Holds the folder while the context lasts; the system lets go of it when the process dies, however it dies.

    Raises InputError while another process holds it, and on a file system without locks.
    """
    if storage.in_store(output):
        me = Holder.this_process()
        with lease.held(output, lease.Lease.of(me.pid, me.host, me.since)):
            yield
        return
    storage.make_folder(output)
    handle = os.open(_path(output), os.O_RDWR | os.O_CREAT)
    try:
        _take(handle, output)
        try:
            _write(handle, json.dumps(asdict(Holder.this_process())))
            yield
        finally:
            _write(handle, "")
    finally:
        os.close(handle)


def holder(output: str) -> tuple[Holder | None, bool | None]:
    """Whom the lock file names, and whether somebody holds the lock; None where that cannot be known.

    Changes nothing: it works while a run is going on and after it was killed.
    """
    if storage.in_store(output):
        _, named = lease.current(output)
        if named is None or named.released:
            return None, False
        return Holder(named.pid, named.host, named.since), False if named.dead else None
    try:
        handle = os.open(_path(output), os.O_RDONLY)
    except OSError:
        return None, False
    try:
        return _read(handle), _is_held(handle)
    finally:
        os.close(handle)


def _path(output: str) -> Path:
    return Path(storage.resolve(output)[1]) / LOCK


def _take(handle: int, output: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise lease.refused(output, _read(handle)) from error
            time.sleep(PATIENCE / 10)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            raise InputError(
                f"{output} is on a file system without locks ({os.strerror(error.errno)}), where two runs could "
                "overwrite each other's files; mount it with locks (Lustre: -o flock, NFS: with its lock service), or "
                "give an --output on another file system"
            ) from error


def _is_held(handle: int) -> bool | None:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def _read(handle: int) -> Holder | None:
    try:
        return Holder(**json.loads(os.pread(handle, 4096, 0)))
    except (ValueError, TypeError, OSError):
        return None


def _write(handle: int, text: str) -> None:
    with suppress(OSError):  # on a full disk the lock holds without a name
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)
