"""What the child sends: a parser's text, cleaned, or what it reads in its place."""

import pytest

from curation.extract.sandbox.child import PROSE, TEXT, _clean, _read


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
    ("own", "prose", "sent"),
    [
        pytest.param("a" * 200, "never asked", (TEXT, b"a" * 200), id="the parser's own"),
        pytest.param("a" * 199, "prose\0", (PROSE, b"prose"), id="next to nothing"),
        pytest.param("", "prose", (PROSE, b"prose"), id="nothing"),
        pytest.param("short", "", (TEXT, b"short"), id="no prose either"),
        pytest.param("", "", (TEXT, b""), id="empty"),
    ],
)
def test_what_is_read_of_a_page(own: str, prose: str, sent: tuple[int, bytes]) -> None:
    assert _read("page", lambda _: own, lambda _: prose) == sent
