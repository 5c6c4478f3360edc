"""The archives that both sides read hold every page as often as asked for, under URLs of their own."""

from pathlib import Path

from benchmarks.pipeline.pages import pages_of, write_archives
from curation.core.input_files import list_files
from curation.core.protocols import ReadTally
from curation.sources.warc import Warc

DATE = "2024-01-01T00:00:00Z"
PAGES = [
    (f"https://example.org/{name}", DATE, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + name.encode())
    for name in ("a", "b?c=d", "e")
]


def test_pages_are_repeated_under_distinct_urls(tmp_path: Path) -> None:
    written = write_archives(tmp_path / "some", PAGES, 5, 2)
    source = Warc(paths=(str(written.folder),))
    files = list_files(str(written.folder))
    (unit,) = source.split(files, group_bytes=1 << 30, split_bytes=1 << 30)
    rows = [row for batch in source.read(unit, "test", ReadTally()) for row in batch.to_pylist()]
    assert [row["url"].removeprefix("https://example.org/") for row in rows] == [
        *("a?copy=0", "e?copy=0", "b?c=d&copy=1"),
        *("b?c=d&copy=0", "a?copy=1"),
    ]
    assert [row["content"] for row in rows] == [b"<p>a", b"<p>e", b"<p>b?c=d", b"<p>b?c=d", b"<p>a"]
    assert len({row["doc_id"] for row in rows}) == 5
    assert (written.pages, round(written.megabytes * 1e6)) == (5, sum(len(PAGES[i][2]) for i in (0, 1, 2, 0, 1)))


def test_pages_of_what_was_written(tmp_path: Path) -> None:
    written = write_archives(tmp_path / "some", PAGES, 3, 1)
    assert [block for _, _, block in pages_of([str(written.folder)])] == [block for _, _, block in PAGES]
