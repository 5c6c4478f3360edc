"""The commands trace and takedown as a user calls them: exit codes, one line for a mistake, JSON with stable names."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from pipelines.cli import main
from tests import takedowns as runs
from tests.runs import winnow_here
from tests.takedowns import CLUSTER
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


@pytest.fixture
def run(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run / "run", tmp_path / "run")
    return tmp_path / "run"


def test_trace_and_takedown(run: Path, tmp_path: Path) -> None:
    training = runs.write_training(tmp_path / "trained", run, steps=4, batch_rows=4)
    found = json.loads(winnow_here("trace", training, "--step", "1", "--json").stdout)
    assert {"step", "phase", "sources", "segments", "padding", "documents", "tokens"} <= set(found)
    url = found["segments"][0]["url"]
    assert url in winnow_here("trace", training, "--step", "1").stdout
    (story,) = json.loads(winnow_here("why", run, "--url", url, "--json").stdout)
    assert 1 in story["tokens"]["trainings"][0]["steps"]
    (tmp_path / "urls.txt").write_text(f"# by mail\n{url}\n")
    planned = json.loads(winnow_here("takedown", run, "--urls", tmp_path / "urls.txt", "--dry-run", "--json").stdout)
    assert planned["plan"]["trainings"][0]["training"] == str(training)
    done = json.loads(winnow_here("takedown", run, "--urls", tmp_path / "urls.txt", "--json").stdout)
    assert done["record"]["finished"] is True
    assert done["plan"]["documents"] == planned["plan"]["documents"]
    assert "taken down on" in winnow_here("why", run, "--url", url).stdout
    (tmp_path / "ids.txt").write_text(story["doc_id"])
    again = winnow_here("takedown", run, "--doc-ids", tmp_path / "ids.txt")
    assert (again.returncode, again.stdout.splitlines()[-1]) == (
        0,
        "all of them were taken down before: nothing to do",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["takedown", "{run}"], "say which documents: either --urls FILE or --doc-ids FILE, one per line"),
        (["takedown", "{run}", "--urls", "{here}/none.txt"], "no file at {here}/none.txt"),
        (["takedown", "{run}", "--urls", "{here}/bad.txt"], "{here}/bad.txt:2: 'no address' is not a url"),
        (["takedown", "{run}", "--urls", "{here}/other.txt"], "none of the requested documents (1) is in {run}"),
        (["takedown", "{here}", "--urls", "{here}/other.txt"], "{here} is not a run"),
        (["trace", "{run}", "--step", "0"], "{run} is not a training run"),
        (["trace", "{here}/t", "--step", "4"], "{here}/t has no step 4: its steps are 0 to 3"),
        (["why", "{run}", "--url", CLUSTER[0], "--model", "{here}"], "{here} is not a training run"),
    ],
)
def test_mistakes(
    arguments: list[str],
    message: str,
    taken_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = {"run": taken_run, "here": tmp_path}
    (tmp_path / "bad.txt").write_text("http://town.example/0-0\nno address\n")
    (tmp_path / "other.txt").write_text("http://nowhere.example/\n")
    runs.write_training(tmp_path / "t", taken_run, steps=4)
    monkeypatch.setattr(sys, "argv", ["winnow", *(one.format(**places) for one in arguments)])
    with pytest.raises(SystemExit, match="2"):
        main()
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {message.format(**places)}")
    assert len(printed.splitlines()) == 1
