"""From raw pages to documents: limits at their value and one past it, what is kept, what is replayed."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.extract import pages
from curation.extract.pages import PageParser
from tests.curation.extract.raw_pages import never, raw_pages

PAGE = b"<html><body><p>some text</p></body></html>"


@dataclass(frozen=True, kw_only=True)
class Shout(PageParser):
    """PageParser and the one option of the parser in `hostile.py`."""

    word: str = "text"
    timeout_seconds: float = 1.5
    memory_mb: int = 512

    parser: ClassVar[str] = "tests.curation.extract.hostile:build"


def extract(pages: pa.RecordBatch, config: Shout | None = None) -> pa.RecordBatch:
    return (config or Shout()).extract(pages, {}, never)


def reason(page: bytes | None, **limits: int) -> str | None:
    found: str | None = extract(raw_pages(page), Shout(**limits)).column("drop_reason")[0].as_py()
    return found


def test_signals() -> None:
    page = "<html lang=fr><head><title>Été</title></head><body><p id=a>é</p></body></html>".encode("latin-1")
    found = extract(raw_pages(page, content_type=["text/html; charset=iso-8859-1"]))
    assert found.column("extract")[0].as_py() == {
        "html_bytes": len(page),
        "charset": "cp1252",
        "charset_source": "header",
        "replaced": 0,
        "nodes": 4 + 1,
        "depth": 3,
        "attributes": 1,
        "fields": 0,
        "labels": 0,
        "links": 0,
        "formulas": 0,
        "title": "Été",
        "preferences": None,
        "parser": "build",
    }
    assert found.column("declared_language")[0].as_py() == "fr"


def test_characters_that_cannot_be_decoded_are_counted() -> None:
    page = '<meta charset="utf-8"><p>Été \ufffd'.encode() + b"<p>a\xffb\xfe"
    signals = extract(raw_pages(page)).column("extract")[0].as_py()
    assert (signals["charset"], signals["replaced"]) == ("utf-8", 2)


def test_statements_of_header_and_metadata_are_kept_together() -> None:
    page = b"<html><head><meta name=robots content=noai></head><body><p>a</body></html>"
    found = extract(
        raw_pages(page, page, b"<p>a", None, preferences=["tdm-reservation: 1", None, "x-robots-tag: a", "b"])
    )
    assert [row["preferences"] for row in found.column("extract").to_pylist()] == [
        *("tdm-reservation: 1\nmeta robots: noai", "meta robots: noai", "x-robots-tag: a", "b")
    ]


@pytest.mark.parametrize(
    ("limit", "at", "past"),
    [
        pytest.param({"max_bytes": 10}, b"<p>345678</", b"<p>3456789<", id="bytes"),
        pytest.param({"max_nodes": 3}, b"<p>a</p><br>", b"<p>a</p><br><br>", id="nodes"),
        pytest.param({"max_depth": 4}, b"<div><div>a", b"<div><div><i>a", id="depth"),
        pytest.param({"max_attributes": 2}, b"<p a b>a", b"<p a b c>a", id="attributes"),
    ],
)
def test_limit(limit: dict[str, int], at: bytes, past: bytes) -> None:
    cause = {"max_depth": "too_deep"}.get(next(iter(limit)), f"too_many_{next(iter(limit)).removeprefix('max_')}")
    if "max_bytes" in limit:
        at = at[:10]
        past = past[:11]
    assert reason(at, **limit) is None
    assert reason(past, **limit) == f"extract:{cause}"


@pytest.mark.parametrize("page", [None, b"", b" \n ", b"\0\0"])
def test_nothing_is_empty(page: bytes | None) -> None:
    assert reason(page) == "extract:empty"


def test_text_longer_than_a_document_may_be_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(extract(raw_pages(b"<p>text</p>")).column("text")[0].as_py())
    monkeypatch.setattr(pages, "MAX_DOCUMENT_BYTES", size)
    assert reason(b"<p>text</p>") is None
    monkeypatch.setattr(pages, "MAX_DOCUMENT_BYTES", size - 1)
    assert reason(b"<p>text</p>") == "extract:too_many_bytes"


def test_an_error_of_the_library_drops_the_page() -> None:
    assert reason(b"do raise this") == "extract:parser_error"


def test_what_was_caught_is_dropped_untried_the_next_time() -> None:
    pages = raw_pages(PAGE, b"do hang now", PAGE)
    caught: dict[str, str] = {}
    first = Shout().extract(pages, {}, caught.__setitem__)
    assert caught == {pages.column("doc_id")[1].as_py(): "timeout"}
    assert first.column("drop_reason").to_pylist() == [None, "extract:timeout", None]
    assert Shout().extract(pages, caught, never).equals(first)


def test_stated_language_and_licence_win_over_declared_ones() -> None:
    page = b'<html lang=de><link rel=license href="https://creativecommons.org/licenses/by/4.0/"><p>a</p></html>'
    pages = raw_pages(page, page, declared_language=["nl", None], licence=["MIT", None])
    found = extract(pages)
    assert found.column("declared_language").to_pylist() == ["nl", "de"]
    assert found.column("licence").to_pylist() == ["MIT", "CC-BY-4.0"]


@pytest.mark.parametrize(
    "name", ["max_bytes", "max_nodes", "max_depth", "max_attributes", "timeout_seconds", "memory_mb"]
)
def test_zero_is_refused(name: str) -> None:
    with pytest.raises(RecipeError, match=f"{name} is 0"):
        PageParser(**{name: 0})


def test_least_memory() -> None:
    assert PageParser(memory_mb=256).memory_mb == 256
    with pytest.raises(RecipeError, match="memory_mb is 255"):
        PageParser(memory_mb=255)
