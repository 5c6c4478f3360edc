"""Runs one unit in a worker and returns its commit or its failure to the driver.

There are three kinds of failures. That of a document never gets here: `apply` drops it as `error.*`. That of the set-up
is a WinnowError that no fault of the machine caused. Any other (of a disk, a store, memory, or a bug) is the unit's,
which is tried again.
"""

import socket
import time
import traceback
from dataclasses import dataclass, replace

from curation.core.commits import Commit
from curation.core.credentials import masked
from curation.core.errors import WinnowError
from curation.engine.run.work import Unit, Work

MACHINE = (OSError, MemoryError)  # faults that another node, or the same one later, may not have


@dataclass(frozen=True)
class Failure:
    """How an attempt at a unit failed; `setup` is the error, if it concerns the whole run."""

    unit: int
    error: str  # one line
    details: str = ""  # traceback
    node: str = ""  # Ray's id of it
    host: str = ""
    attempt: int = 0  # counted from 1
    before: tuple[str, ...] = ()  # a line per earlier attempt
    setup: WinnowError | None = None
    out_of_memory: bool = False
    crashed: bool = False  # the process died; nothing else is known

    @property
    def place(self) -> str:
        """The attempt and its node, for messages."""
        where = f"{self.host} ({self.node[:8]})" if self.host else self.node or "unknown"
        return f"attempt {self.attempt} on node {where}"


def run_unit(work: Work, unit: Unit, node: str) -> Commit | Failure:
    """The unit's commit with the seconds that it took, or its failure. Only what ends the process is raised."""
    started = time.perf_counter()
    try:
        commit = work.run(unit)
    except Exception as error:
        return _failure(unit, error, node)
    return replace(commit, seconds=round(time.perf_counter() - started, 3))


def _failure(unit: Unit, error: Exception, node: str) -> Failure:
    details = masked("".join(traceback.format_exception(error)))
    root = machine_fault(error)
    setup = None
    if isinstance(error, WinnowError) and root is None:
        setup = type(error)(str(error), error.details or details)
    return Failure(
        unit=unit.number,
        error=" ".join([one_line(root or error), *getattr(error, "__notes__", [])]),
        details=details,
        node=node,
        host=socket.gethostname(),
        setup=setup,
        out_of_memory=isinstance(root, MemoryError),
    )


def machine_fault(error: BaseException) -> BaseException | None:
    """The fault of disk, network or memory that led to the error; a file that is missing or forbidden is none."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MACHINE) and not isinstance(cause, FileNotFoundError | PermissionError):
            return cause
        cause = cause.__cause__
    return None


def one_line(error: BaseException) -> str:
    """Type and first line of the message."""
    lines = masked(str(error)).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")
