"""One training at a time in an output folder: two would delete each other's checkpoints.

On a disk, a lock keeps the second out; the system lets go of it when its process dies. An object store has no locks.
There, `.training-N` says who holds the folder, and is written anew every RENEW seconds; who comes next creates
`.training-(N+1)`, which only one can, once N was released or stood still for STALE seconds by its own clock. The way
is that of `curation.core.lease`, which training may not import.
"""

import fcntl
import getpass
import json
import logging
import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from training.files import Folder, StorePath, create_whole, make_folder, names_in, remove_file, write_whole

log = logging.getLogger(__name__)
LOCK = ".lock"  # also of `curation.core.run_lock`, so that a curation is kept out too
LEASE = re.compile(r"\.training-\d{8}")
RENEW = 10.0  # seconds between two renewals
STALE = 60.0  # seconds without one after which a lease is taken over


@dataclass(frozen=True)
class Hold:
    """The right to write in a folder. Workers get a copy, because they may outlive the driver that holds it."""

    folder: Folder
    holder: str  # process, user, host and since when
    token: str  # tells it from any other

    def check(self) -> None:
        """Raises OSError once another training has taken the folder over."""
        newest = _current(self.folder)[1]
        if newest.get("token", self.token) != self.token:
            raise OSError(f"{self.folder} was taken over by {newest['holder']}; this training stops")

    def content(self, renewals: int = 0, *, released: bool = False) -> bytes:
        record = {"holder": self.holder, "token": self.token, "renewals": renewals, "released": released}
        return json.dumps(record).encode()


@contextmanager
def held(folder: Folder) -> Iterator[Hold]:
    """Holds the folder, which is made if need be, while the context lasts.

    Raises ValueError while another process holds it, and on a file system without locks; OSError where nothing can be
    written. Waits for up to STALE seconds where a lease was left behind.
    """
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = f"process {os.getpid()} of {_user()} on {socket.gethostname()}, since {since}"
    hold = Hold(folder, holder, uuid.uuid4().hex)
    with _locked(folder, hold) if isinstance(folder, Path) else _leased(folder, hold):
        yield hold


@contextmanager
def _locked(folder: Path, hold: Hold) -> Iterator[None]:
    make_folder(folder)
    with (folder / LOCK).open("a+b", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _refused(folder) from error
        except OSError as error:
            raise ValueError(
                f"cannot lock {folder} ({error.strerror}), where two trainings could delete each other's checkpoints; "
                "mount it with locks (Lustre: -o flock, NFS: with its lock service), or give another output"
            ) from error
        with suppress(OSError):  # on a full disk the lock holds without a name
            file.truncate(0)
            file.write(hold.content())
        yield


@contextmanager
def _leased(folder: StorePath, hold: Hold) -> Iterator[None]:
    lease, ended = _take(folder, hold), threading.Event()

    def write(content: bytes) -> None:
        with suppress(OSError):  # tried again; others take it over if it lasts
            if _current(folder)[0] == lease.name:
                write_whole(lease, content)

    def renew() -> None:
        renewals = 0
        while not ended.wait(RENEW):
            renewals += 1
            write(hold.content(renewals))

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        write(hold.content(released=True))  # it stays, so that numbers go up


def _take(folder: StorePath, hold: Hold) -> StorePath:
    """Creates the next lease, which it returns, once the one before is released or stale."""
    name, before = _current(folder)
    if name:
        _watch(folder, name, before)
    lease = folder / f".training-{int(name.rpartition('-')[2] or 0) + 1:08d}"
    try:
        create_whole(lease, hold.content())
    except FileExistsError as error:
        raise _refused(folder) from error
    if name:
        with suppress(OSError):
            remove_file(folder / name)
    return lease


def _watch(folder: StorePath, name: str, before: dict[str, Any]) -> None:
    """Returns once the lease is released or has stood still for STALE seconds; raises ValueError if it is renewed."""
    deadline, now = time.monotonic() + STALE, before
    if not now.get("released"):
        log.warning("%s was held by %s; taken over in %.0f s unless that runs", folder, now.get("holder"), STALE)
    while not now.get("released") and time.monotonic() < deadline:
        time.sleep(RENEW / 4)
        newest, now = _current(folder)
        if newest != name or now.get("renewals", 0) > before.get("renewals", 0):
            raise _refused(folder)


def _current(folder: Folder) -> tuple[str, dict[str, Any]]:
    """The name of the file that tells who holds the folder, "" for none, and what it says, nothing if unreadable."""
    name = LOCK if isinstance(folder, Path) else max(filter(LEASE.fullmatch, names_in(folder)), default="")
    try:
        record: dict[str, Any] = json.loads((folder / name).read_bytes()) if name else {}
    except (OSError, ValueError):
        record = {}
    return name, record


def _refused(folder: Folder) -> ValueError:
    holder = _current(folder)[1].get("holder")
    who = f": {holder}" if holder else ""
    return ValueError(f"another training is running in {folder}{who}; wait for it, or give another output")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # in a container, for a user without a name
        return str(os.getuid())
