"""What the child makes of a parser's text before it is sent."""

import pytest

from curation.extract.child import _clean


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
