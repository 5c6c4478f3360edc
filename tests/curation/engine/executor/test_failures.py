"""How a failed unit is told; a failure is the set-up's, or the unit's where the machine had a part in it."""

from dataclasses import dataclass

import numpy as np
import pytest

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.core.protocols import Piece
from curation.engine.executor.failures import Failure, described, machine_fault, run_unit, stage_error
from curation.engine.executor.work import Cheap, Unit
from curation.engine.run.sent_files import Slices


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (("run/03-b/part-00000.parquet", "run/02-a/part-00000.parquet"), "run/03-b/part-00000.parquet"),
        ((Piece("s3://me:secret@b/a.warc"), Piece("b.warc")), "s3://***@b/a.warc and 1 more"),
        ({"rows": Slices("run/03-b", "_step", "rows", np.empty((0, 2)))}, "run/03-b/_step/rows-*.arrow"),
        (None, "a bucket"),
    ],
)
def test_what_a_unit_reads(payload: object, words: str) -> None:
    assert described(Unit(0, payload)) == words


def test_what_failed_is_named() -> None:
    units = [Unit(number, f"input-{number}") for number in range(3)]
    first = Failure(
        1, "OSError: disk", "Traceback …\n", "n1" * 8, "host", attempt=4, before=("attempt 3 on node unknown: died",)
    )
    error = stage_error("gopher", "filter", [first, Failure(2, "died", attempt=4)], units)
    assert str(error) == (
        "gopher: unit 1 of step 'filter' failed 4 times, and 1 more units: OSError: disk; its input is input-1; mend "
        "the cause and run the same command again"
    )
    assert error.details.splitlines() == [
        "unit 1, input-1",
        "attempt 3 on node unknown: died",
        "attempt 4 on node host (n1n1n1n1): OSError: disk",
        "Traceback …",
        "",
        "unit 2, input-2",
        "attempt 4 on node unknown: died",
    ]


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
        (OSError(28, "No space left", "/data/a"), None, False, "OSError: No space left: /data/a"),
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
