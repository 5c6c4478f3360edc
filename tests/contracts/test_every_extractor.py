"""What every extractor signs by existing: a file in `curation/extract/` with one is tested here unasked."""

import dataclasses
import pickle
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core import catalog
from curation.core.component import struct_type
from curation.core.document import DOCUMENT, MAX_DOCUMENT_BYTES
from curation.core.protocols import Extractor
from curation.core.verbs import EXTRACT
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.articles import ARTICLE, GREEK, NESTED, SCRIPT_ONLY, SCRIPTED, STORY, THREAD
from tests.curation.extract.raw_pages import never, raw_pages
from tests.curation.extract.student.small_model import small_model
from tests.curation.pdf_files import column, pdf, shown
from tests.drop_reasons import parse

# Options that an extractor cannot do without, by key.
OPTIONS: dict[str, dict[str, Any]] = {
    "cascade": {
        "first": {"resiliparse": Resiliparse()},
        "judge": {},
        "then": {"resiliparse": Resiliparse(comments=True)},
    },
}
PAGE = ARTICLE.encode()
PDF = pdf(shown(*column(72, 700, STORY)), shown((72, 700, "The end.")))
PAGES = {"html": (PAGE, THREAD.encode(), "en"), "pdf": (PDF, PDF, None)}  # by media: two, and their language
HOSTILE = {
    "null": None,
    "empty": b"",
    "blank": b" \n\t ",
    "NULs": b"\0" * 1000,
    "NULs in words": b"<p>" + b"so \0 it is.\0 " * 50,
    "no markup": b"word " * 200,
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
    "UTF-16": PAGE.decode().encode("utf-16"),
    "invalid UTF-8": PAGE.replace(b"harbour", b"h\xff\xfe\xc3rbour"),
    "lone surrogates": PAGE.replace(b"harbour", b"h&#xD800;&#0;rbour"),
    "noncharacters": PAGE.replace(b"harbour", "h\ufdd0\uffff\U0010fffe".encode()),
    "nested": b"<div>" * 2_000 + PAGE,
    "nested tables": b"<table><tr><td>" * 200 + PAGE,
    "attributes": b"<p " + b"a=1 " * 10_000 + b">" + PAGE,
    "one long tag": b"<p title='" + b"x" * 1_000_000 + PAGE,
    "unclosed": b"<html><body><script>" + PAGE,
    "open formatting": b"<font><b><i>" * 500 + PAGE,
    "a comment without an end": b"<!--" + PAGE,
    "frames": b"<html><frameset><frame src=a><frame src=b></frameset></html>",
    "scripts": SCRIPT_ONLY.encode(),
}


def installed(key: str) -> bool:
    try:
        return all(version(name) for name in catalog.find(EXTRACT, key).libraries)
    except PackageNotFoundError:
        return False


def param(key: str) -> Any:
    missing = pytest.mark.skipif(not installed(key), reason=f"a library of {key} is not installed")
    return pytest.param(key, marks=missing)


EACH = catalog.known(EXTRACT)
KEYS = [param(key) for key in EACH]  # with what they need to parse
OF_PAGES = [param(key) for key in EACH if catalog.find(EXTRACT, key).media == "html"]  # others are told in their tests


def make(key: str) -> Extractor:
    """The extractor with its default settings."""
    options = {"model": small_model()} if key == "learnt" else OPTIONS.get(key, {})
    made = catalog.find(EXTRACT, key)(**options)
    assert isinstance(made, Extractor)
    return made


def extracted(key: str, *pages: bytes | None, **columns: list[object]) -> list[dict[str, Any]]:
    found = make(key).extract(raw_pages(*pages, **columns), {}, never)
    found.validate(full=True)
    assert found.schema == make(key).schema()
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


@pytest.mark.parametrize("key", EACH)
def test_it_is_declared(key: str) -> None:
    made = make(key)
    assert made.verb is EXTRACT
    assert made.version >= 1
    assert made.schema() == DOCUMENT.append(pa.field("extract", struct_type(made.signal_types())))
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize("key", EACH)
def test_no_pages_need_no_library(key: str) -> None:
    assert extracted(key) == []


