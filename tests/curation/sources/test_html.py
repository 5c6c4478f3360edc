"""Pages from folders and archives: their URLs, what is none, and their encodings."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core.input_files import list_files
from curation.core.protocols import ReadTally
from curation.engine.recipe.address import named
from curation.extract.resiliparse import Resiliparse
from curation.sources.html import Html
from tests.curation.sources.documents.test_pdf import zipped
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar

PAGE = b"<html><body><p>A page.</p></body></html>"


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"{number}.html": text.encode() for number, text in enumerate(texts)})


SAMPLE = Sample(archive, {"max_file_bytes": 2000})


def read(folder: Path, pattern: str = "", **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    made = Html(paths=(f"{folder}{pattern}",), **options)
    tally = ReadTally()
    (unit,) = made.split(named(list_files(made.paths[0])), group_bytes=1 << 20, split_bytes=1 << 20)
    return [row for batch in made.read(unit, "site", tally) for row in batch.to_pylist()], tally


def site(folder: Path) -> Path:
    for name, content in {
        "index.html": PAGE,
        "docs/a b.htm": PAGE.replace(b"A", b"Another"),
        "docs/page.php?id=2": b"\n<!DOCTYPE html><p>Two",
        "docs/c.html.gz": gzip.compress(PAGE.replace(b"A", b"Third")),
        "style.css": b"p { color: red }",
        "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("pattern", "options", "urls"),
    [
        pytest.param("", {}, ["docs/a b.htm", "docs/c.html.gz", "docs/page.php?id=2", "index.html"], id="a path"),
        pytest.param(
            "/",
            {"base_url": "https://example.org"},
            [
                "https://example.org/docs/a%20b.htm",
                "https://example.org/docs/c.html.gz",
                "https://example.org/docs/page.php?id=2",
                "https://example.org/index.html",
            ],
            id="behind a host",
        ),
        pytest.param("/docs/*.htm", {"base_url": "http://a/b/"}, ["http://a/b/a%20b.htm"], id="a glob's folder"),
        pytest.param("/**", {"base_url": "http://a/"}, None, id="a glob over folders"),
        pytest.param("/index.html", {"base_url": "http://a/b"}, ["http://a/b/index.html"], id="one file"),
    ],
)
def test_the_url_is_the_path(pattern: str, options: dict[str, Any], urls: list[str] | None, tmp_path: Path) -> None:
    rows, _ = read(site(tmp_path / "site"), pattern, **options)
    found = [row["url"] for row in rows]
    assert found == urls if urls is not None else found[-1] == "http://a/index.html"


def test_what_is_no_page_is_counted(tmp_path: Path) -> None:
    rows, tally = read(site(tmp_path), licence="CC0-1.0")
    assert {row["content_type"] for row in rows} == {"text/html"}
    assert {row["licence"] for row in rows} == {"CC0-1.0"}
    assert rows[1]["content"] == PAGE.replace(b"A", b"Third")
    assert (dict(tally.records), tally.faults) == ({"skipped.not_html": 2}, [])


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_pages_of_an_archive(pack: Any, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(pack({"a/one.html": PAGE, "two": PAGE, "x.js": b"f()"}))
    rows, tally = read(tmp_path, base_url="https://a.example/")
    assert [(row["url"], row["origin"].rpartition("#")[2]) for row in rows] == [
        ("https://a.example/a/one.html", "a/one.html"),
        ("https://a.example/two", "two"),
    ]
    assert tally.records == {"skipped.not_html": 1}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(b"<meta charset=windows-1251>" + "<p>Привет, мир и вода".encode("cp1251"), id="declared"),
        pytest.param("<p>Привет, мир и вода".encode(), id="UTF-8, undeclared"),
        pytest.param("<p>Привет, мир и вода".encode("utf-16"), id="byte order mark"),
    ],
)
def test_the_page_says_its_encoding(page: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(page)
    made = Html(paths=(str(tmp_path),))
    (unit,) = made.split(named(list_files(str(tmp_path))), group_bytes=1, split_bytes=1)
    (batch,) = made.read(unit, "site", ReadTally())
    assert "Привет, мир и вода" in Resiliparse().extract(batch, {}, lambda *_: None)["text"][0].as_py()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "example.org/docs"}, "base_url is 'example.org/docs'; give one such as https://example.org/docs"),
        ({"base_url": "https://example.org/?a=b"}, "base_url is"),
        ({"max_file_bytes": 0}, "max_file_bytes is 0; give 1 or more"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Html(paths=(), **options)
