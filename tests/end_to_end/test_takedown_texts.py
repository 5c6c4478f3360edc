"""A document's text is gone wherever it lay: where it was made, edited, dropped, and in the last stage."""

import json
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from pipelines.takedown import take_down
from tests import takedowns as runs
from tests.curation.engine.inputs import text

RECIPE = """
version: 1
name: texts
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/*.jsonl"], url: url}}
    - filter: {language: {languages: [en]}}
    - rewrite: {unicode: {}}
    - filter: {gopher_quality: {}}
      name: quality
    - dedup: {exact: {}}
    - filter: {fineweb_quality: {max_duplicate_line_characters: 0.2}}
      name: last
"""
ENDS = {  # marker of a document -> the stage that drops it
    "zyxlanguage": "language",
    "zyxquality": "quality",
    "zyxdedup": "dedup",
    "zyxlast": "last",
    "zyxkept": None,
}
STAGES = ["read", "language", "unicode", "quality", "dedup", "last"]


def url(marker: str, copy: int = 0) -> str:
    return f"http://{marker}.example/{copy}"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two shards, each with documents that end at every stage; "zyxdedup" stands in both."""
    german = "Der Lehrer sieht den Garten und die Brücke nicht. " * 20
    line = "The people of the town have to read this line with all the others again and again."
    for shard in range(2):
        numbers = range(100 * shard, 100 * shard + 6)
        texts = {url(f"other{number}"): text(number) for number in numbers}
        texts[url("zyxdedup", shard)] = f"zyxdedup {text(50)}"
        if shard == 0:
            texts[url("zyxlanguage")] = f"zyxlanguage {german}"
            texts[url("zyxquality")] = "This is the zyxquality that was too short for the people of the town."
            texts[url("zyxlast")] = f"zyxlast {text(51)}\n" + f"{line}\n" * 20
            texts[url("zyxkept")] = f"zyxkept {text(52)}\0"
        rows = [{"text": one, "url": name} for name, one in texts.items()]
        (tmp_path / f"{shard}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runner.curate(parse(RECIPE % {"folder": tmp_path}, "m.yaml"), str(tmp_path / "runs" / "run"), Inline())
    return tmp_path / "runs" / "run"


def ends(run: Path, marker: str) -> str | None:
    """The stage that dropped the document's last copy."""
    stories = Run.open(run).why(url=url(marker, 1 if marker == "zyxdedup" else 0))
    return stories[0].dropped_by


def files_with(run: Path, marker: str) -> int:
    parts = [path for path in run.rglob("*") if path.suffix in (".parquet", ".arrow")]
    assert parts
    return sum(marker in content for content in runs.contents(run))


@pytest.mark.parametrize("marker", ENDS)
def test_nothing_is_left(run: Path, marker: str) -> None:
    assert ends(run, marker) == ENDS[marker]
    assert files_with(run, f"{marker} ") > 1
    before = {name: runs.rows(run, name) for name in STAGES}
    done = take_down(str(run), runs.request(run.parent, url(marker)))
    gone = set(done.plan.documents)
    assert files_with(run, f"{marker} ") == 0
    for name in STAGES:
        expected = [{**row, "text": None} if row["doc_id"] in gone else row for row in before[name]]
        assert runs.rows(run, name) == expected
        assert_counts(run, name)


def assert_counts(run: Path, name: str) -> None:
    """The manifest counts what is left, wherever it lies."""
    stage = Run.open(run).stage(name)
    for shard in stage.shards:
        sizes = shard.lengths("text")
        kept = shard.kept()
        assert (shard.part.text_bytes, shard.part.kept_text_bytes) == (sizes.sum(), sizes[kept].sum())
