"""What two recordings differ in, by place; addresses apart."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.same_bytes.__main__ import SHOWN, compare
from benchmarks.same_bytes.differences import ABSENT, Difference, changed_addresses, data_differences

FILE = {"bytes": "b0", "rows": 2, "columns": {"text": "string t0"}}
STAGE = {"files": {"part-00000.parquet": FILE}, "drop_reasons": {"quality.words:low": 3}, "manifest": {"limits": []}}
FIRST = {"address": "a0", "parts": {"config": {"min_words": 50}, "versions": {"quality": 1}}}
RUN = {
    "stages": {"quality": STAGE},
    "reports": {"funnel": {"stages": [{"kept": 2}]}},
    "addresses": {"quality": FIRST, "tokenize": {"address": "a1", "parts": {}}},
}
RECORDING: dict[str, Any] = {"input": {"web-0.warc.gz": "i0"}, "runs": {"demo": RUN}}


@pytest.fixture
def changed() -> dict[str, Any]:
    return copy.deepcopy(RECORDING)


def test_equal_recordings(changed: dict[str, Any]) -> None:
    assert data_differences(RECORDING, changed) == []
    assert changed_addresses(RECORDING, changed) == {}


def test_data_by_place(changed: dict[str, Any]) -> None:
    run = changed["runs"]["demo"]
    stage = run["stages"]["quality"]
    stage["files"]["part-00000.parquet"]["columns"]["text"] = "string t1"
    stage["drop_reasons"] = {}
    stage["manifest"]["limits"] = [{"at_least": 50}]
    run["reports"]["funnel"]["stages"][0]["kept"] = 1
    quality = "runs", "demo", "stages", "quality"
    assert data_differences(RECORDING, changed) == [
        Difference(("runs", "demo", "reports", "funnel", "stages", "0", "kept"), 2, 1),
        Difference((*quality, "drop_reasons"), ABSENT, {}),
        Difference((*quality, "drop_reasons", "quality.words:low"), 3, ABSENT),
        Difference((*quality, "files", "part-00000.parquet", "columns", "text"), "string t0", "string t1"),
        Difference((*quality, "manifest", "limits"), [], ABSENT),
        Difference((*quality, "manifest", "limits", "0", "at_least"), ABSENT, 50),
    ]


def test_types_count(changed: dict[str, Any]) -> None:
    changed["runs"]["demo"]["reports"]["funnel"]["stages"][0]["kept"] = 2.0
    assert len(data_differences(RECORDING, changed)) == 1


def test_addresses_apart(changed: dict[str, Any]) -> None:
    addresses = changed["runs"]["demo"]["addresses"]
    addresses["quality"] = {"address": "c0", "parts": {"config": {"min_words": 50}, "identity": ["quality"]}}
    addresses["tokenize"]["address"] = "c1"
    assert data_differences(RECORDING, changed) == []
    assert changed_addresses(RECORDING, changed) == {
        ("demo", "quality"): ["identity", "versions"],
        ("demo", "tokenize"): [],
    }


def test_exit_codes_and_lines(changed: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tmp_path / "before.json"
    after = tmp_path / "after.json"
    changed["runs"]["other"] = {"stages": {}}
    before.write_text(json.dumps(RECORDING))
    after.write_text(json.dumps(changed))
    assert compare(before, after) == 0
    only = "other is in one recording only and is not compared\n"
    assert capsys.readouterr().out == f"{only}0 differences of data, 0 addresses changed\n"
    changed["runs"]["demo"]["stages"]["quality"]["drop_reasons"] |= {f"reason {n}": 1 for n in range(SHOWN + 2)}
    after.write_text(json.dumps(changed))
    assert compare(before, after) == 1
    *lines, more, total = capsys.readouterr().out.splitlines()[1:]
    assert lines[0] == "runs / demo / stages / quality / drop_reasons / reason 0: absent -> 1"
    assert len(lines) == SHOWN
    assert more == "runs / demo / stages / quality: 2 more"
    assert total == f"{SHOWN + 2} differences of data, 0 addresses changed"
