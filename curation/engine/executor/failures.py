"""A failed attempt at a unit, and how it is told: in one line for the screen, in full for a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.core.credentials import masked
from curation.core.errors import StageError, WinnowError
from curation.core.wording import counted
from curation.engine.executor.work import Unit

DETAILED = 20  # failures whose tracebacks are kept


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
