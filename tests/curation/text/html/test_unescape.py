"""References become characters."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.html.unescape import unescaped


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        pytest.param("a &lt; &#98; &#x63;", "a < b c", id="names and numbers"),
        pytest.param("&#0065;&#0;", "A\ufffd", id="zeros"),
        pytest.param("&#1114111;&#1114112;&#99999999;", "\ufffd\ufffd", id="the largest, and too large ones"),
        pytest.param("a &#" + "9" * 5_000 + "; b", "a \ufffd b", id="5,000 digits"),
        pytest.param("&#" + "0" * 5_000 + "65; b", "A b", id="5,000 zeros"),
        pytest.param("&#x" + "9" * 5_000 + " b", "\ufffd b", id="5,000 hexadecimal digits"),
    ],
)
def test_references(text: str, plain: str) -> None:
    assert unescaped(text) == plain


@given(st.text(st.sampled_from("&#x0189a;"), max_size=40))
def test_the_same_as_by_html(text: str) -> None:
    assert unescaped(text) == html.unescape(text)
