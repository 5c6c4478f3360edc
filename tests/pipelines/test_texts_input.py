"""Texts in memory as a run's input: the same bytes however they are given, reused, and gone after the run."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas
import pyarrow as pa
import pytest

import winnow
from curation.core.errors import RecipeError, UserError
from pipelines import texts_input
from pipelines.api import Inline, Run, curate
from tests.noting import Noting
from tests.runs import data_hashes

TEXTS = ["one", "two words", "three words here", "two words"]
QUALITY = winnow.filters.GopherQuality(min_words=2, min_stop_words=0, max_mean_word_length=99)
STEPS = [QUALITY, winnow.dedup.Exact()]


def written(texts: Any, folder: Path) -> tuple[str, bytes]:
    with texts_input.texts_written(texts, str(folder)) as path:
        return Path(path).parent.name, Path(path).read_bytes()


def test_steps_over_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = curate(STEPS, TEXTS, executor=Inline())
    assert run.folder == "runs/texts"
    assert str(run) == "Run runs/texts: 3 stages, 4 documents read, 2 kept"
    assert repr(run) == "Run.open('runs/texts')"
    assert [line.name for line in run.funnel().stages] == ["read", "gopher_quality", "dedup"]
    assert list(run.texts()) == ["two words", "three words here"]
    (batch,) = run.kept(["gopher_quality.words"])
    assert batch.to_pydict() == {"gopher_quality.words": [2, 3]}
    assert not Path("runs/texts/_input").exists()


def test_the_same_texts_in_another_form_run_nothing(tmp_path: Path) -> None:
    curate(STEPS, TEXTS, tmp_path / "run", executor=Inline())
    before = data_hashes(tmp_path / "run")
    frame = pandas.DataFrame({"text": TEXTS, "length": [1, 2, 3, 2]})
    for again in (iter(TEXTS), [{"text": text} for text in TEXTS], pa.array(TEXTS), frame):
        noting = Noting()
        curate(STEPS, again, tmp_path / "run", executor=noting)
        assert noting.ran == []
    assert data_hashes(tmp_path / "run") == before


def test_another_text_is_another_input(tmp_path: Path) -> None:
    before = curate(STEPS, TEXTS, tmp_path / "run", executor=Inline()).stage("read").to_pandas(["doc_id"])
    run = curate(STEPS, [*TEXTS, "a fifth text"], tmp_path / "run", executor=Inline())
    assert [line.rows for line in run.funnel().stages] == [5, 5, 4]
    after = run.stage("read").to_pandas(["doc_id"])["doc_id"].tolist()
    assert after[:4] == before["doc_id"].tolist(), "a document keeps its id, by which takedowns know it"


def test_the_file_does_not_depend_on_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_input, "GROUP_ROWS", 7)
    monkeypatch.setattr(texts_input, "GROUP_BYTES", 60)
    texts = [str(number) * (number % 30) for number in range(100)]
    table = pa.table({"text": texts})
    whole = written(texts, tmp_path)
    for size in (1, 3, 100):
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))
        assert written(reader, tmp_path) == whole
    groups = pa.parquet.ParquetFile(pa.BufferReader(whole[1])).metadata
    rows = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
    assert (sum(rows), max(rows), rows[0]) == (100, 7, 7)
    assert rows[-1] <= 7


def test_what_stands_beside_a_text(tmp_path: Path) -> None:
    day = datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)
    documents = [
        {"text": "a b", "id": 7, "url": "http://a.example", "licence": "MIT", "declared_language": "en"},
        {"text": "c d", "crawled_at": day, "more": [1]},
    ]
    run = curate(STEPS, documents, tmp_path / "run", executor=Inline())
    columns = ["record_id", "url", "licence", "declared_language", "crawled_at"]
    first, second = run.stage("read").to_pandas(columns).to_dict("records")
    assert [first[name] for name in columns[:4]] == ["7", "http://a.example", "MIT", "en"]
    assert second["crawled_at"] == day
    seconds = pa.table({"text": ["a b"], "crawled_at": [1706933106]})
    run = curate(STEPS, seconds, tmp_path / "other", executor=Inline())
    assert run.stage("read").to_pandas(["crawled_at"])["crawled_at"][0] == day


def test_texts_in_place_of_what_a_recipe_reads(tmp_path: Path) -> None:
    recipe = {
        "version": 1,
        "name": "mine",
        "sources": {"notes": [{"read": {"jsonl": {"paths": ["none.jsonl"]}}, "name": "all"}, {"filter": QUALITY}]},
    }
    run = curate(recipe, TEXTS, tmp_path / "run", executor=Inline())
    assert [(line.name, line.rows) for line in run.funnel().stages] == [("all", 4), ("gopher_quality", 4)]
    assert run.stage("all").to_pandas(["source"])["source"].unique().tolist() == ["notes"]


def failing() -> Iterator[str]:
    yield "a text"
    raise OSError("the source of the texts failed")


@pytest.mark.parametrize(
    ("steps", "texts", "options", "error", "message"),
    [
        pytest.param(STEPS, [], {}, UserError, "there are no texts to curate", id="no texts"),
        pytest.param(STEPS, [3], {}, UserError, "a document is of type int", id="no text"),
        pytest.param(STEPS, "a.txt", {}, UserError, "is one path too many", id="a path"),
        pytest.param(STEPS, TEXTS, {"inputs": ["a"]}, UserError, "give texts or inputs, not both", id="inputs too"),
        pytest.param(["x"], TEXTS, {}, RecipeError, "step 1: 'x' is no step", id="no step"),
        pytest.param(
            [winnow.extract.Resiliparse()], TEXTS, {}, RecipeError, "texts in memory are no pages", id="pages"
        ),
        pytest.param(STEPS, failing(), {}, OSError, "the source of the texts failed", id="an error of the texts"),
        pytest.param(
            [winnow.filters.RefinedwebQuality()], TEXTS, {}, RecipeError, "reads column 'refinedweb_lines'", id="a plan"
        ),
    ],
)
def test_what_cannot_be_curated(
    tmp_path: Path, steps: Any, texts: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        curate(steps, texts, tmp_path / "run", executor=Inline(), **options)
    assert not list(tmp_path.glob("run/*.json"))
    assert not list(tmp_path.glob("run/_input/*"))


def test_what_is_sealed_stays_where_a_later_stage_fails(tmp_path: Path) -> None:
    wrong = winnow.filter(lambda text: "yes", name="wrong")  # type: ignore[arg-type, return-value]
    with pytest.raises(UserError, match="wrong answers 'yes' of a text; let it answer True or False"):
        curate([*STEPS, wrong], TEXTS, tmp_path / "run", executor=Inline())
    noting = Noting()
    right = winnow.filter(lambda text: True, name="right")
    curate([*STEPS, right], TEXTS, tmp_path / "run", executor=noting)
    assert len(noting.ran) == 1, "the stage of the filter"


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    stopped = [True]

    @winnow.filter
    def stopping(text: str) -> bool:
        if stopped[0]:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        curate([*STEPS, stopping], TEXTS, tmp_path / "run", executor=Inline())
    stopped[0] = False
    noting = Noting()
    run = curate([*STEPS, stopping], iter(TEXTS), tmp_path / "run", executor=noting)
    assert isinstance(run, Run)
    assert len(noting.ran) == 1
    assert not (tmp_path / "run" / "_input").exists()


def test_a_takedown_erases_what_a_killed_call_has_left(tmp_path: Path) -> None:
    run = curate(STEPS, TEXTS, tmp_path / "run", executor=Inline())
    left = tmp_path / "run" / "_input"
    left.mkdir()
    (left / "texts.parquet").write_bytes(b"three words here")
    document = run.stage("read").to_pandas(["doc_id"])["doc_id"][2]
    (tmp_path / "ids").write_text(f"{document}\n")
    winnow.takedown(run, doc_ids=tmp_path / "ids")
    assert not left.exists()
