"""Rows of a stage, by reason."""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.account.sealed.bounds import DecidingLimit
from curation.core.errors import InputError
from tests.curation.account.corpus import curate


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


def test_rows_at_random(finished_run: Path) -> None:
    run = Run.open(finished_run / "run")
    drawn = run.show("gopher", random=8)
    assert len({row.doc_id for row in drawn}) == 8
    assert run.show("gopher", random=8) == drawn
    assert run.show("gopher", random=3) == drawn[:3]
    first = {row.doc_id for row in run.show("gopher", limit=8)}
    assert {row.doc_id for row in drawn} != first
    kept = run.show("gopher", kept=True, random=1000)
    assert sorted(row.doc_id for row in kept) == sorted(row.doc_id for row in run.show("gopher", kept=True, limit=1000))
    dropped = run.show("gopher", reason="gopher_repetition", random=2)
    assert {(row.reason or "").partition(".")[0] for row in dropped} == {"gopher_repetition"}


def test_the_limit_that_decided(finished_run: Path) -> None:
    (row,) = Run.open(finished_run / "run").show("gopher", reason="gopher_repetition.duplicate_lines:high", limit=1)
    value = row.signals["gopher_repetition"]["duplicate_lines"]
    assert row.decided == DecidingLimit("gopher_repetition.duplicate_lines", value, "high", 0.3)
    (kept,) = Run.open(finished_run / "run").show("gopher", kept=True, limit=1)
    assert kept.decided is None


def test_the_limit_of_the_document_s_language_decides(corpus: Path) -> None:
    run = curate(corpus, german=4.4)
    (row, *_) = run.show("gopher", reason="gopher_quality.mean_word_length:high")
    assert row.decided is not None
    assert row.decided.bound == 4.4
    assert row.decided.value > 4.4


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
