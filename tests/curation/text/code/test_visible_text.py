"""Visible text of HTML: what counts, what does not, and that any text ends."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.code.visible_text import visible_characters
from tests.curation.text.texts import sliced

pages = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<script>", "</script>", "<!--", "-->", "&amp;", "&", "<", ">", "é", " ", '"', "="]
    ),
    max_size=20,
).map("".join)


@pytest.mark.parametrize(
    ("page", "visible"),
    [
        pytest.param("<p>Hé llo</p>\n", 7, id="whitespace as it stands"),
        pytest.param("<!DOCTYPE html><?xml?>a", 1, id="declarations"),
        pytest.param('a<script>var x = "<b>";</script>b', 2, id="a script"),
        pytest.param("a<STYLE type='x'>p {}</STYLE>b", 2, id="a style, in capitals"),
        pytest.param("<scripts>a</scripts>", 1, id="a tag that only begins like one"),
        pytest.param("a<!-- <p>b</p> -->c<!---->", 2, id="comments"),
        pytest.param("a<script>b", 1, id="a script that is not closed"),
        pytest.param("a<!-- b", 1, id="a comment that is not closed"),
        pytest.param("a &lt; &#8212; &copy", 11, id="character references"),
        pytest.param("1 < 2 & 3", 9, id="a sign that begins no tag"),
        pytest.param('<a title="x > y">t</a>', 1, id="a tag's end within quotes"),
        pytest.param("a<br", 1, id="a tag that is not closed"),
        pytest.param("a<", 2, id="the last character"),
        pytest.param("", 0, id="nothing"),
    ],
)
def test_by_hand(page: str, visible: int) -> None:
    array = pa.array(["<script>", page, "-->"], pa.large_string())
    assert visible_characters(array)[1] == visible


@given(st.lists(pages, max_size=5))
def test_no_more_than_there_is_and_the_same_alone(texts: list[str]) -> None:
    found = visible_characters(sliced([*texts])).tolist()
    assert all(0 <= count <= len(text) for count, text in zip(found, texts, strict=True))
    assert found == [visible_characters(pa.array([text]))[0] for text in texts]


@pytest.mark.parametrize("piece", ["<script ", "<!--", "<a b='", "</script", "&", "<"])
def test_time_is_linear_in_what_never_ends(piece: str) -> None:
    assert visible_characters(pa.array([piece * 200_000]))[0] >= 0
