"""`winnow export`: what it prints, and one clear line for what it cannot do."""

import json
from pathlib import Path

import pytest

from tests.curation.tokens.support import two_source_run
from tests.runs import winnow, winnow_here


def test_megatron_prints_the_data_path(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run")
    done = winnow("export", run, "--format", "megatron", "--output", tmp_path / "out", "--source", "web")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"--train-data-path 1 {tmp_path}/out/train/web --valid-data-path 1 {tmp_path}/out/validation/web\n"
    )
    assert f"{tmp_path}/out/train/web: 2 documents, 242 tokens" in done.stderr


def test_parquet_as_json(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run")
    done = winnow_here("export", run, "--format", "parquet", "--output", tmp_path / "out", "--rows", "5", "--json")
    found = json.loads(done.stdout)
    assert found["files"] == [
        {"name": "train-00000-of-00001.parquet", "split": "train", "rows": 5},
        {"name": "validation-00000-of-00001.parquet", "split": "validation", "rows": 4},
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--format", "megatron", "--source", "wbe"], "no source 'wbe'; did you mean 'web'?", id="source"),
        pytest.param(["--format", "megatron", "--rows", "5"], "--rows limits packed rows", id="rows of documents"),
        pytest.param(["--format", "parquet", "--source", "web"], "--source chooses among", id="sources of rows"),
    ],
)
def test_refused(tmp_path: Path, options: list[str], message: str) -> None:
    done = winnow_here("export", two_source_run(tmp_path / "run"), "--output", tmp_path / "out", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
