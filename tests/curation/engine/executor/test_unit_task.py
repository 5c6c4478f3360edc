"""A failure is the set-up's, or the unit's where the machine had a part in it."""

from dataclasses import dataclass

import pytest

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.engine.executor.failures import Failure
from curation.engine.executor.unit_task import machine_fault, run_unit
from curation.engine.executor.work import Cheap, Unit


@dataclass(frozen=True)
class Raises(Cheap):
    error: Exception | None
    cause: Exception | None = None

    def run(self, unit: Unit) -> Commit:
        if self.error is not None:
            raise self.error from self.cause
        return Commit(unit.number, ())


def test_a_commit_says_how_long_it_took() -> None:
    commit = run_unit(Raises(None), Unit(3, None), "node")
    assert isinstance(commit, Commit)
    assert (commit.unit, commit.seconds >= 0) == (3, True)


@pytest.mark.parametrize(
    ("error", "cause", "setup", "line"),
    [
        (InputError("no column"), None, True, "InputError: no column"),
        (InputError("no file"), FileNotFoundError("a"), True, "InputError: no file"),
        (InputError("cannot read a"), OSError(5, "Input/output error"), False, "OSError: [Errno 5] Input/output error"),
        (OSError(28, "No space left"), None, False, "OSError: [Errno 28] No space left"),
        (MemoryError(), None, False, "MemoryError"),
        (KeyError("x"), None, False, "KeyError: 'x'"),
        (ValueError("s3://key:secret@host/a\nmore"), None, False, "ValueError: s3://***@host/a"),
    ],
)
def test_kinds_of_failure(error: Exception, cause: Exception | None, setup: bool, line: str) -> None:
    failure = run_unit(Raises(error, cause), Unit(3, None), "node")
    assert isinstance(failure, Failure)
    assert (failure.unit, failure.node, failure.error) == (3, "node", line)
    assert (failure.setup is not None) == setup
    assert failure.out_of_memory == isinstance(error, MemoryError)
    assert "Traceback" in failure.details
    assert "secret" not in failure.details


def test_what_another_attempt_may_mend() -> None:
    missing = InputError("gone")
    refused = InputError("slow down")
    missing.__cause__ = FileNotFoundError()
    refused.__cause__ = OSError(503, "Slow Down")
    assert machine_fault(missing) is None
    assert machine_fault(refused) is refused.__cause__
