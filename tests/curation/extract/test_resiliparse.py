"""Resiliparse on hand-written pages, its options, and its quality on real ones."""

import pytest

from curation.core.protocols import Extractor
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.articles import ARTICLE, GREEK, NESTED, SCRIPT_ONLY, SCRIPTED, STORY
from tests.curation.extract.raw_pages import never, raw_pages, records, rows, token_f1
from tests.support import needs_shared_data


def texts(config: Resiliparse, *pages: str | bytes) -> list[str | None]:
    contents = [page.encode() if isinstance(page, str) else page for page in pages]
    found: list[str | None] = config.extract(raw_pages(*contents), {}, never).column("text").to_pylist()
    return found


def test_is_an_extractor() -> None:
    assert isinstance(Resiliparse(), Extractor)


@pytest.mark.parametrize("page", [ARTICLE, SCRIPTED, NESTED], ids=["article", "script-heavy", "nested"])
def test_main_content(page: str) -> None:
    (text,) = texts(Resiliparse(), page)
    assert text is not None
    assert all(sentence in text for sentence in STORY)
    assert not any(word in text for word in ("news", "Cookie", "advert"))


def test_legacy_charset() -> None:
    expected = texts(Resiliparse(), GREEK)
    assert texts(Resiliparse(), GREEK.replace("utf-8", "iso-8859-7").encode("iso-8859-7")) == expected
    assert texts(Resiliparse(), GREEK.encode("iso-8859-7")) == expected


def test_options() -> None:
    page = '<body><p>See <a href="/x">this</a> <img alt="a gull"> picture of the bay</p><ul><li>one</li></ul></body>'
    whole = {"main_content": False}
    assert texts(Resiliparse(**whole), page) == ["See this picture of the bay\n\n- one"]
    assert texts(Resiliparse(**whole, list_bullets=False), page) == ["See this picture of the bay\n\none"]
    (text,) = texts(Resiliparse(**whole, links=True, alt_texts=True), page)
    assert text is not None
    assert "/x" in text
    assert "a gull" in text


def test_a_page_without_text_is_empty() -> None:
    found = Resiliparse().extract(raw_pages(SCRIPT_ONLY.encode()), {}, never)
    assert found.column("drop_reason").to_pylist() == ["extract:empty"]
    assert found.column("extract")[0].as_py()["title"] == "App"


def test_surrogates_and_nul_do_not_reach_the_text() -> None:
    assert texts(Resiliparse(main_content=False), "<p>a&#xD800;b&#0;c\0d</p>") == ["a\ufffdb\ufffdcd"]


@needs_shared_data
@pytest.mark.parametrize(("dataset", "baseline"), [("chinese-wce", 0.8938), ("fundus", 0.9009), ("zyte-aeb", 0.9122)])
def test_quality_on_real_pages(dataset: str, baseline: float) -> None:
    assert mean_f1(Resiliparse(), dataset) >= baseline - 0.01


def mean_f1(config: Resiliparse, dataset: str) -> float:
    truth = [row for row in rows("truth.jsonl.gz") if row["dataset"] == dataset and row["truth_kind"] == "full_text"]
    pages = records("pages-*.warc.gz")
    found = texts(config, *(pages[row["record_id"]][0] for row in truth))
    return sum(token_f1(text or "", row["text"]) for text, row in zip(found, truth, strict=True)) / len(truth)
