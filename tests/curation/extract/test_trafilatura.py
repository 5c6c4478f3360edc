"""Trafilatura on hand-written pages, its options, and its quality on real ones."""

import pytest

from curation.core.errors import RecipeError
from curation.core.protocols import Extractor
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.articles import ARTICLE, BOILERPLATE, GREEK, NESTED, SCRIPT_ONLY, SCRIPTED, STORY
from tests.curation.extract.raw_pages import never, raw_pages, records, rows, token_f1
from tests.support import needs_shared_data


def texts(config: Trafilatura, *pages: str | bytes) -> list[str | None]:
    contents = [page.encode() if isinstance(page, str) else page for page in pages]
    found: list[str | None] = config.extract(raw_pages(*contents), {}, never).column("text").to_pylist()
    return found


def test_is_an_extractor() -> None:
    assert isinstance(Trafilatura(), Extractor)


@pytest.mark.parametrize("page", [ARTICLE, SCRIPTED, NESTED], ids=["article", "script-heavy", "nested"])
def test_main_content(page: str) -> None:
    (text,) = texts(Trafilatura(), page)
    assert text is not None
    assert all(sentence in text for sentence in STORY)
    assert not any(word in text for word in ("news", "Cookie", "advert"))


def test_legacy_charset_whatever_the_page_still_declares() -> None:
    expected = texts(Trafilatura(), GREEK)
    assert texts(Trafilatura(), GREEK.replace("utf-8", "iso-8859-7").encode("iso-8859-7")) == expected
    assert texts(Trafilatura(), '<?xml version="1.0" encoding="iso-8859-7"?>' + GREEK) == expected


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


def test_a_repeated_page_gives_the_same_text_each_time() -> None:
    assert len(set(texts(Trafilatura(), *[ARTICLE] * 5))) == 1


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


@needs_shared_data
@pytest.mark.parametrize(("dataset", "baseline"), [("chinese-wce", 0.9056), ("fundus", 0.9524)])
def test_quality_on_real_pages(dataset: str, baseline: float) -> None:
    truth = [row for row in rows("truth.jsonl.gz") if row["dataset"] == dataset and row["truth_kind"] == "full_text"]
    pages = records("pages-*.warc.gz")
    found = texts(Trafilatura(), *(pages[row["record_id"]][0] for row in truth))
    scores = [token_f1(text or "", row["text"]) for text, row in zip(found, truth, strict=True)]
    assert sum(scores) / len(scores) >= baseline - 0.01
