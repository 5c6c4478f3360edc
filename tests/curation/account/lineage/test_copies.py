"""Copies are found from any of them, over stages and sources."""

import shutil
from pathlib import Path

import pytest

from curation.account.lineage.copies import with_copies
from curation.account.lineage.look_up import find
from curation.account.run import Run
from tests import takedowns as runs
from tests.curation.engine.dedup import runs as dedup_runs
from tests.takedowns import CLUSTER


def copies_of(run: Path, *urls: str) -> set[str]:
    opened = Run.open_with_earlier(run)
    found = with_copies(opened, find(opened, "url", urls)[0])
    return {url for shard, rows in found.rows.items() for url in shard.column("url", rows).to_pylist()}


@pytest.mark.parametrize("url", CLUSTER)
def test_from_each_of_them(taken_run: Path, url: str) -> None:
    assert copies_of(taken_run, url) == set(CLUSTER)


def test_a_document_without_copies(taken_run: Path) -> None:
    assert copies_of(taken_run, "http://news-0.example/2") == {"http://news-0.example/2"}
    assert copies_of(taken_run, "http://news-1.example/7") == {"http://news-1.example/7"}, "dropped before any dedup"


def test_two_clusters_at_once(taken_run: Path) -> None:
    books = {"http://books-0.example/0", "http://books-0.example/4"}
    assert copies_of(taken_run, CLUSTER[2], "http://books-0.example/4") == {*CLUSTER, *books}


def test_copies_in_an_earlier_run(tmp_path: Path) -> None:
    dedup_runs.write_shards(tmp_path / "old", [["one", "two"]])
    dedup_runs.write_shards(tmp_path / "new", [["three", "two", "two"]])
    dedup_runs.curate(dedup_runs.recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    text = dedup_runs.recipe(tmp_path / "new", "exact: {}", options=f"against: [{tmp_path}/first]")
    dedup_runs.curate(text, tmp_path / "second")
    opened = Run.open_with_earlier(tmp_path / "second")
    found = with_copies(opened, find(opened, "url", ("http://web-0.example/1",))[0])
    assert [rows.tolist() for rows in found.rows.values()] == [[1, 2]]
    kept = dedup_runs.rows(tmp_path / "first")[0][1]
    assert found.elsewhere == [{"run": str(tmp_path / "first"), "doc_id": kept["doc_id"]}]
    shutil.rmtree(tmp_path / "first")
    found = with_copies(opened, find(opened, "url", ("http://web-0.example/2",))[0])
    assert found.elsewhere == [{"run": str(tmp_path / "first"), "doc_id": None}]
    assert runs.hashes(tmp_path / "second")
