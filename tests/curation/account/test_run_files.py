"""The files of a run's own stages, whatever recipes its folder has seen."""

import glob
from pathlib import Path

import duckdb
import pytest

from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.manifest import FORMAT, RunRecord, write_json
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from pipelines.commands.ask import sql_list
from tests.curation.account.corpus import made, write_lines

RECIPE = """
version: 1
name: changed
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: %(words)s, min_stop_words: 0, max_mean_word_length: 100}}
      name: gopher
    - dedup: {exact: {}}
"""
# As the README has it: url and reason of what was dropped.
DECISIONS = """select url, drop_reason from read_parquet(%s, union_by_name=true) where drop_reason is not null"""
DOCUMENTS = 30


def curate(folder: Path, words: int) -> str:
    run = str(folder / "it's run [1]")
    return made(RECIPE % {"folder": folder, "words": words}, run).folder


@pytest.fixture
def changed(tmp_path: Path) -> str:
    """A run whose recipe first wanted 5 words, then 12: documents have 1 to 15, two of each number."""
    texts = [" ".join(["word"] * (number // 2 + 1)) for number in range(DOCUMENTS)]
    rows = [{"text": text, "url": f"http://site.example/{number}"} for number, text in enumerate(texts)]
    write_lines(tmp_path / "web.jsonl", rows)
    curate(tmp_path, 5)
    return curate(tmp_path, 12)


def test_every_document_has_one_decision_after_the_recipe_changed(changed: str) -> None:
    last = Run.open(changed).files()[-1]
    dropped = duckdb.sql(DECISIONS % sql_list(Run.open(changed).files())).fetchall()
    kept = duckdb.sql(f"select url from read_parquet({sql_list([last])}) where drop_reason is null").fetchall()
    urls = [row[0] for row in (*dropped, *kept)]
    assert len(urls) == len(set(urls)) == DOCUMENTS
    found = Run.open(changed).funnel()
    assert len(dropped) == sum(sum(line.dropped.values()) for line in found.stages)
    assert len(kept) == found.stages[-1].kept > 0
    every = sql_list([f"{glob.escape(changed)}/*/part-*.parquet"])
    assert len(duckdb.sql(DECISIONS % every).fetchall()) > len(dropped)  # the folder holds the earlier stages as well


def test_one_stage_where_the_folder_has_two_of_its_name(changed: str) -> None:
    (own,) = Run.open(changed).files("gopher")
    assert len([*Path(changed).glob("*-gopher-*")]) == 2
    counted = duckdb.sql(f"select count(*), min(gopher_quality.words) from read_parquet({sql_list([own])})").fetchall()
    assert counted == [(DOCUMENTS, 1)]
    assert Run.open(changed).files(Path(own.replace("[[]", "[")).parent.name) == [own]


def test_going_back_to_the_earlier_recipe_finds_its_stages(changed: str) -> None:
    later = Run.open(changed).files()
    steps = list[str]()
    folder = Path(changed).parent
    before = {path: path.stat().st_mtime_ns for path in Path(changed).rglob("part-*.parquet")}
    recipe = parse(RECIPE % {"folder": folder, "words": 5}, "m.yaml")
    runner.curate(recipe, changed, Inline(), lambda now: steps.append(now.step))
    assert set(steps) == {"sealed"}
    assert {path: path.stat().st_mtime_ns for path in Path(changed).rglob("part-*.parquet")} == before
    assert Run.open(changed).files()[0] == later[0]
    assert set(Run.open(changed).files()[1:]).isdisjoint(later)


def test_what_has_no_documents(finished_run: Path) -> None:
    with pytest.raises(InputError, match="pack is a pack stage and has no documents"):
        Run.open(finished_run / "run").files("pack")
    assert len(Run.open(finished_run / "run").files()) == 5


def test_a_run_that_has_only_begun(tmp_path: Path) -> None:
    write_json(str(tmp_path / "run.json"), RunRecord(FORMAT, "begun", {"sources": {}, "joined": []}, (), False))
    with pytest.raises(InputError, match=r"has no finished stage with documents; run its recipe"):
        Run.open(tmp_path).files()
