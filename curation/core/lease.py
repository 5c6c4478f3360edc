"""One run at a time in an object store, which has no locks: an object says who holds the folder, and is renewed.

The holder of epoch N owns `.lease-N`. It alone writes it, every RENEW seconds, with a count that goes up; the next one
creates `.lease-(N+1)`, which only one can. A lease whose count stands still for STALE seconds, by the clock of the one
who watches it, is taken over: no two machines' clocks are compared. Whoever finds a higher epoch than its own has lost
the folder and changes no further file in it.
"""

import getpass
import json
import logging
import os
import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from curation.core import storage, stores
from curation.core.errors import InputError, StageError
from curation.core.threads import repeating

log = logging.getLogger(__name__)
RENEW = 10.0  # seconds between two renewals
STALE = 60.0  # seconds without one after which a lease is taken over
NAME = re.compile(r"\.lease-(\d{8})")


@dataclass(frozen=True)
class Lease:
    """What `.lease-N` says: who holds epoch N, and by a random `token` that it is this process and no other."""

    pid: int
    host: str
    since: str  # ISO 8601, UTC
    user: str
    machine: str  # tells whether a pid may be looked up here
    token: str
    renewals: int = 0
    released: bool = False

    @classmethod
    def of(cls, pid: int, host: str, since: str) -> "Lease":
        return cls(pid, host, since, _user(), _machine(), uuid.uuid4().hex)

    def __str__(self) -> str:
        return f"process {self.pid} of {self.user} on {self.host}, since {self.since}"

    @property
    def dead(self) -> bool:
        """True where the process is known to be gone, which is known on its own machine only."""
        return bool(self.machine) and self.machine == _machine() and not Path(f"/proc/{self.pid}").exists()


@contextmanager
def held(output: str, lease: Lease) -> Iterator[None]:
    """Holds the folder while the context lasts.

    Raises InputError while somebody else holds it, or where nothing can be written there. A change to a file in the
    folder by this process raises StageError once the lease is lost.
    """
    kept = _Kept(output, _take(output, lease), lease)
    try:
        with repeating(kept.keep, RENEW, "winnow-lease"), storage.guarded(output, kept.check):
            yield
    finally:
        kept.release()


def current(output: str) -> tuple[int, Lease | None]:
    """The highest epoch, 0 where there was none yet, and what its object says, None where that cannot be read."""
    epochs = [int(match[1]) for name in storage.list_names(output) if (match := NAME.fullmatch(name))]
    if not epochs:
        return 0, None
    try:
        return max(epochs), Lease(**json.loads(storage.read_bytes(_uri(output, max(epochs)))))
    except (InputError, ValueError, TypeError):
        return max(epochs), None


def _take(output: str, lease: Lease) -> int:
    """Creates the lease of the next epoch, which it returns, once the one before is released or stale."""
    epoch, other = current(output)
    if other is not None and not other.released and not other.dead:
        _watch(output, epoch, other)
    fs, path = storage.resolve(_uri(output, epoch + 1))
    try:
        stores.create(fs, path, _content(lease))
    except FileExistsError as error:
        raise refused(output, current(output)[1]) from error
    except FileNotFoundError as error:
        raise InputError(f"cannot write to {output}: {error}; make the bucket, or give another --output") from error
    except OSError as error:
        raise InputError(f"cannot write to {output}: {error}") from error
    with suppress(OSError):
        storage.delete_file(_uri(output, epoch))
    return epoch + 1


def _watch(output: str, epoch: int, other: Lease) -> None:
    """Returns once the lease has stood still for STALE seconds or is released; raises InputError if it is renewed."""
    log.warning("%s was held by %s; taken over in %.0f s unless that still runs", output, other, STALE)
    deadline = time.monotonic() + STALE
    while time.monotonic() < deadline:
        time.sleep(RENEW / 4)
        newest, now = current(output)
        if newest == epoch and now is not None and now.released:
            return
        if newest != epoch or (now is not None and now != other):
            raise refused(output, now)


def refused(output: str, other: object | None) -> InputError:
    """The error of a second run; `other` says who holds the folder, None where that is not known."""
    who = f": {other}" if other is not None else ""
    return InputError(f"another winnow is running in {output}{who}; wait for it, or give another --output")


class _Kept:
    """A lease as this process keeps it; `keep` is called from a thread."""

    def __init__(self, output: str, epoch: int, lease: Lease) -> None:
        self._output, self._epoch, self._lease = output, epoch, lease
        self._renewed = _now()
        self._lost: str | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raises StageError once the lease is lost. A process that slept asks the store before it says that it is not.

        What this process sends within half of STALE after a renewal arrives before anybody takes over.
        """
        if self._lost is None and _now() - self._renewed > STALE / 2:
            self._renew()
        if self._lost is not None:
            raise StageError(self._lost)

    def _renew(self) -> None:
        with self._lock:
            epoch, newest = current(self._output)
            if epoch != self._epoch or (newest is not None and newest.token != self._lease.token):
                who = f" to {newest}" if newest is not None else ""
                self._lost = f"{self._output} was lost{who}: this winnow was not heard of for {STALE:.0f} s; it stops"
                return
            started = _now()
            self._lease = replace(self._lease, renewals=self._lease.renewals + 1)
            self._write()
            self._renewed = started

    def keep(self) -> None:
        if self._lost is None:
            with suppress(OSError, InputError):  # tried again; `check` raises it if it lasts
                self._renew()

    def _write(self) -> None:
        fs, path = storage.resolve(_uri(self._output, self._epoch))
        stores.replace(fs, path, _content(self._lease))

    def release(self) -> None:
        """The object stays, so that epochs go on."""
        with suppress(OSError, InputError, StageError):
            self.check()
            self._lease = replace(self._lease, released=True)
            self._write()


def _uri(output: str, epoch: int) -> str:
    return storage.join(output, f".lease-{epoch:08d}")


def _content(lease: Lease) -> bytes:
    return json.dumps(asdict(lease)).encode()


def _now() -> float:
    """Seconds of a clock that also runs while the machine sleeps, where there is one."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # in a container, for a user without a name
        return str(os.getuid())


def _machine() -> str:
    """The same for two processes only if they see each other's pids; "" where that is not known."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip() + str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
