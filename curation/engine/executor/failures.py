"""An attempt at a unit: its commit, or how it failed, which is told in one line for the screen, in full for a file.

There are three kinds of failures. That of a document never gets here: `apply` drops it as `error.*`. That of the set-up
is a WinnowError that no fault of the machine caused. Any other (of a disk, a store, memory, or a bug) is the unit's,
which is tried again.
"""

import socket
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from curation.core.commits import Commit
from curation.core.credentials import masked
from curation.core.errors import StageError, WinnowError
from curation.core.full_disk import FULL, os_error_line
from curation.core.wording import counted
from curation.engine.executor.work import Unit, Work

DETAILED = 20  # failures whose tracebacks are kept
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


def described(unit: Unit) -> str:
    """The unit's input in a few words."""
    payload = unit.payload
    pieces = payload if isinstance(payload, tuple) else (payload,)
    if isinstance(payload, Mapping):  # what the unit was sent, by name
        pieces = tuple(payload.values())[:1]
    elif pieces and isinstance(pieces[0], str):  # one shard's file, and those of the stages before
        pieces = pieces[:1]
    names = [masked(str(getattr(piece, "path", piece))) for piece in pieces if piece is not None]
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else "a bucket"


def report(failure: Failure, unit: Unit) -> str:
    """A failure in full: unit, input, attempts, node and traceback."""
    lines = [f"unit {failure.unit}, {described(unit)}", *failure.before, f"{failure.place}: {failure.error}"]
    return "\n".join([*lines, failure.details])


def stage_error(name: str, step: str, failures: Sequence[Failure], units: Sequence[Unit]) -> StageError:
    """One line that names the first failed unit and its input; the details describe the first DETAILED of them."""
    by_number = {unit.number: unit for unit in units}
    first = failures[0]
    others = f", and {len(failures) - 1} more units" if len(failures) > 1 else ""
    details = "\n".join(report(failure, by_number[failure.unit]) for failure in failures[:DETAILED])
    tried = counted(first.attempt, "time")
    message = (
        f"{name}: unit {first.unit} of step {step!r} failed {tried}{others}: {first.error}; its input is "
        f"{described(by_number[first.unit])}; mend the cause and run the same command again"
    )
    return StageError(message, details)


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
    if isinstance(error, OSError) and error.errno in FULL:
        return f"{type(error).__name__}: {os_error_line(error)}"
    lines = masked(str(error)).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")
