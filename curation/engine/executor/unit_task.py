"""Runs one unit in a worker and returns its commit or its failure to the driver.

There are three kinds of failures. That of a document never gets here: `apply` drops it as `error.*`. That of the set-up
is a WinnowError that no fault of the machine caused. Any other (of a disk, a store, memory, or a bug) is the unit's,
which is tried again.
"""

import socket
import time
import traceback
from dataclasses import replace

from curation.core.commits import Commit
from curation.core.credentials import masked
from curation.core.errors import WinnowError
from curation.engine.executor.failures import Failure
from curation.engine.executor.work import Unit, Work

MACHINE = (OSError, MemoryError)  # faults that another node, or the same one later, may not have


def run_unit(work: Work, unit: Unit, node: str) -> Commit | Failure:
    """The unit's commit, or its failure. Only what ends the process is raised."""
    try:
        return finished(work, unit)
    except Exception as error:
        return failure_of(unit, error, node)


def finished(work: Work, unit: Unit) -> Commit:
    """The unit's commit with the seconds that it took."""
    started = time.perf_counter()
    commit = work.run(unit)
    return replace(commit, seconds=round(time.perf_counter() - started, 3))


def failure_of(unit: Unit, error: Exception, node: str) -> Failure:
    """What the error means for the unit, or for the whole run."""
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
