"""What is looked for is found, by url or by id, in every source."""

from pathlib import Path

from curation.account.lineage.look_up import find
from curation.account.run import Run
from tests import takedowns as runs


def test_by_url_and_by_id(taken_run: Path) -> None:
    run = Run.open(taken_run)
    urls = tuple(f"http://{name}.example/{n}" for name in ("news-0", "news-1", "books-1") for n in range(8))
    rows, seen = find(run, "url", (*urls, "http://nowhere.example/"))
    assert seen == set(urls)
    assert {url for shard, own in rows.items() for url in shard.column("url", own).to_pylist()} == set(urls)
    ids = tuple(runs.doc_id_of(taken_run, url) for url in urls)
    again, known = find(run, "doc_id", (*ids, "0" * 32))
    assert known == set(ids)
    assert {shard: own.tolist() for shard, own in again.items()} == {shard: own.tolist() for shard, own in rows.items()}
    assert find(run, "doc_id", urls) == ({}, set())
    assert find(run, "url", ()) == ({}, set())


def test_by_the_hash_of_a_text(taken_run: Path) -> None:
    run = Run.open(taken_run)
    texts = {row["url"]: row["text_hash"] for name in ("news-read", "books-read") for row in runs.rows(taken_run, name)}
    rows, _ = find(run, "text_hash", [texts["http://news-0.example/1"]])
    found = {url for shard, own in rows.items() for url in shard.column("url", own).to_pylist()}
    assert found == {url for url, text in texts.items() if text == texts["http://news-0.example/1"]}
    assert len(found) == 3
