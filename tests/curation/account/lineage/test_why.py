"""Every page of the crawl has exactly one fate, and `why` tells it as the stages' files do."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.run_lock import only_run
from tests.curation.account.corpus import made, rows
from tests.curation.account.unfinished import begun

TWO_SOURCES = """
version: 1
name: two
sources:
  web:
    - read: {jsonl: {paths: [%(lines)s], url: url}}
  books:
    - read: {jsonl: {paths: [%(lines)s]}}
joined:
  - rewrite: {unicode: {}}
"""


def fates(run: Path) -> dict[str, tuple[str, str | None]]:
    """url -> (last stage that has a row of it, the reason there), read from all parts the slow way."""
    found: dict[str, tuple[str, str | None]] = {}
    for stage in Run.open(run).stages:
        for shard in stage.shards if stage.verb.documents else ():
            table = pq.read_table(shard.uri, columns=["url", "drop_reason"])
            for url, reason in zip(table["url"].to_pylist(), table["drop_reason"].to_pylist(), strict=True):
                found[url] = (stage.name, reason)
    return found


def test_every_page_has_the_fate_that_the_files_say(finished_run: Path) -> None:
    expected = fates(finished_run / "run")
    assert len(expected) == 120
    for url, (stage, reason) in [*expected.items()][::3]:
        (story,) = Run.open(finished_run / "run").why(url=url)
        assert story.url == url
        assert story.reason == reason
        assert story.dropped_by == (stage if reason else None)
        assert story.decisions[-1].stage == stage
        assert [d.reason for d in story.decisions[:-1]] == [None] * (len(story.decisions) - 1)


def test_values_limits_and_tokens(finished_run: Path) -> None:
    run = finished_run / "run"
    url = next(url for url, (_, reason) in fates(run).items() if reason is None)
    (story,) = Run.open(run).why(url=url)
    assert [decision.stage for decision in story.decisions] == ["extract", "language", "gopher", "dedup", "tokenize"]
    gopher = story.decisions[2]
    assert gopher.values["gopher_quality"]["words"] >= 50
    assert {"rule": "gopher_quality.words", "at_least": 50, "at_most": 100_000} in gopher.limits
    assert story.tokens["count"] == story.decisions[-1].values["tokens"] > 0
    (file,) = run.glob(story.tokens["file"])
    lineage = pq.read_table(file.with_suffix(".parquet"))
    assert story.doc_id in lineage["doc_id"].to_pylist()


def test_a_copy_names_its_survivor(finished_run: Path) -> None:
    run = finished_run / "run"
    copies = [url for url, (_, reason) in fates(run).items() if reason == "dedup.exact:duplicate"]
    assert copies
    texts = {row["doc_id"]: row["text"] for row in rows(Run.open(run), "extract").to_pylist()}
    for url in copies:
        (story,) = Run.open(run).why(url=url)
        assert story.duplicate_of is not None
        (kept,) = Run.open(run).why(doc_id=story.duplicate_of["doc_id"])
        assert kept.url == story.duplicate_of["url"] != url
        assert texts[kept.doc_id] == texts[story.doc_id]


def test_a_page_that_is_not_there(finished_run: Path) -> None:
    with pytest.raises(InputError, match="no record with url"):
        Run.open(finished_run / "run").why(url="http://town.example/nowhere")
    with pytest.raises(InputError, match="give one of --url URL"):
        Run.open(finished_run / "run").why()


@pytest.mark.parametrize(
    ("sealed", "told"),
    [
        pytest.param(0, "so far; not known yet: news-read is running", id="nothing is read"),
        pytest.param(3, "in the sources read so far; not known yet: books-read is running", id="one of two sources"),
        pytest.param(4, "reached this run: it was not in the input", id="both sources"),
    ],
)
def test_a_page_that_is_not_read_yet(taken_run: Path, sealed: int, told: str) -> None:
    with only_run(str(begun(taken_run, sealed=sealed))), pytest.raises(InputError) as refused:
        Run.open(taken_run).why(url="http://nowhere.example/")
    assert str(refused.value).startswith(f"no record with url http://nowhere.example/ {told}")


def test_a_url_may_be_in_a_field_that_the_recipe_does_not_name(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"text": "some words", "url": "http://a.example/1"}\n')
    run = made(TWO_SOURCES % {"lines": lines}, tmp_path / "run")
    with pytest.raises(InputError, match="; documents of books have no URL, because `read` there names no"):
        run.why(url="http://nowhere.example/")
    with pytest.raises(
        InputError, match="documents of web, books have no id of their own, because `read` there names no"
    ):
        run.why(record_id="1")
    with pytest.raises(InputError) as refused:
        run.why(doc_id="0" * 32)
    assert "have no URL" not in str(refused.value)


def test_a_document_is_found_by_the_id_that_its_data_set_gives_it(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        '{"text": "some words", "key": "a-1"}\n{"text": "more", "key": 7}\n{"text": "again", "key": "a-1"}\n'
    )
    recipe = f"version: 1\nname: r\nsources:\n  books:\n    - read: {{jsonl: {{paths: ['{lines}'], id: key}}}}\n"
    run = made(recipe, tmp_path / "run")
    assert [story.head["origin_offset"] for story in run.why(record_id="a-1")] == [0, 64]
    (story,) = run.why(record_id="7")
    assert (story.head["record_id"], story.doc_id) == ("7", run.why(doc_id=story.doc_id)[0].doc_id)
    with pytest.raises(InputError, match="no record with record_id 8 reached this run"):
        run.why(record_id="8")
    with pytest.raises(InputError, match="give one of --url URL, --doc-id ID and --id ID"):
        run.why()
