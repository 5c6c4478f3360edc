"""Rows of a stage, by reason."""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import InputError


def test_rows_by_reason(finished_run: Path) -> None:
    run = str(finished_run / "run")
    low = Run.open(run).show("gopher", reason="gopher_repetition.duplicate_lines", limit=3)
    assert len(low) == 3
    assert {row.reason for row in low} == {"gopher_repetition.duplicate_lines:high"}
    assert low[0].signals["gopher_repetition"]["duplicate_lines"] > 0.3
    kept = Run.open(run).show("gopher", kept=True, limit=1000)
    assert {row.reason for row in kept} == {None}
    assert all(row.text for row in kept)
    everything = Run.open(run).show("gopher", limit=1000)
    assert len(everything) > len(kept)
    assert Run.open(run).show("gopher", limit=10**30) == everything


@pytest.mark.parametrize(
    ("stage", "reason", "message"),
    [
        ("gopher", "gopher_quality.wrods", "dropped nothing as 'gopher_quality.wrods'"),
        ("pack", None, "has no documents"),
    ],
)
def test_mistakes(finished_run: Path, stage: str, reason: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.open(finished_run / "run").show(stage, reason=reason)
