"""Guards break while the stage runs: as soon as it can no longer end within its bounds."""

import pytest

from curation.core.commits import Commit, Part
from curation.engine.recipe.options import StageOptions
from curation.engine.run.guards import FAILED, GuardError, Guards


def commit(rows: int, errors: int = 0, inputs: int = 0) -> Commit:
    part = Part("p", "web", 1, rows, rows - errors, dropped={"error.a.KeyError": errors} if errors else {})
    faults = ({"file": "a.warc", "offset": -1, "error": "gone", "failed": 1},) * inputs
    return Commit(0, (part,), counts={FAILED: inputs} if inputs else {}, faults=faults)


def test_errors_of_a_known_number_of_rows() -> None:
    guards = Guards("gopher", StageOptions(max_errors=0.01), 1000)
    guards.check(commit(10, errors=10))
    with pytest.raises(
        GuardError, match=r"gopher failed on 11 of 20 documents \(11 error.a.KeyError\).*max_errors 0.01"
    ):
        guards.check(commit(10, errors=1))


def test_errors_of_an_unknown_number_of_rows() -> None:
    guards = Guards("read", StageOptions(max_errors=0.01), None)
    guards.check(commit(300, errors=200))  # more may come
    with pytest.raises(GuardError):
        guards.check(commit(300, errors=1))


def test_what_an_earlier_attempt_left_counts_but_does_not_judge() -> None:
    guards = Guards("gopher", StageOptions(max_errors=0.0), 10)
    guards.count(commit(5, errors=5))
    with pytest.raises(GuardError, match="failed on 5 of 10"):
        guards.check(commit(5))


def test_inputs_that_cannot_be_read() -> None:
    guards = Guards("read", StageOptions(max_failed_inputs=1), None)
    guards.check(commit(5, inputs=1))
    with pytest.raises(
        GuardError, match=r"could not read 2 input files, the first a.warc; more than max_failed_inputs: 1"
    ):
        guards.check(commit(5, inputs=1))
