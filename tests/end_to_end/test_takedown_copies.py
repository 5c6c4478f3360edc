"""Copies that no dedup stage saw go with their document, and stay out however the inputs are read again."""

import gzip
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from pipelines.takedown import take_down
from tests import takedowns as runs
from tests.crawl import prose
from tests.end_to_end.test_takedown import WHEN

RECIPE = """
version: 1
name: copies
shards: {group_mb: %(group_mb)s}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web/**/*.jsonl*"], url: url, licence: licence}}
    - filter: {licence_policy: {allow: [CC0-1.0]}}
      name: licences
    - dedup: {paragraph: {}}
      name: pieces
    - rewrite: {cut_spans: {of: [paragraph]}}
    - filter: {text_left: {min_words: 30}}
    - dedup: {exact: {}}
  other:
    - read: {jsonl: {paths: ["%(folder)s/other.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: 100000}}
joined:
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer"}
  - pack: {sequence_length: 48}
  - mix: {}
"""
MARKER = "unmistakable"


def text_of(number: int) -> str:
    word = MARKER if number == 0 else f"number{number}"
    return f"The word {word} stands here. " + prose(random.Random(number), 6).replace("<p>", "").replace("</p>", "\n")


def write_inputs(folder: Path) -> None:
    """Document 0 is kept; its copies are dropped by a licence, by what its paragraphs leave, and in another source."""
    rows = [{"text": text_of(n), "url": f"http://web.example/{n}", "licence": "CC0-1.0"} for n in range(6)]
    shouted = {**rows[0], "url": "http://web.example/shouted", "text": f"  {text_of(0).upper()}\n"}
    barred = {**rows[0], "url": "http://web.example/barred", "licence": "GPL-3.0-only"}
    emptied = {**rows[0], "url": "http://web.example/emptied"}
    (folder / "web").mkdir(parents=True)
    for name, some in (("a", [barred, *rows[:3]]), ("b", [emptied, *rows[3:], shouted])):
        (folder / "web" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    other = [{**rows[0], "url": "http://other.example/0"}, {**rows[5], "url": "http://other.example/5"}]
    (folder / "other.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other))


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """A run from which document 0 was taken down."""
    write_inputs(tmp_path / "in")
    curate(tmp_path, tmp_path / "runs" / "run")
    run = tmp_path / "runs" / "run"
    reasons = {
        row["url"]: row["drop_reason"] for name in ("web-licences", "web-text_left") for row in runs.rows(run, name)
    }
    assert (reasons["http://web.example/barred"] or "").startswith("licence_policy.")
    assert reasons["http://web.example/emptied"] == "text_left.words:low"
    assert MARKER in everything(run)
    done = take_down(str(run), runs.request(tmp_path, "http://web.example/0"), when=WHEN)
    assert (done.plan.copies, done.new) == (4, 5)
    return run


def curate(folder: Path, run: Path, *, group_mb: int = 0) -> None:
    recipe = RECIPE % {"folder": folder / "in", "group_mb": group_mb}
    runner.curate(parse(recipe, "m.yaml"), str(run), Inline())


def everything(run: Path) -> str:
    """All that the files of the run hold, in small letters."""
    return " ".join(runs.contents(run)).lower()


def test_copies_that_were_dropped_before_dedup_or_in_another_source_go_too(taken: Path) -> None:
    assert MARKER not in everything(taken)
    assert "number5" in everything(taken)
    for url in ("http://web.example/barred", "http://web.example/emptied", "http://other.example/0"):
        (story,) = Run.open(taken).why(url=url)
        assert story.taken_down == WHEN


def other_layout(folder: Path) -> int:
    return 1


def renamed(folder: Path) -> int:
    (folder / "web" / "b.jsonl").rename(folder / "web" / "c.jsonl")
    return 0


def packed(folder: Path) -> int:
    for name in ("a", "b"):
        path = folder / "web" / f"{name}.jsonl"
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    return 0


def twice(folder: Path) -> int:
    shutil.copytree(folder / "web", folder / "web" / "again")
    return 0


@pytest.mark.parametrize("change", [other_layout, renamed, packed, twice])
def test_reading_anew_brings_none_of_them_back(taken: Path, tmp_path: Path, change: Callable[[Path], int]) -> None:
    group_mb = change(tmp_path / "in")
    curate(tmp_path, taken, group_mb=group_mb)
    assert MARKER not in everything(taken)
    urls = {f"http://web.example/{name}" for name in ("0", "barred", "emptied", "shouted")}
    again = [row for row in runs.rows(taken, "web-read") if row["url"] in urls]
    assert len(again) == (8 if change is twice else 4)
    assert {row["drop_reason"] for row in again} == {"takedown"}
    assert {row["text"] for row in again} == {None}
    for url in urls:
        assert {story.fate for story in Run.open(taken).why(url=url)} == {f"taken down on {WHEN}"}


def test_another_document_in_the_place_of_one_that_went_is_let_in(taken: Path, tmp_path: Path) -> None:
    path = tmp_path / "in" / "web" / "a.jsonl"
    first = {"text": text_of(9), "url": "http://web.example/9", "licence": "CC0-1.0"}  # where a copy stood
    path.write_text("\n".join([json.dumps(first), *path.read_text().splitlines()[1:]]))
    curate(tmp_path, taken)
    (story,) = Run.open(taken).why(url="http://web.example/9")
    assert story.taken_down is None
    assert story.tokens["rows"]
    assert MARKER not in everything(taken)
