"""`winnow status` and `winnow verify` on a finished run."""

import json
import shutil
from pathlib import Path

from curation.core.run_lock import only_run
from tests.runs import winnow_here


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
