"""`winnow export`: what it prints, and one clear line for what it cannot do."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from pipelines.render import export as render
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


def test_text_says_what_it_wrote(finished_run: Path, tmp_path: Path) -> None:
    given = ["--format", "text", "--as", "jsonl.gz", "--columns", "url, text", "--output", tmp_path / "out"]
    done = winnow_here("export", finished_run / "run", *given)
    assert done.returncode == 0, done.stderr
    size = (tmp_path / "out" / "part-00000.jsonl.gz").stat().st_size
    assert done.stderr.splitlines() == [
        f"part-00000.jsonl.gz: 90 documents, {size:,} bytes",
        f"90 documents with url, text in {tmp_path}/out",
    ]


def test_text_as_json(finished_run: Path, tmp_path: Path) -> None:
    given = ["--format", "text", "--stage", "gopher", "--output", tmp_path / "out", "--json"]
    found = json.loads(winnow_here("export", finished_run / "run", *given).stdout)
    assert (found["format"], found["documents"], [name[:9] for name in found["stages"]]) == (
        "parquet",
        101,
        ["03-gopher"],
    )
    assert [file["name"] for file in found["files"]] == ["part-00000.parquet"]


@pytest.mark.parametrize("form", ["bin", "nanochat"])
def test_trainers_of_one_file(finished_run: Path, tmp_path: Path, form: str) -> None:
    done = winnow_here("export", finished_run / "run", "--format", form, "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    names = ["train.bin", "val.bin"] if form == "bin" else ["shard_00000.parquet", "shard_00001.parquet"]
    for name, documents in zip(names, (81, 9), strict=True):
        assert f"{name}: {documents} documents, " in done.stderr
    assert "nanoGPT knows no weights" not in done.stderr


def test_shares_that_differ_from_the_mix_are_told() -> None:
    shares = [{"source": "web", "share": 0.9, "mix_share": 0.5}, {"source": "code", "share": 0.1, "mix_share": 0.5}]
    console = Console(file=io.StringIO(), width=200)
    render.export(console, console, "bin", {"files": [], "shares": shares})
    assert console.file.getvalue() == (  # type: ignore[attr-defined]
        "nanoGPT knows no weights, so the tokens of train.bin are web 90.0% (mix: 50.0%), code 10.0% (mix: 50.0%)\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--format", "megatron", "--source", "wbe"], "no source 'wbe'; did you mean 'web'?", id="source"),
        pytest.param(
            ["--format", "megatron", "--rows", "5"],
            "--rows is an option of --format parquet, not of megatron; leave it out",
            id="rows",
        ),
        pytest.param(
            ["--format", "parquet", "--source", "web"],
            "--source is an option of --format bin and megatron, not",
            id="source of rows",
        ),
        pytest.param(["--format", "bin", "--columns", "text"], "--columns is an option of --format text", id="columns"),
        pytest.param(["--format", "text", "--validation", "1"], "--validation is an option of", id="validation"),
    ],
)
def test_refused(tmp_path: Path, options: list[str], message: str) -> None:
    done = winnow_here("export", two_source_run(tmp_path / "run"), "--output", tmp_path / "out", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
