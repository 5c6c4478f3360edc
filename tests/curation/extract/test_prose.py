"""What is read of a page in which a parser found next to nothing: sizes at their value and past it, by extractor."""

from typing import Any

import pytest

from curation.extract.pages import FELL_BACK
from curation.extract.prose import (
    APART,
    ENOUGH,
    NOTHING,
    PARAGRAPH,
    READING,
    letters,
    next_to_nothing,
    prose,
    visible_prose,
)
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.articles import (
    ARTICLE,
    BOILERPLATE,
    FRAMES,
    LINKS,
    LOGIN,
    MOVED,
    NOTICE,
    POSTS,
    SCRIPT_ONLY,
    THREAD,
    WITHOUT_SCRIPTS,
)
from tests.curation.extract.raw_pages import never, raw_pages

EXTRACTORS = [
    pytest.param("resiliparse", Resiliparse(), id="resiliparse"),
    pytest.param("trafilatura", Trafilatura(), id="trafilatura"),
    pytest.param("trafilatura", Trafilatura(focus="precision"), id="precision"),
    pytest.param("trafilatura", Trafilatura(fast=True, min_fast_characters=500), id="fast first"),
]


def paragraph(size: int = PARAGRAPH) -> str:
    return "a" * (size - 1) + "."


FULL = [paragraph()] * (ENOUGH // PARAGRAPH + 1)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param("abc", 3, id="letters"),
        pytest.param("\u6f22\u5b57 ab", 9, id="Chinese"),
        pytest.param("\u3042\u30a2", 6, id="kana"),
        pytest.param("\uac00\u03b1\u0416", 3, id="other scripts"),
    ],
)
def test_letters(text: str, size: int) -> None:
    assert letters(text) == size


def test_next_to_nothing() -> None:
    assert next_to_nothing("a" * (NOTHING - 1))
    assert not next_to_nothing("a" * NOTHING)
    assert not next_to_nothing("\u5b57" * (NOTHING // 3 + 1))


def test_enough_paragraphs() -> None:
    assert prose("a" * (ENOUGH - 1) + ".") == "a" * (ENOUGH - 1) + "."
    assert prose("a" * (ENOUGH - 2) + ".") == ""


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (".", True),
        ("?\u201d", True),
        ("\u3002", True),
        (".) ", True),
        (":", True),
        ("", False),
        (",", False),
        ("\u201d", False),
    ],
)
def test_a_paragraph_ends_as_a_sentence_does(end: str, kept: bool) -> None:
    assert (prose("a" * ENOUGH + end) != "") is kept


def test_a_short_line_is_no_paragraph() -> None:
    lines = [paragraph(PARAGRAPH - 1)] * 100
    assert prose("\n".join(lines)) == ""
    assert prose("\n".join([*FULL, *lines])) == "\n".join(FULL)


def test_what_stands_between_paragraphs_stays_with_its_empty_lines() -> None:
    text = "\n".join([*FULL, "", "Heading", "", "  \u2022 item", paragraph()])
    assert prose(f"menu\nsearch\n\n{text}\n\nimprint\n") == text


def test_paragraphs_far_apart_are_two_stretches() -> None:
    near = ["short"] * APART
    far = ["short"] * (APART + 1)
    assert prose("\n".join([*FULL, *near, *FULL])) == "\n".join([*FULL, *near, *FULL])
    assert prose("\n".join([*FULL, *far, *FULL])) == "\n\n".join(["\n".join(FULL)] * 2)


def test_a_stretch_that_is_small_beside_the_largest_is_left_out() -> None:
    far = ["short"] * (APART + 1)
    large = [paragraph()] * 20
    assert prose("\n".join([*[paragraph()] * 3, *far, *large])) == "\n".join(large)
    assert prose("\n".join([*[paragraph()] * 4, *far, *large])).count(".") == 24


def extract(extractor: Any, page: str) -> tuple[str, str | None, str | None]:
    """Parser, reason and text."""
    found = extractor.extract(raw_pages(page.encode()), {}, never)
    parser: str = found.column("extract")[0].as_py()["parser"]
    return parser, found.column("drop_reason")[0].as_py(), found.column("text")[0].as_py()


@pytest.mark.parametrize(("name", "extractor"), EXTRACTORS)
def test_a_thread_that_the_parser_takes_for_a_side_matter(name: str, extractor: Any) -> None:
    parser, reason, text = extract(extractor, THREAD)
    assert (parser, reason) == (f"{name}{FELL_BACK}{READING}", None)
    assert text is not None
    assert [line for line in text.split("\n") if line] == ["Crossings", *POSTS]


@pytest.mark.parametrize(
    "side",
    [
        pytest.param("<div class=comments><p>{}</p></div>", id="comments"),
        pytest.param("<section id=reader-Comments><p>{}</p></section>", id="comments by id"),
        pytest.param("<aside><p>{}</p></aside>", id="aside"),
        pytest.param("<div class='box newsletter-box'><p>{}</p></div>", id="newsletter"),
        pytest.param("<footer><p>{}</p></footer>", id="footer"),
    ],
)
def test_side_matters_are_left_out(side: str) -> None:
    promotion = "Subscribe to the letters of the harbour and read them each morning before the ferry leaves the quay."
    page = THREAD.replace(' class="comments" id="comments"', "").replace(
        "<footer>", side.format(promotion) + "<footer>"
    )
    assert promotion not in visible_prose()(page)
    assert visible_prose()(page).endswith(POSTS[-1])


def test_pictures_have_no_text() -> None:
    picture = f"<p><img alt='{'a' * ENOUGH}.'></p>"
    assert "aaa" not in visible_prose()(THREAD.replace("<h1>", picture + "<h1>"))


def test_what_a_browser_without_scripts_shows() -> None:
    parser, _, text = extract(Resiliparse(), WITHOUT_SCRIPTS)
    assert parser == f"resiliparse{FELL_BACK}{READING}"
    assert text is not None
    assert [line for line in text.split("\n") if line] == ["Crossings", *POSTS]


@pytest.mark.parametrize(("name", "extractor"), EXTRACTORS)
def test_an_article_is_the_parsers_own(name: str, extractor: Any) -> None:
    assert extract(extractor, ARTICLE)[0] == name


@pytest.mark.parametrize(("name", "extractor"), EXTRACTORS)
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(BOILERPLATE, id="navigation"),
        pytest.param(SCRIPT_ONLY, id="script"),
        pytest.param(FRAMES, id="frames"),
        pytest.param(MOVED, id="redirect"),
        pytest.param(NOTICE, id="cookie notice"),
        pytest.param(LOGIN, id="login"),
        pytest.param(LINKS, id="links"),
    ],
)
def test_a_page_without_prose_is_not_read_so(name: str, extractor: Any, page: str) -> None:
    assert extract(extractor, page)[0] == name
