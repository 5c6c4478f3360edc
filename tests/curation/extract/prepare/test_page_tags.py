"""The tags of a page: which there are, and which belong together."""

import pytest

from curation.extract.blocks.tags import NAMES
from curation.extract.prepare.page_tags import page_tags


def tags(markup: str) -> list[tuple[str, int]]:
    """Names, end tags with a slash, and partners."""
    found = page_tags(markup.encode())
    rows = zip(found.name, found.closes, found.partner, strict=True)
    return [("/" * int(closes) + NAMES[name], partner) for name, closes, partner in rows]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<p>a<b>b</b></p>", [("p", 3), ("b", 2), ("/b", 1), ("/p", 0)], id="nested"),
        pytest.param("<P>a</p >", [("p", 1), ("/p", 0)], id="capitals"),
        pytest.param("<li>a<li>b</li>", [("li", -1), ("li", 2), ("/li", 1)], id="an end tag left out"),
        pytest.param("</p><p>", [("/p", -1), ("p", -1)], id="no partner"),
        pytest.param("a<br>b<img src='>'>", [("br", -1), ("img", -1)], id="void, and a quoted bracket"),
        pytest.param("<!-- <p> --><p>", [("p", -1)], id="a comment"),
        pytest.param("<script>'<p>'</script><p>", [("script", 1), ("/script", 0), ("p", -1)], id="a script"),
        pytest.param(
            "<svg><title/></svg><p>", [("svg", 2), ("title", -1), ("/svg", 0), ("p", -1)], id="an empty title"
        ),
        pytest.param("<my-own>a</my-own>", [("", -1), ("/", -1)], id="an element without rules"),
        pytest.param("a < b <p", [], id="no tag, and an unfinished one"),
        pytest.param("", [], id="empty"),
    ],
)
def test_tags(markup: str, expected: list[tuple[str, int]]) -> None:
    assert tags(markup) == expected
