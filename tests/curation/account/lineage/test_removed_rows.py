"""The documents of a run that other runs and lists have taken down, and what `why` says of them."""

from pathlib import Path

import pyarrow as pa

from curation.account.lineage.copies import values_of
from curation.account.lineage.removed_rows import dropped_rows, named_rows, removed_by, with_text
from curation.account.lineage.taken_down import TakenDown, taken_down
from curation.account.run import Run
from curation.core.manifest import FORMAT, RunRecord
from curation.core.removals import KnownTakedown
from curation.dedup.page_names import page_names
from tests import takedowns as runs
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run

DAY = "2026-11-01T00:00:00+00:00"


def page(url: str) -> str:
    return str(page_names(pa.array([url]))[0].as_py())


def test_rows_by_each_name(taken_run: Path) -> None:
    run = Run.open_with_earlier(taken_run)
    rows = {row["url"]: row for name in ("news-read", "books-read") for row in runs.rows(taken_run, name)}
    first, second, third = "http://news-0.example/0", "http://news-0.example/2", "http://books-0.example/2"
    named = [
        KnownTakedown("/a", DAY, (rows[first]["doc_id"],)),
        KnownTakedown("/b", DAY, texts=(rows[second]["text_hash"],)),
        KnownTakedown("/list", "", urls=(page(third.replace("http://", "https://www.")),)),
    ]
    found = named_rows(run, named)
    assert sorted(values_of(found, "url")) == sorted([first, second, third])
    assert removed_by(found, named) == ["/a", "/b", "/list"]
    assert removed_by(named_rows(run, named[1:2]), named) == ["/b"]
    assert named_rows(run, [KnownTakedown("/a", DAY, ("0" * 32,), ("1" * 32,), ("2" * 32,))]) == {}
    assert values_of(with_text(found), "url") == values_of(found, "url")
    assert dropped_rows(run) == {}


def test_where_it_was_taken_down() -> None:
    url = "https://example.org/lemons"
    known = (KnownTakedown("/m1", DAY, ("a",), ("t",)), KnownTakedown("/list.txt", "", urls=(page(url),)))
    entries = (
        {"when": "2026-12-01", "tombstones": 1, "texts": 0, "finished": True},
        {"when": "2026-12-02", "tombstones": 2, "texts": 0, "finished": True, "of": ["/m1"]},
        {"when": "2026-12-03", "tombstones": 1, "texts": 1, "finished": True, "of": ["/list.txt"]},
    )
    recipe: dict[str, object] = {"sources": {}, "joined": []}
    run = RunRecord(FORMAT, "r", recipe, (), True, ("own", "a", "near", "x"), ("copy",), entries, removals=known)

    def words(doc_id: str, text: str | None = None, url: str | None = None, reason: str | None = None) -> str | None:
        found = taken_down(run, doc_id, text, url, reason)
        return None if found is None else found.words

    assert words("own") == "taken down on 2026-12-01"
    assert words("a") == words("other", "t") == f"taken down in /m1 on {DAY}"
    assert words("near") == "taken down in /m1 on 2026-12-02"
    assert words("other", None, "http://www.example.org/lemons/") == "taken down by the list /list.txt"
    assert words("other", "copy") == "taken down by the list /list.txt on 2026-12-03"
    assert words("other", None, None, "takedown") == f"taken down in /m1, /list.txt on {DAY}"
    assert words("other", "u", "https://example.org/", "dedup.exact:duplicate") is None
    assert TakenDown(DAY).words == f"taken down on {DAY}"
