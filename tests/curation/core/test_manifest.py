"""Manifests and commits come back as written; what was cut short or has another format is no manifest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from curation.core.commits import Commit, Part
from curation.core.errors import InputError
from curation.core.manifest import (
    FORMAT,
    MANIFEST,
    RUN,
    Manifest,
    RunRecord,
    StageEntry,
    read_manifest,
    read_run,
    replace_json,
    write_json,
)
from curation.core.shard_table import ShardTable
from curation.core.verbs import FILTER

PARTS = (
    Part("part-00000.parquet", "web", 10, rows=5, kept=3, dropped={"a.b:low": 2}),
    Part("part-00001.parquet", "web", 10, rows=4, kept=1, dropped={"a.b:low": 1, "a.c:high": 2}),
)
MADE = Manifest(
    format=FORMAT,
    number=1,
    name="gopher",
    verb=FILTER,
    chain="web",
    address="ab" * 32,
    address_parts={"upstream": []},
    schema=(("text", "large_string"),),
    versions={"winnow": "0"},
    shards=ShardTable.of(
        [Commit(0, PARTS[:1], fired={"a.b:low": 2}), Commit(1, PARTS[1:], fired={"a.b:low": 1, "a.c:high": 2})]
    ),
)


def test_round_trip(tmp_path: Path) -> None:
    write_json(str(tmp_path / MANIFEST), MADE)
    assert read_manifest(str(tmp_path)) == MADE


def test_totals() -> None:
    assert (MADE.total("rows"), MADE.total("kept")) == (9, 4)
    assert list(MADE.merged("dropped").items()) == [("a.b:low", 3), ("a.c:high", 2)]
    assert MADE.merged("fired") == {"a.b:low": 3, "a.c:high": 2}


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_a_manifest_cut_short_is_absent(tmp_path: Path, keep: int) -> None:
    path = tmp_path / MANIFEST
    write_json(str(path), MADE)
    path.write_bytes(path.read_bytes()[:keep])
    assert read_manifest(str(tmp_path)) is None


def test_another_format_is_refused(tmp_path: Path) -> None:
    write_json(str(tmp_path / MANIFEST), MADE)
    value = json.loads((tmp_path / MANIFEST).read_text()) | {"format": 3}
    (tmp_path / MANIFEST).write_text(json.dumps(value))
    with pytest.raises(InputError, match=f"has format 3, this winnow reads {FORMAT}; use the winnow that wrote it"):
        read_manifest(str(tmp_path))


def test_what_was_taken_down_comes_back(tmp_path: Path) -> None:
    audited = replace(MADE, audit=({"takedown": 0, "files": {}},))
    write_json(str(tmp_path / MANIFEST), audited)
    assert read_manifest(str(tmp_path)) == audited
    run = RunRecord(FORMAT, "demo", {}, (), True, ("id",), ("text",), ({"when": "2026-11-21", "tombstones": 1},))
    replace_json(str(tmp_path / RUN), run)
    assert read_run(str(tmp_path)) == run
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("_partial")] == []


def test_run(tmp_path: Path) -> None:
    run = RunRecord(FORMAT, "demo", {"version": 1}, (StageEntry("a", FILTER, "web", "01-a-00", "00"),), True, ("id",))
    write_json(str(tmp_path / RUN), run)
    assert read_run(str(tmp_path)) == run
    with pytest.raises(InputError, match="is not a run"):
        read_run(str(tmp_path / "other"))


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", f'{{"format": {FORMAT}, "stages": [1]}}', f'{{"format": {FORMAT}, "shards": [{{}}]}}', "7"],
)
def test_json_that_winnow_did_not_write_is_named(tmp_path: Path, content: str) -> None:
    for name in ("run.json", "_manifest.json"):
        (tmp_path / name).write_text(content)
    for read in (read_run, read_manifest):
        with pytest.raises(InputError, match=r"is damaged: it is not as winnow writes it|has format None"):
            read(str(tmp_path))


def test_a_damaged_run_json_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"format": 3,')
    with pytest.raises(InputError, match=r"run\.json is damaged.* restore it from a copy.* takedowns that it records"):
        read_run(str(tmp_path))
