"""`winnow status`, `winnow watch` and `winnow verify` on a finished run, and on others."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

from curation.core.run_lock import only_run
from tests.runs import COMMAND, ENVIRONMENT, hear_sigint, winnow_here


def test_status(finished_run: Path, tmp_path: Path) -> None:
    done = winnow_here("status", finished_run / "run")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "finished"
    shutil.copytree(finished_run / "run", tmp_path / "run")
    with only_run(str(tmp_path / "run")):
        seen = json.loads(winnow_here("status", tmp_path / "run", "--json").stdout)
    assert (seen["state"], seen["now"]) == ("running", None)
    assert {"name", "folder", "units", "documents", "kept", "text_bytes", "errors", "seconds"} <= set(seen["sealed"][0])
    assert {"pid", "user", "host", "since"} == set(seen["holder"])


def test_watch_ends_as_the_run_has(finished_run: Path, tmp_path: Path) -> None:
    done = winnow_here("watch", finished_run / "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "finished"
    shutil.copytree(finished_run / "run", tmp_path / "run")
    record = json.loads((tmp_path / "run/run.json").read_text())
    (tmp_path / "run/run.json").write_text(json.dumps(record | {"complete": False}))
    (tmp_path / "run/failure.txt").write_text("2026-01-02T03:04:05+00:00\ngopher: unit 1 failed\n")
    stopped = winnow_here("watch", tmp_path / "run")
    assert (stopped.returncode, stopped.stderr) == (1, "")
    failure = tmp_path / "run/failure.txt"
    assert stopped.stdout.splitlines()[-1] == f"has stopped; traceback: {failure}; the same winnow curate resumes it"


def test_watching_is_left_quietly(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with (
        only_run(str(run)),
        subprocess.Popen(
            [*COMMAND, "watch", str(run)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
            preexec_fn=hear_sigint,
        ) as watching,
    ):
        assert watching.stdout is not None
        assert watching.stdout.readline() == "between two stages, or planning\n"
        watching.send_signal(signal.SIGINT)
        assert watching.communicate(timeout=60) == ("", "")
        assert watching.returncode == 130


def test_a_reader_that_leaves_ends_the_watching_quietly(finished_run: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "watch", str(finished_run / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as watching:
        assert watching.stdout is not None
        watching.stdout.close()
        assert watching.wait(timeout=60) == 1
        assert watching.stderr is not None
        assert watching.stderr.read() == ""


def test_verify(finished_run: Path, tmp_path: Path) -> None:
    whole = winnow_here("verify", finished_run / "run", "--deep")
    assert (whole.returncode, whole.stderr) == (0, "")
    assert (
        whole.stdout.splitlines()[-1]
        == "whole: sizes, checksums and counts are as recorded; of 1 file only the size is recorded"
    )
    shutil.copytree(finished_run / "run", tmp_path / "run")
    part = next((tmp_path / "run").glob("*-gopher-*/part-00000.parquet"))
    part.unlink()
    bad = winnow_here("verify", tmp_path / "run")
    assert (bad.returncode, bad.stderr) == (1, "")
    assert f"{part.parent.name}/part-00000.parquet: is missing" in bad.stdout
    seen = json.loads(winnow_here("verify", tmp_path / "run", "--json").stdout)
    assert [(one["file"], one["delete"]) for one in seen["problems"]] == [
        ("part-00000.parquet", [str(part.parent / "_manifest.json")])
    ]


def test_a_folder_that_is_no_run() -> None:
    for command in ("status", "verify"):
        refused = winnow_here(command, "/none")
        assert refused.returncode == 2
        assert refused.stderr.startswith("error: /none is not a run")
    absent = winnow_here("watch", "/none")
    assert (absent.returncode, absent.stdout) == (2, "")
    assert absent.stderr.startswith("error: there is no /none: winnow curate makes it")
