"""Rows are followed down to every stage and back up, also where sources join and through stages of earlier recipes."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.account.card.contents import contents
from curation.account.run import Run
from curation.account.sealed.walk import follow, last_stages, later_stages, merged, origin, spread
from tests import takedowns as runs
from tests.curation.account.corpus import made
from tests.curation.engine.inputs import SHARED_DOCUMENTS, write_sources

# Of `taken_run`: news-0 has 8 documents, of which the last but two (5) is a copy of document 1, as is 2 in news-1.


@pytest.fixture
def joined(tmp_path: Path) -> Run:
    """News in two shards with a filter, books in one; joined by dedup."""
    return made(write_sources(tmp_path), tmp_path / "run")


def test_the_stages_after_another(joined: Run) -> None:
    def names(stage: str) -> list[str]:
        return [later.name for later in later_stages(joined, joined.stage(stage))]

    assert names("news-read") == ["news-gopher_quality", "dedup", "tokenize"]
    assert names("books-read") == ["dedup", "tokenize"]
    assert names("tokenize") == []


@pytest.mark.parametrize(("source", "number"), [("news-read", 1), ("books-read", 0)])
def test_followed_rows_keep_their_document(joined: Run, source: str, number: int) -> None:
    first = joined.stage(source).shards[number]
    kept = first.kept()
    rows = np.flatnonzero(kept)[1:]
    urls = pq.read_table(first.uri)["url"].to_pylist()
    steps = list(follow(joined, first, rows, kept))
    assert [step.shard.stage for step in steps] == later_stages(joined, first.stage)
    for step in steps:
        table = pq.read_table(step.shard.uri)
        there = table["url"].to_pylist()
        assert [there[row] for row in step.rows] == [urls[rows[which]] for which in step.which]
        assert step.kept.tolist() == [table["drop_reason"][int(row)].as_py() is None for row in step.rows]
    dropped = sum(int((~step.kept).sum()) for step in steps)
    assert dropped == (1 if source == "news-read" else SHARED_DOCUMENTS - 1)


def test_a_row_that_is_not_kept_goes_no_further(taken_run: Path) -> None:
    run = Run.open(taken_run)
    shard = run.stage("news-gopher_quality").shards[1]
    (short,) = np.flatnonzero(~shard.kept())
    assert list(follow(run, shard, np.array([short]), shard.kept())) == []
    (step, *_) = follow(run, shard, np.array([0, short]), shard.kept())
    assert (step.which.tolist(), step.rows.tolist()) == ([0], [0])


def test_down_to_every_stage(taken_run: Path) -> None:
    run = Run.open(taken_run)
    at = {name: run.stage(name).shards[0] for name in ("news-read", "news-dedup", "near", "spans", "tokenize")}
    rows = spread(run, {at["news-read"]: np.array([1, 5, 6])})
    assert rows[at["news-dedup"]].tolist() == [1, 5, 6]
    assert rows[at["near"]].tolist() == [1, 5], "document 5 was dropped, so document 6 is the fifth that arrives"
    assert rows[at["spans"]].tolist() == [1, 5]
    pack = {shard.number: own.tolist() for shard, own in rows.items() if shard.stage.verb.packs}
    assert rows[at["tokenize"]].tolist() == pack[0] == [1, 5]
    assert any(shard.stage.verb.learns for shard in rows)
    books = spread(run, {run.stage("books-read").shards[0]: np.array([3])})
    assert books[run.stage("near").shards[2]].tolist() == [3], "the shards of books follow those of news"
    assert run.stage("spans").shards[2] not in books, "it was dropped as a near copy"


@pytest.mark.parametrize("url", ["http://news-0.example/6", "http://books-0.example/5", "http://news-1.example/3"])
def test_back_up_to_where_it_was_read(taken_run: Path, url: str) -> None:
    run = Run.open(taken_run)
    urls = {shard: shard.read(["url"])["url"].to_pylist() for shard in run.stage("spans").shards}
    ((shard, row),) = ((shard, own.index(url)) for shard, own in urls.items() if url in own)
    ((first, rows),) = origin(run, shard, np.array([row])).items()
    assert first.stage.verb.begins
    assert first.column("url", rows).to_pylist() == [url]
    assert f"http://{first.stage.entry.chain}-{first.number}.example/{rows[0]}" == url


def test_stages_of_an_earlier_recipe(taken_run: Path, sources: Path) -> None:
    runs.curate(sources, taken_run, words=21)
    run = Run.open_with_earlier(taken_run)
    near = [stage for stage in run.stages if stage.name == "near"]
    assert sorted(stage.current for stage in near) == [False, True]
    rows = spread(run, {run.stage("news-read").shards[0]: np.array([1])})
    assert [rows[stage.shards[0]].tolist() for stage in near] == [[1], [1]]


def test_a_way_back_that_is_broken(taken_run: Path) -> None:
    shutil.rmtree(runs.stage_folder(taken_run, "news-gopher_quality"))
    run = Run.open_with_earlier(taken_run)
    assert origin(run, run.stage("news-dedup").shards[0], np.array([0])) == {}


def test_rows_of_several_finds(taken_run: Path) -> None:
    a, b = Run.open(taken_run).stage("news-read").shards[:2]
    found = merged({a: np.array([1, 3])}, {a: np.array([3, 2]), b: np.array([4])})
    assert {shard: rows.tolist() for shard, rows in found.items()} == {a: [1, 2, 3], b: [4]}
    assert merged() == {}


def test_the_last_stages_of_documents(carded: str, untokenized: str) -> None:
    assert [stage.name for stage in last_stages(Run.open(carded).stages)] == ["tokenize"]
    apart = [stage for stage in Run.open(untokenized).stages if stage.entry.chain != "joined"]
    assert [stage.name for stage in last_stages(apart)] == ["web-unicode", "books-read"]
    kept = contents(apart, ())
    assert (kept.stages, kept.total.documents) == (("web-unicode", "books-read"), 8)
