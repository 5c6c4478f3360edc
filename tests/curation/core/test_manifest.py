"""Manifests and commits come back as written; what was cut short or has another format is no manifest."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curation.core.commits import Commit, Part
from curation.core.errors import InputError
from curation.core.manifest import (
    FORMAT,
    MANIFEST,
    RUN,
    FileFormat,
    Manifest,
    RunRecord,
    StageEntry,
    read_manifest,
    read_run,
    replace_json,
    write_json,
)
from curation.core.shard_table import ShardTable
from curation.core.stage_shapes import RecipeStage
from curation.core.verbs import FILTER, VERBS

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
    address_parts={"order": ["a"], "config": {"a": {}}, "versions": {"a": 1}, "assets": {}, "upstream": []},
    schema=(("text", "large_string"),),
    versions={"winnow": "0"},
    shards=ShardTable.of(
        [Commit(0, PARTS[:1], fired={"a.b:low": 2}), Commit(1, PARTS[1:], fired={"a.b:low": 1, "a.c:high": 2})]
    ),
)


RECIPE: dict[str, Any] = {"version": 1, "sources": {}, "joined": []}


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
    audited = replace(MADE, audit=({"takedown": 0, "when": "2026-11-21", "documents": 1, "rows": 1, "files": {}},))
    write_json(str(tmp_path / MANIFEST), audited)
    assert read_manifest(str(tmp_path)) == audited
    entry = {"when": "2026-11-21", "request": "00", "tombstones": 1, "texts": 1, "finished": False}
    run = RunRecord(FORMAT, "demo", RECIPE, (), True, ("id",), ("text",), (entry,))
    replace_json(str(tmp_path / RUN), run)
    assert read_run(str(tmp_path)) == run
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("_partial")] == []


def test_run(tmp_path: Path) -> None:
    run = RunRecord(FORMAT, "demo", RECIPE, (StageEntry("a", FILTER, "web", "01-a-00", "00"),), True, ("id",))
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
        with pytest.raises(InputError, match=r"json is damaged: (expected a mapping|\w+: expected a value)"):
            read(str(tmp_path))


def test_a_damaged_run_json_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"format": 3,')
    with pytest.raises(InputError, match=r"run\.json is damaged.* restore it from a copy.* takedowns that it records"):
        read_run(str(tmp_path))


def test_who_reads_a_source() -> None:
    sources: dict[str, Any] = {"web": [{"read": {"warc": {"paths": ["a"]}}}], "none": [], "odd": [{"extract": {}}]}
    run = RunRecord(FORMAT, "small", {**RECIPE, "sources": sources}, (), True)
    assert run.reader("web") == ("warc", {"paths": ["a"]})
    for name in ("none", "odd", "other"):
        with pytest.raises(InputError, match=f"run.json of small is damaged: nothing in its recipe reads '{name}'; re"):
            run.reader(name)


def test_the_stages_of_a_recorded_recipe_have_components(tmp_path: Path) -> None:
    assert RecipeStage.__annotations__.keys() == VERBS.keys()
    recipe = {**RECIPE, "sources": {"web": [{"read": {"warc": 1.5}}]}}
    write_json(str(tmp_path / RUN), RunRecord(FORMAT, "small", recipe, (), True))
    with pytest.raises(InputError, match=r"recipe\.sources\.web\[0\]\.read\.warc: expected a mapping, got 1\.5"):
        read_run(str(tmp_path))


@pytest.mark.parametrize("change", [{"config": {}}, {"versions": {}}, {"order": []}, {"order": ["b"]}])
def test_a_stage_states_all_of_its_components(tmp_path: Path, change: dict[str, Any]) -> None:
    write_json(str(tmp_path / MANIFEST), replace(MADE, address_parts={**MADE.address_parts, **change}))
    with pytest.raises(InputError, match=r"is damaged: address_parts has no component '[ab]?'; restore it"):
        read_manifest(str(tmp_path))


def test_options_are_read_by_a_shape() -> None:
    stage = replace(MADE, address_parts={**MADE.address_parts, "config": {"a": {"format": 7}}})
    assert stage.options("a", FileFormat)["format"] == 7
    with pytest.raises(InputError, match=r"^the config of a in the stage gopher is damaged: format: expected a value"):
        MADE.options("a", FileFormat)


def test_a_record_keeps_the_order_of_its_recipe(tmp_path: Path) -> None:
    """Filters of a stage are tried in that order."""
    sets: dict[str, Any] = {"gopher_quality": {}, "c4_quality": {}}
    record = RunRecord(FORMAT, "r", {"sources": {"web": [{"filter": sets}]}, "joined": []}, (), False)
    replace_json(str(tmp_path / RUN), record)
    assert list(read_run(str(tmp_path)).recipe["sources"]["web"][0]["filter"]) == ["gopher_quality", "c4_quality"]
