"""Trafilatura on hand-written pages, its options, and its quality on real ones."""

import pytest

from curation.core.errors import RecipeError
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.articles import ARTICLE, BOILERPLATE, SCRIPT_ONLY, STORY
from tests.curation.extract.raw_pages import mean_f1, never, raw_pages, texts
from tests.support import needs_shared_data


def test_tables_can_be_left_out() -> None:
    page = ARTICLE.replace("</article>", "<table><tr><td>low tide</td><td>six</td></tr></table></article>")
    assert ["low tide" in (texts(Trafilatura(tables=tables), page)[0] or "") for tables in (True, False)] == [
        True,
        False,
    ]


@pytest.mark.parametrize(("least", "whole"), [(22, False), (23, True)], ids=["enough", "one character short"])
def test_a_short_fast_text_is_taken_again(least: int, whole: bool) -> None:
    """Only the full way sees the story here: 22 characters are all that the fast one finds."""
    story = "".join(f"<span>{sentence}</span><br><br>" for sentence in STORY)
    page = f"<html><body><p>The tide turns at six.</p><div><font>{story}</font></div></body></html>"
    (text,) = texts(Trafilatura(focus="precision", fast=True, min_fast_characters=least), page)
    assert text == "\n\n".join(["The tide turns at six.", *(STORY if whole else ())])


def test_a_limit_on_fast_texts_needs_them() -> None:
    with pytest.raises(RecipeError, match="set fast as well"):
        Trafilatura(min_fast_characters=500)
    with pytest.raises(RecipeError, match="0 or more"):
        Trafilatura(fast=True, min_fast_characters=-1)


@pytest.mark.parametrize("focus", ["balanced", "precision", "recall"])
@pytest.mark.parametrize("fast", [False, True])
def test_every_focus_keeps_the_story(focus: str, fast: bool) -> None:
    (text,) = texts(Trafilatura(focus=focus, fast=fast), ARTICLE)
    assert text is not None
    assert STORY[1] in text


def test_pages_without_text_are_empty() -> None:
    found = Trafilatura().extract(raw_pages(SCRIPT_ONLY.encode(), BOILERPLATE.encode()), {}, never)
    assert found.column("drop_reason")[0].as_py() == "extract:empty"
    assert found.column("extract")[1].as_py()["title"] == "Shop"


def test_markdown_is_the_librarys() -> None:
    page = ARTICLE.replace("</article>", '<p>More about <a href="https://bay.example/x">the bay</a>.</p></article>')
    assert "[the bay](https://bay.example/x)" in (texts(Trafilatura(links=True), page)[0] or "")
    assert "# Fog over the bay\n\n" in (texts(Trafilatura(formatting=True), page)[0] or "")


def test_comments_follow_the_text() -> None:
    comment = "I was on board that day, and the captain told us stories of the sea until the fog had lifted."
    page = ARTICLE.replace("</article>", f'</article><section id="comments"><p>{comment}</p></section>')
    found = [texts(Trafilatura(comments=wanted), page)[0] or "" for wanted in (True, False)]
    assert [text.endswith(f"\n\n{comment}") for text in found] == [True, False]


@pytest.mark.slow
@needs_shared_data
@pytest.mark.parametrize(("dataset", "baseline"), [("chinese-wce", 0.9056), ("fundus", 0.9524)])
def test_quality_on_real_pages(dataset: str, baseline: float) -> None:
    assert mean_f1(Trafilatura(), dataset) >= baseline - 0.01
