"""A recognizer that raises on one document: it alone is dropped, with its reason, and its text is shown nowhere."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.models.pii.patterns import Recognizer
from tests.curation.engine.erase.redacting_runs import UNTIL_SEALED, words_in

pytest.importorskip("presidio_analyzer")

BAD = "bad@example.org"
REASON = "error.pii.ZeroDivisionError"
TEXTS = {name: f"write to {name}@example.org, please" for name in ("first", "second", "bad", "last")}
RECIPE = """
version: 1
shards: {group_mb: 0}
%(privacy)s
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url}}
    - rewrite: {pii: {language: en, of: [email]}}
      name: redact
      max_errors: 0.5
    - filter: {gopher_quality: {min_words: 4, min_mean_word_length: 1, min_stop_words: 0}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    whole = Recognizer._score

    def score(self: Recognizer, sure: float, value: str) -> float:
        if value == BAD:
            raise ZeroDivisionError(value)
        return whole(self, sure, value)

    monkeypatch.setattr(Recognizer, "_score", score)
    rows = [{"url": f"http://a.example/{name}", "text": text} for name, text in TEXTS.items()]
    (tmp_path / "web.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def curate(folder: Path, privacy: str = "") -> Run:
    recipe = parse(RECIPE % {"folder": folder, "privacy": privacy}, "r.yaml")
    runner.curate(recipe, str(folder / "run"), Inline())
    return Run.open(folder / "run")


def rows(run: Run, stage: str) -> list[dict[str, Any]]:
    return [row for shard in run.stage(stage).shards for row in pq.read_table(shard.uri).to_pylist()]


def test_only_that_document_is_dropped_and_the_others_are_sealed(folder: Path) -> None:
    run = curate(folder)
    found = rows(run, "redact")
    assert [row["drop_reason"] for row in found] == [None, None, REASON, None]
    kept = [row for row in found if row["drop_reason"] is None]
    assert [(row["text"], row["pii"]["email"]) for row in kept] == [("write to <EMAIL>, please", 1)] * 3
    assert (found[2]["pii"]["email"], found[2]["pii"]["spans"]) == (None, None)
    assert run.stage("redact").manifest.merged("dropped") == {REASON: 1}
    assert [row["text"] for row in rows(run, "gopher_quality")] == ["write to <EMAIL>, please"] * 3


def test_what_it_holds_is_shown_nowhere(folder: Path) -> None:
    run = curate(folder)
    assert [row.text for row in run.show("read")] == ["write to <EMAIL>, please"] * 2 + [
        "<WITHHELD>",
        "write to <EMAIL>, please",
    ]
    (row,) = run.show("redact", reason="error")
    assert (row.reason, row.text, row.text_gone) == (REASON, "<WITHHELD>", False)


def test_where_originals_go_its_text_goes_too(folder: Path) -> None:
    run = curate(folder, UNTIL_SEALED)
    assert not [path for path, words in words_in(str(folder / "run")) if "@example.org" in words]
    (row,) = run.show("redact", reason="error")
    assert (row.reason, row.text, row.text_gone) == (REASON, "", True)
