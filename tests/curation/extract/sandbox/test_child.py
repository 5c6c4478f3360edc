"""What the child sends: a parser's text, cleaned, or what it reads in its place."""

import pytest

from curation.extract.sandbox.child import ARTICLE_BODY, PROSE, TEXT, _clean, _read


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        pytest.param(" plain \n", "plain", id="white space around"),
        pytest.param("a\0b", "ab", id="NUL"),
        pytest.param("a\ud800b", "a\ufffdb", id="a lone surrogate"),
        pytest.param("a\ud83d\ude00b", "a😀b", id="a pair of surrogates"),
        pytest.param("", "", id="empty"),
    ],
)
def test_text_sent(text: str, sent: str) -> None:
    assert _clean(text) == sent.encode()


@pytest.mark.parametrize(
    ("own", "article", "prose", "sent"),
    [
        pytest.param("a" * 200, "never asked", "never asked", (TEXT, "a" * 200), id="the parser's own"),
        pytest.param("a" * 199, "b" * 201, "c" * 200, (ARTICLE_BODY, "b" * 201), id="an article"),
        pytest.param("a" * 199, "b" * 200, "c" * 200, (PROSE, "c" * 200), id="prose as long"),
        pytest.param("a" * 199, "b" * 198, "c" * 199, (TEXT, "a" * 199), id="two that are next to nothing"),
        pytest.param("", "", "c" * 200, (PROSE, "c" * 200), id="nothing"),
        pytest.param("short", "", "", (TEXT, "short"), id="no other either"),
        pytest.param("", "", "", (TEXT, ""), id="empty"),
    ],
)
def test_what_is_read_of_a_page(own: str, article: str, prose: str, sent: tuple[int, str]) -> None:
    readings = {PROSE: lambda _: prose, ARTICLE_BODY: lambda _: article}
    status, text = sent
    assert _read("page", lambda _: own, readings) == (status, text.encode())


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        pytest.param("words", "Fog\n\nwords", id="before a text"),
        pytest.param("", "", id="alone it is none"),
    ],
)
def test_the_title_that_the_page_shows(text: str, sent: str) -> None:
    assert _read("<title>Fog</title><h1>Fog</h1>", lambda _: text, {}) == (TEXT, sent.encode())
