"""Etrafilatura on hand-written pages, its options, and its quality on real ones; where its library is installed."""

import importlib.util

import pytest

from curation.core.protocols import Extractor
from curation.extract.etrafilatura import Etrafilatura
from tests.curation.extract.articles import ARTICLE, BOILERPLATE, GREEK, NESTED, SCRIPT_ONLY, SCRIPTED, STORY
from tests.curation.extract.raw_pages import never, raw_pages, records, rows, token_f1
from tests.support import needs_shared_data

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("etrafilatura") is None,
    reason="etrafilatura is not installed; `make test-wheel` runs this where Python 3.12 is",
)


def texts(config: Etrafilatura, *pages: str | bytes) -> list[str | None]:
    contents = [page.encode() if isinstance(page, str) else page for page in pages]
    found: list[str | None] = config.extract(raw_pages(*contents), {}, never).column("text").to_pylist()
    return found


def test_is_an_extractor_with_or_without_its_library() -> None:
    assert isinstance(Etrafilatura(), Extractor)
    assert "etrafilatura" in Etrafilatura.libraries


def test_no_pages_need_no_library() -> None:
    assert Etrafilatura().extract(raw_pages(), {}, never).num_rows == 0


@needs_library
@pytest.mark.parametrize("page", [ARTICLE, SCRIPTED, NESTED], ids=["article", "script-heavy", "nested"])
def test_main_content(page: str) -> None:
    (text,) = texts(Etrafilatura(), page)
    assert text is not None
    assert all(sentence in text for sentence in STORY)
    assert not any(word in text for word in ("news", "Cookie", "advert"))


@needs_library
def test_legacy_charset_whatever_the_page_still_declares() -> None:
    expected = texts(Etrafilatura(), GREEK)
    assert texts(Etrafilatura(), GREEK.replace("utf-8", "iso-8859-7").encode("iso-8859-7")) == expected
    assert texts(Etrafilatura(), '<?xml version="1.0" encoding="iso-8859-7"?>' + GREEK) == expected


@needs_library
def test_options() -> None:
    table = ARTICLE.replace("</article>", "<table><tr><td>low tide</td><td>six</td></tr></table></article>")
    assert ["low tide" in (texts(Etrafilatura(tables=one), table)[0] or "") for one in (True, False)] == [True, False]
    linked = ARTICLE.replace("</article>", '<p>More about <a href="https://bay.example/x">the bay</a>.</p></article>')
    assert [
        "](https://bay.example/x)" in (texts(Etrafilatura(links=one), linked)[0] or "") for one in (True, False)
    ] == [True, False]
    assert ["# Fog" in (texts(Etrafilatura(formatting=one), ARTICLE)[0] or "") for one in (True, False)] == [
        True,
        False,
    ]


@needs_library
@pytest.mark.parametrize("focus", ["balanced", "precision", "recall"])
@pytest.mark.parametrize("fast", [False, True])
def test_every_focus_keeps_the_story(focus: str, fast: bool) -> None:
    (text,) = texts(Etrafilatura(focus=focus, fast=fast), ARTICLE)
    assert text is not None
    assert STORY[1] in text


@needs_library
def test_a_repeated_page_gives_the_same_text_each_time() -> None:
    assert len(set(texts(Etrafilatura(), *[ARTICLE] * 5))) == 1


@needs_library
def test_pages_without_text_are_empty() -> None:
    found = Etrafilatura(focus="precision").extract(raw_pages(SCRIPT_ONLY.encode(), BOILERPLATE.encode()), {}, never)
    assert found.column("drop_reason").to_pylist() == ["extract:empty"] * 2
    assert found.column("extract")[1].as_py()["title"] == "Shop"


@needs_library
@needs_shared_data
@pytest.mark.parametrize(("dataset", "baseline"), [("chinese-wce", 0.9056), ("fundus", 0.9376)])
def test_quality_on_real_pages(dataset: str, baseline: float) -> None:
    truth = [row for row in rows("truth.jsonl.gz") if row["dataset"] == dataset and row["truth_kind"] == "full_text"]
    pages = records("pages-*.warc.gz")
    found = texts(Etrafilatura(), *(pages[row["record_id"]][0] for row in truth))
    scores = [token_f1(text or "", row["text"]) for text, row in zip(found, truth, strict=True)]
    assert sum(scores) / len(scores) >= baseline - 0.01
