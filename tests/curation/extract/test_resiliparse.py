"""Resiliparse on hand-written pages, its options, and its quality on real ones."""

import pytest

from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.articles import SCRIPT_ONLY
from tests.curation.extract.raw_pages import mean_f1, never, raw_pages, texts
from tests.support import needs_shared_data


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
