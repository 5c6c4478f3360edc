"""A stage that was sealed without a unit says so everywhere; what comes after goes on without the unit's rows."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.gopher_quality import GopherQuality
from tests.curation.engine.inputs import write_sources

LOST_URL = "http://news-0.example/3"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    measure = GopherQuality.measure

    def fails(self: GopherQuality, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if any(url == LOST_URL for url in batch.column("url").to_pylist()):
            raise OSError(5, "Input/output error")
        return measure(self, batch)

    reads = ("text", "url")
    monkeypatch.setattr(GopherQuality, "measure", fails)
    monkeypatch.setattr(GopherQuality, "reads", reads)
    text = write_sources(tmp_path).replace("{gopher_quality: {}}", "{gopher_quality: {}}\n      max_failed_units: 1")
    runner.curate(parse(text, "m.yaml"), str(tmp_path / "run"), Inline())
    return Run.open(tmp_path / "run")


def test_the_account_says_what_is_lost(run: Run) -> None:
    (line,) = (stage for stage in run.funnel().stages if stage.name == "news-gopher_quality")
    assert line.rows == 8
    (warning,) = line.warnings
    assert warning.startswith("sealed without 1 unit: unit 0 (")
    assert "OSError: [Errno 5] Input/output error" in warning
    assert run.verify(deep=True).problems == ()
    (story,) = run.why(url=LOST_URL)
    assert [decision.stage for decision in story.decisions] == ["news-read"]
    assert story.fate.startswith("lost after news-read: news-gopher_quality was sealed without the unit that it was in")


def test_what_comes_after_goes_on(run: Run) -> None:
    dedup = run.stage("dedup")
    tokenize = run.stage("tokenize")
    assert [shard.part.rows for shard in dedup.shards] == [0, 7, 13]
    assert sum(batch.num_rows for batch in tokenize.scan(["text"])) == dedup.manifest.total("kept")
    kept = "http://news-1.example/0"
    lost = run.why(url=LOST_URL)[0]
    assert run.why(url=kept)[0].tokens
    assert not lost.tokens
