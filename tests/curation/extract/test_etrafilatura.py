"""Etrafilatura on hand-written pages, its options, and its quality on real ones; where its library is installed."""

import importlib.util

import pytest

from curation.extract.etrafilatura import Etrafilatura
from tests.curation.extract.articles import ARTICLE, BOILERPLATE, SCRIPT_ONLY, STORY
from tests.curation.extract.raw_pages import mean_f1, never, raw_pages, texts
from tests.support import needs_shared_data

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("etrafilatura") is None,
    reason="etrafilatura is not installed; `make test-wheel` runs this where Python 3.12 is",
)


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
def test_pages_without_text_are_empty() -> None:
    found = Etrafilatura(focus="precision").extract(raw_pages(SCRIPT_ONLY.encode(), BOILERPLATE.encode()), {}, never)
    assert found.column("drop_reason").to_pylist() == ["extract:empty"] * 2
    assert found.column("extract")[1].as_py()["title"] == "Shop"


@needs_library
@pytest.mark.slow
@needs_shared_data
@pytest.mark.parametrize(("dataset", "baseline"), [("chinese-wce", 0.9056), ("fundus", 0.9376)])
def test_quality_on_real_pages(dataset: str, baseline: float) -> None:
    assert mean_f1(Etrafilatura(), dataset) >= baseline - 0.01