@pytest.mark.parametrize("key", KEYS)
def test_rows_stay_in_order_with_what_their_records_state(key: str) -> None:
    stated: dict[str, list[object]] = {
        "url": ["https://b.example/", "https://a.example/", None],
        "licence": ["MIT", None, "ISC"],
        "declared_language": ["nl", None, "fi"],
        "origin_offset": [7, 3, 5],
    }
    first, second, language = PAGES[make(key).media]
    rows = extracted(key, first, second, None, **stated)
    languages = ["nl", language, "fi"]
    assert {name: [row[name] for row in rows] for name in stated} == {**stated, "declared_language": languages}
    assert all(sentence in rows[0]["text"] for sentence in STORY)
    assert (
        [row["drop_reason"] is None for row in rows] == [row["text"] is not None for row in rows] == [True, True, False]
    )


@pytest.mark.parametrize("key", KEYS)
def test_hostile_pages_have_a_text_or_a_reason_alike_alone_and_among_others(key: str) -> None:
    together = extracted(key, *HOSTILE.values())
    for (name, page), row in zip(HOSTILE.items(), together, strict=True):
        assert (row["text"] is None) == (row["drop_reason"] is not None), name
        assert row["drop_reason"] is None or parse(row["drop_reason"]).kind == "extract", name
        text = row["text"] or ""
        assert "\0" not in text, name
        assert text == text.strip(), name
        assert len(text.encode()) <= MAX_DOCUMENT_BYTES, name
        (alone,) = extracted(key, page)
        assert {**alone, "doc_id": row["doc_id"]} == row, name
    reasons = {name: row["drop_reason"] for name, row in zip(HOSTILE, together, strict=True)}
    assert [reasons[name] for name in ("null", "empty")] == ["extract:empty"] * 2
    if make(key).media == "html":
        assert [reasons[name] for name in ("blank", "NULs", "scripts")] == ["extract:empty"] * 3


@pytest.mark.parametrize("page", [ARTICLE, SCRIPTED, NESTED], ids=["article", "script-heavy", "nested"])
@pytest.mark.parametrize("key", OF_PAGES)
def test_the_main_content_is_found(key: str, page: str) -> None:
    (row,) = extracted(key, page.encode())
    assert all(sentence in row["text"] for sentence in STORY)
    assert not any(word in row["text"] for word in ("news", "Cookie", "advert"))


@pytest.mark.parametrize("key", OF_PAGES)
def test_a_legacy_charset_is_read_whatever_the_page_declares(key: str) -> None:
    pages = [GREEK.encode(), GREEK.replace("utf-8", "iso-8859-7").encode("iso-8859-7"), GREEK.encode("iso-8859-7")]
    stated = '<?xml version="1.0" encoding="iso-8859-7"?>' + GREEK
    assert len({row["text"] for row in extracted(key, *pages, stated.encode())}) == 1


@pytest.mark.parametrize("key", KEYS)
def test_a_page_gives_the_same_text_each_time(key: str) -> None:
    assert len({row["text"] for row in extracted(key, *[PAGES[make(key).media][0]] * 5)}) == 1


@pytest.mark.parametrize("key", KEYS)
def test_what_was_dropped_before_stays_dropped_and_is_not_parsed(key: str) -> None:
    content, *_ = PAGES[make(key).media]
    before, page = extracted(key, content, content, drop_reason=["extract:too_many_bytes", None])
    assert (before["text"], before["extract"], before["drop_reason"]) == (None, None, "extract:too_many_bytes")
    assert page["text"]


@pytest.mark.parametrize("key", KEYS)
def test_what_was_caught_is_dropped_again_untried(key: str) -> None:
    content, *_ = PAGES[make(key).media]
    pages = raw_pages(content, content)
    caught = {pages.column("doc_id")[0].as_py(): "timeout"}
    found = make(key).extract(pages, caught, never)
    assert found.column("drop_reason").to_pylist() == ["extract:timeout", None]
    assert found.column("text")[0].as_py() is None


@pytest.mark.parametrize("key", EACH)
def test_its_limits_are_counted_before_a_page_is_parsed(key: str) -> None:
    limits = [option.name for option in dataclasses.fields(make(key)) if option.name.startswith("max_")]
    for name in limits:
        limited = dataclasses.replace(make(key), **{name: 1})
        content = b"<div><div a b>text</div></div>" if limited.media == "html" else PDF
        reason = limited.extract(raw_pages(content), {}, never).column("drop_reason")[0].as_py()
        assert reason.startswith("extract:too_"), name


@pytest.mark.parametrize("key", EACH)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "extract" / f"test_{key}.py").is_file()
