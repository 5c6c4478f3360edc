"""A run tells of itself in the log and in a file, whether or not anything happens."""

import json
import logging
import os
import time
from pathlib import Path

import pytest

from curation.core.progress import PROGRESS, Progress
from curation.engine.driver.reports import Reports


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_stage_has_its_first_line_at_once_and_its_last_at_its_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "curation")
    told: list[Progress] = []
    with Reports(str(tmp_path), 2, told.append) as reports:
        reports(Progress("read", "sealed"))
        reports(Progress("gopher", "start"))
        assert lines(caplog)[-1] == "gopher: begins"
        for done in range(3):
            reports(Progress("gopher", "filter", done, 2))
        reports(Progress("gopher", "note", note="unit 1 is slow"))
        reports(Progress("gopher", "done", 2, 2))
    assert lines(caplog) == [
        "read: sealed already",
        "gopher: begins",
        "gopher: unit 1 is slow",
        "gopher: done, 2 of 2 units, 0 retries, took 0 s",
    ]
    assert [record.levelname for record in caplog.records] == ["INFO", "INFO", "WARNING", "INFO"]
    assert [one.step for one in told] == ["sealed", "start", "filter", "filter", "filter", "note", "done"]
    assert not (tmp_path / PROGRESS).exists()


def test_lines_come_while_no_unit_finishes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "curation")
    with Reports(str(tmp_path), 2, lambda _: None, every=0.02) as reports:
        reports(Progress("gopher", "filter", 1, 4, seconds=100.0))
        deadline = time.monotonic() + 10
        while len(lines(caplog)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        kept = json.loads((tmp_path / PROGRESS).read_text())
    assert lines(caplog)[:3] == ["gopher: filter, 1 of 4 units, 0 retries, 5 min left"] * 3
    assert (kept["stage"], kept["done"], kept["stages"], kept["pid"]) == ("gopher", 1, 2, os.getpid())
    assert kept["seconds"] > 100


def test_what_a_run_that_failed_leaves(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "curation")

    def fail() -> None:
        with Reports(str(tmp_path), 2, lambda _: None) as reports:
            reports(Progress("gopher", "filter", 1, 4))
            reports(Progress("gopher", "filter", 2, 4))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert lines(caplog)[-1].endswith("; ended here")
    assert json.loads((tmp_path / PROGRESS).read_text())["done"] == 2


def test_a_full_disk_is_left_to_others_to_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("curation.engine.driver.reports.replace_json", full)
    with Reports(str(tmp_path), 2, lambda _: None) as reports:
        reports(Progress("gopher", "filter", 1, 4))
    assert list(tmp_path.iterdir()) == []
