"""A run is whole, or what is wrong with it is named; without what is to be deleted, the same command mends it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.account.run import Run
from curation.account.verify.files import Problem
from curation.core.commits import Commit, Part, read_group, write_group
from curation.core.manifest import MANIFEST, RUN
from curation.engine.executor.work import Unit
from curation.engine.run.steps import MapStep
from pipelines.takedown import take_down
from tests.curation.account.corpus import made
from tests.runs import data_hashes
from tests.takedowns import curate, request, stage_folder

LOSING = """
version: 1
name: losing
shards: {group_mb: 0}
sources:
  news:
    - read: {jsonl: {paths: ["%s/news-*.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: 20}}
      name: short
      max_failed_units: 1
"""


def problems(run: Path, *, deep: bool = False) -> list[Problem]:
    return list(Run.open(run).verify(deep=deep).problems)


def mend(run: Path, sources: Path, found: list[Problem]) -> None:
    """Deletes what the problems say and runs the same command again."""
    for name in {name for problem in found for name in problem.delete}:
        Path(name).unlink()
    curate(sources, run)
    assert problems(run, deep=True) == []


def edit_json(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def test_a_run_that_is_whole(taken_run: Path) -> None:
    seen = Run.open(taken_run).verify(deep=True)
    assert seen.problems == ()
    assert [stage.name for stage in seen.stages][:2] == ["news-read", "news-gopher_quality"]
    assert all(stage.files > 0 for stage in seen.stages)
    assert sum(stage.bytes for stage in seen.stages) > 10_000


@pytest.mark.parametrize(
    ("stage", "file"),
    [
        pytest.param("news-read", "part-00001.parquet", id="read"),
        pytest.param("news-gopher_quality", "part-00000.parquet", id="filter"),
        pytest.param("near", "part-00002.parquet", id="dedup"),
        pytest.param("tokenizer", "tokenizer.json", id="fit"),
        pytest.param("tokenize", "part-00000.parquet", id="tokenize"),
        pytest.param("tokenize", "_tokenizer.json", id="tokenizer's copy"),
        pytest.param("pack", "tokens-00000.bin", id="pack"),
        pytest.param("mix", "index.json", id="mix"),
    ],
)
def test_a_file_spoilt_at_equal_size_is_made_again(taken_run: Path, sources: Path, stage: str, file: str) -> None:
    before = data_hashes(taken_run)
    path = stage_folder(taken_run, stage) / file
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes(9))
    (problem,) = problems(taken_run, deep=True)
    assert (problem.stage, problem.file) == (path.parent.name, file)
    if stage not in ("mix", "pack"):  # an index is held by its manifest too, and token rows are read
        assert problems(taken_run) == []
    assert problem.delete == (str(path.parent / MANIFEST), str(path))
    untouched = {one: one.stat().st_mtime_ns for one in path.parent.glob("part-*") if one != path}
    mend(taken_run, sources, [problem])
    assert data_hashes(taken_run) == before
    assert {one: one.stat().st_mtime_ns for one in untouched} == untouched


def test_what_is_missing_or_cut_short_shows_without_reading(taken_run: Path, sources: Path) -> None:
    before = data_hashes(taken_run)
    folder = stage_folder(taken_run, "near")
    (folder / "part-00001.parquet").unlink()
    cut = folder / "part-00002.parquet"
    cut.write_bytes(cut.read_bytes()[:-1])
    missing, short = problems(taken_run)
    assert (missing.file, missing.what) == ("part-00001.parquet", "is missing")
    assert missing.delete == (str(folder / MANIFEST),)
    assert "bytes, its commit says" in short.what
    mend(taken_run, sources, [missing, short])
    assert data_hashes(taken_run) == before


def one_bit_flipped(content: bytes) -> bytes:
    """Where Arrow leaves room and reads nothing."""
    at = content.index(bytes(6)) + 3
    return content[:at] + b"\1" + content[at + 1 :]


@pytest.mark.parametrize(
    ("step", "change"),
    [
        pytest.param("_commits", None, id="lost"),
        pytest.param("_commits", lambda content: b"ARROW1", id="cut short"),
        pytest.param("_commits", one_bit_flipped, id="one bit"),
        pytest.param("_keys", one_bit_flipped, id="one bit of an earlier step"),
    ],
)
def test_commits_that_are_lost_or_damaged(
    taken_run: Path, sources: Path, step: str, change: Callable[[bytes], bytes] | None
) -> None:
    before = data_hashes(taken_run)
    group = stage_folder(taken_run, "near") / step / "group-00000.arrow"
    group.unlink() if change is None else group.write_bytes(change(group.read_bytes()))
    (problem,) = problems(taken_run)
    assert problem.file == f"{step}/group-00000.arrow"
    mend(taken_run, sources, [problem])
    assert data_hashes(taken_run) == before


def test_stray_files(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "near")
    for name in ("_partial.part-00000.parquet.x", "part-00099.parquet", "_keys/keys-00099.arrow"):
        (folder / name).write_bytes(b"x")
    (folder / "_note.json").write_bytes(b"{}")  # as the driver writes them
    names = [one.file for one in problems(taken_run)]
    assert names == ["_keys/keys-00099.arrow", "_partial.part-00000.parquet.x", "part-00099.parquet"]
    assert [one.delete for one in problems(taken_run)] == [(str(folder / name),) for name in names]


def changed_commits(run: Path, stage: str, **changes: object) -> Path:
    """A stage whose first part is said to have other counts, in its commits and in its manifest."""
    folder = stage_folder(run, stage)
    group = folder / "_commits" / "group-00000.arrow"
    first, *others = read_group(str(group))
    part = Part(**{**first.parts[0].__dict__, **changes})
    write_group(str(group), [Commit(**{**first.__dict__, "parts": (part, *first.parts[1:])}), *others])
    return folder


def test_a_manifest_that_does_not_say_what_its_commits_do(taken_run: Path, sources: Path) -> None:
    folder = stage_folder(taken_run, "near")

    def one_more(manifest: dict[str, Any]) -> None:
        manifest["shards"]["totals"]["books"]["parts"]["kept"] += 1

    edit_json(folder / MANIFEST, one_more)
    (problem,) = problems(taken_run)
    assert "totals are not those of its commits" in problem.what
    assert problem.delete == (str(folder / MANIFEST),)
    mend(taken_run, sources, [problem])


def test_rows_that_are_lost_between_two_stages(taken_run: Path) -> None:
    folder = changed_commits(taken_run, "news-read", kept=7)
    found = problems(taken_run)
    (between,) = [one for one in found if one.stage != folder.name]
    after = stage_folder(taken_run, "news-gopher_quality")
    assert (between.stage, between.what) == (after.name, "unit 0 has 8 rows, the shard before it kept 7")
    assert between.delete == (str(after),)


def test_tokens_that_are_lost_between_two_stages(taken_run: Path) -> None:
    def one_less(manifest: dict[str, Any]) -> None:
        manifest["tokens"]["parts"][0]["tokens"] -= 1

    edit_json(stage_folder(taken_run, "pack") / MANIFEST, one_less)
    of_stage, of_rows = sorted(problems(taken_run), key=lambda problem: problem.file)
    assert of_stage.what.startswith("packed ")
    assert " tokens, its manifest says " in of_rows.what


def test_a_row_count_that_differs_from_the_file(taken_run: Path) -> None:
    changed_commits(taken_run, "news-read", rows=9, dropped={"a.b:low": 1})
    assert any(one.what == "has 8 rows, its commit says 9" for one in problems(taken_run, deep=True))


def test_a_manifest_that_is_gone_or_damaged(taken_run: Path, sources: Path) -> None:
    near = stage_folder(taken_run, "near")
    spans = stage_folder(taken_run, "spans")
    (near / MANIFEST).unlink()
    edit_json(spans / MANIFEST, lambda manifest: manifest.pop("shards"))
    by_stage = {one.stage: one for one in problems(taken_run)}
    assert "counts as not done" in by_stage[near.name].what
    assert by_stage[spans.name].delete == (str(spans / MANIFEST),)
    mend(taken_run, sources, [by_stage[spans.name]])


def test_a_stage_that_is_gone(taken_run: Path, sources: Path) -> None:
    folder = stage_folder(taken_run, "near")
    shutil.rmtree(folder)
    assert (folder.name, "is gone, and run.json names it") in [(one.stage, one.what) for one in problems(taken_run)]
    curate(sources, taken_run)
    assert problems(taken_run) == []


def test_a_takedown_that_is_finished_or_cut_off(taken_run: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), request(tmp_path, "http://news-0.example/1"))
    assert problems(taken_run, deep=True) == []
    edit_json(taken_run / RUN, lambda record: record["takedowns"][0].update(finished=False))
    (problem,) = problems(taken_run)
    assert "a takedown was cut off" in problem.what
    assert problem.delete == ()


def test_the_stages_of_earlier_recipes_are_checked_too(taken_run: Path, sources: Path) -> None:
    curate(sources, taken_run, words=10)
    folders = {stage.folder for stage in Run.open(taken_run).verify().stages}
    assert len([name for name in folders if "news-gopher_quality" in name]) == 2
    assert problems(taken_run, deep=True) == []


def test_a_stage_that_was_sealed_without_a_unit(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = MapStep.run

    def fails(step: MapStep, unit: Unit) -> Commit:
        if unit.number == 1:
            raise OSError(5, "Input/output error")
        return run(step, unit)

    monkeypatch.setattr(MapStep, "run", fails)
    seen = made(LOSING % sources, tmp_path / "run").verify(deep=True)
    assert (len(seen.stages), seen.problems) == (2, ())
    folder = stage_folder(tmp_path / "run", "short")
    edit_json(folder / MANIFEST, lambda manifest: manifest["shards"].update(lost=[]))
    (problem,) = problems(tmp_path / "run")
    assert problem.what == "unit 1 has 0 rows, the shard before it kept 8"
