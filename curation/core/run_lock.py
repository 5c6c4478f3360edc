"""One curation or training at a time in a folder: two would overwrite each other's files.

In an object store a lease takes the lock's place (see `lease`). The lock file names its holder, which marks it as
released when it ends. So an unmarked name in a file that is not locked is that of a process that was killed.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from curation.core import lease, storage
from curation.core.errors import InputError, StageError
from curation.core.lease import Claim, Holder

LOCK = ".lock"
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
PATIENCE = 0.5  # seconds: `holder` takes the lock for a moment


@contextmanager
def only_run(output: str) -> Iterator[Claim]:
    """Holds the folder, made if it is absent, while the context lasts; the system unlocks it if the process is killed.

    Gives the claim, for `check_claim` in other processes. Raises InputError while another process holds the folder, on
    a file system without locks, and where no run can be kept.
    """
    storage.check_run_folder(output)
    claim = Claim.of(Holder.this_process())
    if storage.in_store(output):
        with lease.held(output, claim):
            yield claim
        return
    storage.make_folder(output)
    handle = os.open(_path(output), os.O_RDWR | os.O_CREAT)
    try:
        _take(handle, output)
        try:
            _write(handle, claim)
            yield claim
        finally:
            _write(handle, replace(claim, released=True))
    finally:
        os.close(handle)


def check_claim(output: str, claim: Claim) -> None:
    """Raises StageError if another run has claimed the folder since. Workers that may outlive their driver call it."""
    newest = lease.current(output)[1] if storage.in_store(output) else _look(output)[0]
    if newest is not None and newest.token != claim.token:
        raise StageError(f"{output} was taken over by {newest.holder}; this winnow stops")


def holder(output: str) -> tuple[Holder | None, bool | None]:
    """The last holder of the folder, None if it has ended in order, and whether it still holds it, None if unknown.

    Changes nothing: it works while a run is going on and after it was killed.
    """
    if storage.in_store(output):
        _, claim = lease.current(output)
        held = None if claim is not None and not claim.released and not claim.dead else False
    else:
        claim, held = _look(output)
    return (None if claim is None or claim.released else claim.holder), held


def _look(output: str) -> tuple[Claim | None, bool | None]:
    """The claim in the lock file, and whether it is locked."""
    try:
        handle = os.open(_path(output), os.O_RDONLY)
    except OSError:
        return None, False
    try:
        return _read(handle), _is_held(handle)
    finally:
        os.close(handle)


def _path(output: str) -> Path:
    return storage.local_path(output) / LOCK


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
                "give an output folder on another file system"
            ) from error


def _is_held(handle: int) -> bool | None:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def _read(handle: int) -> Claim | None:
    try:
        return Claim.parse(os.pread(handle, 4096, 0))
    except OSError:
        return None


def _write(handle: int, claim: Claim) -> None:
    with suppress(OSError):  # on a full disk the lock holds without a name
        os.ftruncate(handle, 0)
        os.pwrite(handle, claim.content(), 0)
