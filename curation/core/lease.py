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
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from curation.core import storage, stores
from curation.core.errors import InputError, StageError
from curation.core.json_files import parse_json
from curation.core.shapes import Count, Moment, checked
from curation.core.threads import repeating

log = logging.getLogger(__name__)
RENEW = 10.0  # seconds between two renewals
STALE = 60.0  # seconds without one after which a lease is taken over
NAME = re.compile(r"\.lease-(\d{8})")


@dataclass(frozen=True)
class Holder:
    """The process that holds a folder, or that held it when it was killed."""

    pid: Count
    user: str
    host: str
    since: Moment  # UTC

    @classmethod
    def this_process(cls) -> "Holder":
        return cls(os.getpid(), _user(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))

    def __str__(self) -> str:
        return f"process {self.pid} of {self.user} on {self.host}, since {self.since}"


@dataclass(frozen=True)
class Claim:
    """What a lock file or `.lease-N` says: who holds the folder. The random `token` tells two claims apart."""

    holder: Holder
    machine: str  # where the process id may be looked up
    token: str
    renewals: int = 0  # of a lease
    released: bool = False

    @classmethod
    def of(cls, holder: Holder) -> "Claim":
        return cls(holder, _machine(), uuid.uuid4().hex)

    @classmethod
    def parse(cls, content: bytes) -> "Claim | None":
        """None where the content is no claim."""
        try:
            return checked(parse_json(content), cls)
        except ValueError:
            return None

    def content(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @property
    def dead(self) -> bool:
        """True where the process is known to be gone, which is known on its own machine only."""
        return bool(self.machine) and self.machine == _machine() and not Path(f"/proc/{self.holder.pid}").exists()


@contextmanager
def held(output: str, claim: Claim) -> Iterator[None]:
    """Holds the folder while the context lasts.

    Raises InputError while another process holds it, or where nothing can be written there. A change to a file in the
    folder by this process raises StageError once the lease is lost.
    """
    kept = _Kept(output, _take(output, claim), claim)
    try:
        with repeating(kept.keep, RENEW, "winnow-lease"), storage.guarded(output, kept.check):
            yield
    finally:
        kept.release()


def current(output: str) -> tuple[int, Claim | None]:
    """The highest epoch, 0 if there was none yet, and the claim of that epoch, None if it cannot be read."""
    epoch = _newest(output)
    while epoch:
        try:
            return epoch, Claim.parse(storage.read_bytes(_uri(output, epoch)))
        except InputError:  # it may have been taken over, and deleted, since it was listed
            before = epoch
            epoch = _newest(output)
            if epoch == before:
                return epoch, None
    return 0, None


def _newest(output: str) -> int:
    epochs = (int(match[1]) for name in storage.list_names(output) if (match := NAME.fullmatch(name)))
    return max(epochs, default=0)


def refused(output: str, other: Claim | None) -> InputError:
    """The error of a second run; `other` is the claim of the first, None if it cannot be read."""
    who = f": {other.holder}" if other is not None else ""
    return InputError(f"another winnow is running in {output}{who}; wait for it, or give another output folder")


def _take(output: str, claim: Claim) -> int:
    """Creates the lease of the next epoch, which it returns, once the one before is released or stale."""
    epoch, other = current(output)
    if epoch and not _is_free(other):
        _watch(output, epoch, other)
    fs, path = storage.resolve(_uri(output, epoch + 1))
    try:
        stores.create(fs, path, claim.content())
    except FileExistsError as error:
        raise refused(output, current(output)[1]) from error
    except FileNotFoundError as error:
        raise InputError(
            f"cannot write to {output}: {error}; make the bucket, or give another output folder"
        ) from error
    except OSError as error:
        raise InputError(f"cannot write to {output}: {error}") from error
    newest, other = current(output)
    if newest > epoch + 1:  # while this process stood still, others took over and deleted what it saw
        with suppress(OSError):
            storage.delete_file(_uri(output, epoch + 1))
        raise refused(output, other)
    if epoch:
        with suppress(OSError):
            storage.delete_file(_uri(output, epoch))
    return epoch + 1


def _is_free(claim: Claim | None) -> bool:
    """A claim that cannot be read may be that of a process that runs."""
    return claim is not None and (claim.released or claim.dead)


def _watch(output: str, epoch: int, other: Claim | None) -> None:
    """Returns once the lease has stood still for STALE seconds or is free; raises InputError if it is renewed."""
    who = "another process" if other is None else other.holder
    log.warning("%s was held by %s; taken over in %.0f s unless that still runs", output, who, STALE)
    deadline = time.monotonic() + STALE
    while time.monotonic() < deadline:
        time.sleep(RENEW / 4)
        newest, now = current(output)
        if newest == epoch and _is_free(now):
            return
        if newest != epoch or (other is not None and now is not None and now != other):
            raise refused(output, now)
        other = other or now


class _Kept:
    """A lease as this process keeps it; `keep` is called from a thread."""

    def __init__(self, output: str, epoch: int, claim: Claim) -> None:
        self._output = output
        self._epoch = epoch
        self._claim = claim
        self._renewed = _now()
        self._lost = ""
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raises StageError once the lease is lost. A process that slept asks the store first.

        What this process sends within half of STALE after a renewal arrives before anybody takes over.
        """
        if not self._lost and _now() - self._renewed > STALE / 2:
            self._renew()
        if self._lost:
            raise StageError(self._lost)

    def keep(self) -> None:
        if not self._lost:
            with suppress(OSError, InputError):  # tried again; `check` raises it if it lasts
                self._renew()

    def release(self) -> None:
        """The object stays, so that epochs go on."""
        with suppress(OSError, InputError, StageError):
            self.check()
            self._write(replace(self._claim, released=True))

    def _renew(self) -> None:
        with self._lock:
            started = _now()  # before the store is asked: a process that sleeps after that must ask again
            epoch, newest = current(self._output)
            if epoch != self._epoch or (newest is not None and newest.token != self._claim.token):
                who = f" by {newest.holder}" if newest is not None else ""
                late = f"this winnow had not renewed its lease for {STALE:.0f} s"
                self._lost = f"{self._output} was taken over{who}: {late}; it stops"
                return
            self._write(replace(self._claim, renewals=self._claim.renewals + 1))
            self._renewed = started

    def _write(self, claim: Claim) -> None:
        self._claim = claim
        fs, path = storage.resolve(_uri(self._output, self._epoch))
        stores.replace(fs, path, claim.content())


def _uri(output: str, epoch: int) -> str:
    return storage.join(output, f".lease-{epoch:08d}")


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
