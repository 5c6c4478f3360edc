"""The documents of a step are compared with those of the steps before; of a window that is left out, its own."""

from pathlib import Path

import pytest

from curation.account.lineage.blame import blame
from curation.account.lineage.trace import trace
from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from curation.tokens.step_rows import SkippedWindow, write_skipped
from tests import takedowns as runs


@pytest.fixture
def training(taken_run: Path, tmp_path: Path) -> str:
    """Of all its rows, 4 a step."""
    steps = TokenData.open(str(taken_run)).rows // 4
    return str(runs.write_training(taken_run.parent / f"t-{tmp_path.name}", taken_run, steps=steps, batch_rows=4))


def test_the_odd_ones_come_first(training: str) -> None:
    found = blame(training, 4)
    assert not found.skipped
    assert {one.doc_id for one in found.documents} == {one["doc_id"] for one in trace(training, 4).segments}
    assert sum(one.tokens for one in found.documents) == trace(training, 4).tokens
    deviations = [one.deviations for one in found.documents]
    assert deviations == sorted(deviations, reverse=True)
    assert deviations[0] > 0
    assert all(one.oddest is None or one.oddest in one.signals for one in found.documents)


def test_of_a_window_that_is_left_out_its_documents_are_named(training: str) -> None:
    before = {one["doc_id"] for step in (2, 3) for one in trace(training, step).segments}
    write_skipped(training, [SkippedWindow(2, 8, 8, "the loss jumped")])
    found = blame(training, 2)
    assert found.skipped
    assert {one.doc_id for one in found.documents} == before
    assert trace(training, 2).first_position == 16


def test_a_step_that_is_not_there(training: str) -> None:
    with pytest.raises(InputError, match="has no step 100000: its steps are 0 to"):
        blame(training, 100_000)
