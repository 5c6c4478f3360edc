"""Runs of text that Resiliparse takes for icons: none is lost, nothing else changes, and the fault is still there."""

import html
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from resiliparse.extract.html2text import extract_plain_text

from curation.extract.guard import guarded
from curation.extract.marks import GUARD
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.articles import POSTS, WITHOUT_SCRIPTS
from tests.curation.extract.raw_pages import never, raw_pages

PAGE = "<html><body><div><p>The tide turned at %s and the boats came home.</p></div></body></html>"
INLINE = (
    "a",
    "abbr",
    "b",
    "cite",
    "code",
    "custom-element",
    "em",
    "font",
    "i",
    "q",
    "small",
    "span",
    "sub",
    "sup",
    "u",
)
SPACE = " \t\n\r\f"


def unguarded(text: str) -> str:
    return text.replace(GUARD, "")


def guards(markup: str) -> str:
    return guarded(markup.encode()).decode().replace(GUARD, "|")


def main_content(page: str) -> str:
    return unguarded(extract_plain_text(guarded(page.encode()).decode(), main_content=True))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<b>≠</b>", "<b>≠|</b>", id="one character of three bytes"),
        pytest.param("<i>x²</i>", "<i>x²|</i>", id="a letter and one of two"),
        pytest.param("<b>\n  的 </b>", "<b>\n  的| </b>", id="white space around"),
        pytest.param("<b>&ne;</b><b>&#8800;</b>", "<b>&ne;|</b><b>&#8800;|</b>", id="references"),
        pytest.param("<b>&#97;é</b>", "<b>&#97;é|</b>", id="a reference first"),
        pytest.param("“<i>so</i>”<br>", "“|<i>so</i>”|<br>", id="between tags"),
        pytest.param("<b>的", "<b>的|", id="the page's end"),
        pytest.param("的", "的|", id="nothing else"),
        pytest.param("<b>é</b>", "<b>é</b>", id="two bytes"),
        pytest.param("<b>éa</b>", "<b>éa</b>", id="ends in ASCII"),
        pytest.param("<b>的人</b>", "<b>的人</b>", id="two characters"),
        pytest.param("<b>😀</b>", "<b>😀</b>", id="four bytes"),
        pytest.param("<b>&nbsp;</b>", "<b>&nbsp;</b>", id="a space"),
        pytest.param("<b>&#xe001;</b><b>\ue001</b>", "<b>&#xe001;</b><b>\ue001</b>", id="icons"),
        pytest.param("<a>¶</a>", "<a>¶</a>", id="a pilcrow"),
        pytest.param("", "", id="empty"),
    ],
)
def test_what_is_guarded(markup: str, expected: str) -> None:
    assert guards(markup) == expected


def test_the_library_still_drops_such_runs() -> None:
    """If this fails, the library is mended: then `curation.extract.guard` can go."""
    assert "≠" not in extract_plain_text(PAGE % "a <b>≠</b> 0", main_content=True)


def test_no_character_of_unicode_is_lost() -> None:
    """Every assigned character of three bytes, alone in an inline element; the private use area is icons."""
    characters = [
        chr(point) for point in range(0x800, 0x10000) if unicodedata.category(chr(point)) not in ("Cn", "Co", "Cs")
    ]
    assert len(characters) > 40_000
    body = "".join(f"<p>The tide of {ord(one):x} is <b>{one}</b> and low.</p>" for one in characters)
    lines = set(main_content(f"<html><body><div>{body}</div></body></html>").split("\n"))
    whole = set(extract_plain_text(f"<html><body><div>{body}</div></body></html>", main_content=False).split("\n"))
    assert len(whole) > 40_000
    assert whole <= lines


TEXTS = st.text(
    st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc", "Cn", "Co"), exclude_characters="¶"), max_size=4
)
PIECES = st.one_of(
    TEXTS.map(html.escape), TEXTS.map(lambda text: "".join(f"&#{ord(one)};" for one in text)), st.sampled_from(SPACE)
)
NESTED = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.tuples(st.sampled_from(INLINE), inner).map(lambda part: f"<{part[0]}>{part[1]}</{part[0]}>"),
        inner.map(lambda part: f"{part}<!-- note -->"),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(NESTED)
@example("<b>≠</b>")
@example("<a><b>a<i>é</i></b>的</a>")
@example("<span>“<i>long</i>”</span>")
def test_nothing_of_a_block_is_lost_however_its_markup_nests(markup: str) -> None:
    page = PAGE % markup
    assert main_content(page) == extract_plain_text(page, main_content=False)


@pytest.mark.parametrize(
    "block",
    ["<p>的</p>", "<p>“<i>so it goes</i>” they say</p>", "<p>a<br>—<br>b</p>"],
)
def test_nothing_of_a_block_itself_is_lost(block: str) -> None:
    page = f"<html><body><div><p>The tide turned.</p>{block}<p>The boats came home.</p></div></body></html>"
    assert main_content(page) == extract_plain_text(page, main_content=False)
    assert unguarded(extract_plain_text(page, main_content=True)) != main_content(page)


def test_a_page_keeps_all_but_the_guards() -> None:
    page = '<script>var a = "<b>≠</b>";</script><!-- <b>≠</b> --><p title="<b>≠</b>">≠</p>'
    assert unguarded(guarded(page.encode()).decode()) == page


def test_texts_and_the_prose_of_a_page_hold_no_guards() -> None:
    pages = [PAGE % "<b>≠</b>", WITHOUT_SCRIPTS.replace(POSTS[0], f"<b>≠</b> {POSTS[0]}")]
    found = Resiliparse().extract(raw_pages(*(page.encode() for page in pages)), {}, never)
    texts = found.column("text").to_pylist()
    assert found.column("extract")[1].as_py()["parser"] == "resiliparse+visible_prose"
    assert all("≠" in text and GUARD not in text for text in texts)
