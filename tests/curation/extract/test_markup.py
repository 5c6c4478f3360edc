"""Nodes, depth and attributes of small pages counted by hand, and of markup made to hurt a parser."""

import pytest

from curation.extract.charset import decode
from curation.extract.markup import MarkupCounts, count
from curation.extract.pages import PageParser
from tests.curation.extract.raw_pages import records
from tests.support import needs_shared_data


def counts(html: str, *, max_nodes: int = 10**6, max_depth: int = 256, max_attributes: int = 10**6) -> MarkupCounts:
    return count(html.encode(), max_nodes=max_nodes, max_depth=max_depth, max_attributes=max_attributes)


@pytest.mark.parametrize(
    ("html", "nodes", "depth", "attributes"),
    [
        pytest.param("", 0, 2, 0, id="empty"),
        pytest.param("text", 1, 2, 0, id="text"),
        pytest.param("<p>text</p>", 2, 3, 0, id="a paragraph"),
        pytest.param("<html><body><div><p>a</p> </div></body></html>", 4, 4, 0, id="html and body are always there"),
        pytest.param("<img><br/><hr>", 3, 3, 0, id="void elements"),
        pytest.param("<!-- <div> --><!doctype html><?php ?>", 3, 2, 0, id="comments and declarations"),
        pytest.param("<!--><p>a", 3, 3, 0, id="an empty comment"),
        pytest.param("<!-- a --!><p>a", 3, 3, 0, id="a comment that ends badly"),
        pytest.param("<script>if (a<b) '<div>'</script><p>a", 3, 3, 0, id="script is text"),
        pytest.param("<style><div></style><p>a", 3, 3, 0, id="style is text"),
        pytest.param("<script></scripture></SCRIPT ><p>a", 3, 3, 0, id="a name that only begins like the end tag"),
        pytest.param("a < b <> c </> d", 3, 2, 0, id="lone angle brackets"),
        pytest.param("<a href=x title='>' data-y=\">\">b</a>", 5, 3, 3, id="attributes"),
        pytest.param("<a b=c/d>e", 3, 3, 1, id="slash in an unquoted value"),
        pytest.param("<a b c = d e>f", 5, 3, 3, id="attributes without values and with spaces"),
        pytest.param("<div <p>a", 3, 3, 1, id="a tag inside a tag is an attribute"),
        pytest.param("<p>a<b", 2, 3, 0, id="a tag that never ends"),
        pytest.param("<custom-tag><x:y>a", 3, 4, 0, id="unknown elements nest"),
        pytest.param("<DIV><Div>a</dIV></DIV><div>", 4, 4, 0, id="case does not matter"),
    ],
)
def test_counts(html: str, nodes: int, depth: int, attributes: int) -> None:
    assert counts(html)[:3] == (nodes, depth, attributes)


def test_fields_labels_and_links() -> None:
    form = "<form><label>a<INPUT type=hidden></label><select><option>b</select><textarea><input></textarea></form>"
    assert counts(f"{form}<a href=x>c</a><abbr>d</abbr><!-- <a> --><svg><a/></svg>")[3:] == (3, 1, 2)


def test_counting_ends_at_the_first_limit_passed() -> None:
    assert counts("<div>" * 254).depth == 256
    assert counts("<div>" * 255).depth == 257
    assert counts("<div>" * 200_000).depth == 257
    assert counts("<br>" * 200, max_nodes=100).nodes == 101
    assert counts("<p a b c>" + "<br>" * 200, max_attributes=2)[:3] == (4, 3, 3)


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        pytest.param("<" * 5_000_000, 2, id="angle brackets"),
        pytest.param("<!--" * 1_000_000, 2, id="comments that never end"),
        pytest.param('<a b="' * 500_000, 2, id="quotes that never end"),
        pytest.param("<script>" + "</" * 1_000_000, 3, id="script that never ends"),
        pytest.param("<a " + "b=c " * 1_000_000 + ">", 3, id="a million attributes"),
        pytest.param("<b>" * 250 + "</i>" * 100_000, 252, id="end tags without start"),
        pytest.param("<div>" * 250 + "<li></li>" * 100_000, 253, id="items under a deep stack"),
    ],
)
def test_hostile_markup_takes_one_pass(html: str, depth: int) -> None:
    assert counts(html, max_nodes=10**7).depth == depth


@needs_shared_data
def test_no_real_page_comes_near_the_default_limits() -> None:
    limits = PageParser()
    for content, content_type in records("pages-*-00004.warc.gz").values():
        found = counts(decode(content, content_type).text)
        assert found.nodes < limits.max_nodes / 5
        assert found.depth < limits.max_depth / 3
        assert found.attributes < limits.max_attributes / 10
