"""`verify` names the row of a token shard that breaks a rule, and a mix that counts other labels than its rows have."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.account.run import Run
from curation.account.verify import token_rows
from curation.account.verify.files import Problem
from curation.core.manifest import MANIFEST
from pipelines.takedown import take_down
from tests.takedowns import request, stage_folder

PADDING = 1
BEYOND = 60_000


def problems(run: Path, *, deep: bool = False) -> list[Problem]:
    return list(Run.open(run).verify(deep=deep).problems)


def plant(run: Path, row: int, slot: int, number: int) -> Path:
    folder = stage_folder(run, "pack")
    path = folder / "tokens-00000.bin"
    rows = np.fromfile(path, "<u2").reshape(-1, 49)
    rows[row, slot] = number
    rows.tofile(path)
    return folder


def test_a_broken_row_is_named(taken_run: Path) -> None:
    folder = plant(taken_run, 3, 7, BEYOND)
    (problem,) = problems(taken_run)
    assert (problem.stage, problem.file) == (folder.name, "tokens-00000.bin")
    assert problem.what == "row 3: token 7 is id 60,000, but the vocabulary ends before 300"
    assert {Path(name).name for name in problem.delete} == {
        MANIFEST,
        *(f"tokens-00000.{kind}" for kind in ("bin", "idx", "parquet")),
    }
    (deep,) = problems(taken_run, deep=True)
    assert deep.what == f"has the size that its commit says, but another checksum; {problem.what}"


def test_rows_beyond_the_first_are_left_to_a_deep_check(taken_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(taken_run, 3, 7, PADDING)
    monkeypatch.setattr(token_rows, "READ_BYTES", 0)
    verified = Run.open(taken_run).verify()
    assert verified.problems == ()
    files = [*stage_folder(taken_run, "pack").glob("*.bin")]
    assert sum(stage.unread_rows for stage in verified.stages) == sum(path.stat().st_size > 0 for path in files)
    assert len(problems(taken_run, deep=True)) == 1


def test_a_mix_that_counts_other_labels_than_are_trained(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "mix")

    def one_more(index: dict[str, Any]) -> None:
        index["report"][0]["tokens"] += 1
        index["phases"][0]["tokens"] += 1

    index = json.loads((folder / "index.json").read_text())
    tokens = index["report"][0]["tokens"]
    one_more(index)
    (folder / "index.json").write_text(json.dumps(index))
    manifest = json.loads((folder / MANIFEST).read_text())
    one_more(manifest["mix"])
    (folder / MANIFEST).write_text(json.dumps(manifest))
    (problem,) = problems(taken_run)
    assert (problem.stage, problem.file) == (folder.name, "index.json")
    assert problem.what.startswith(f"counts {tokens + 1:,} of ")
    assert f"in phase mix, and its rows train {tokens:,} of " in problem.what


def test_padding_that_a_takedown_made_breaks_nothing(taken_run: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), request(tmp_path, "http://news-0.example/1", "http://books-0.example/0"))
    assert problems(taken_run, deep=True) == []
