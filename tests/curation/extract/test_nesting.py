"""Open minus close tags: what real pages leave open must not add up, what nests must."""

import pytest
from resiliparse.parse.html import DOMNode, HTMLTree

from curation.extract.charset import decode
from curation.extract.markup import MarkupCounts, count
from curation.extract.nesting import BLOCK, CELL, FORMATTING, OMITTED, RAW, VOID, flags_of
from curation.extract.pages import PageParser
from curation.text.html.syntax import name_hash
from tests.curation.extract.raw_pages import records
from tests.support import needs_shared_data


def counts(html: str) -> MarkupCounts:
    return count(html.encode(), max_nodes=10**6, max_depth=1000, max_attributes=1000)


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("br", VOID, RAW),
        ("script", RAW, VOID),
        ("td", CELL | OMITTED, BLOCK),
        ("b", FORMATTING, BLOCK),
        ("div", BLOCK, VOID),
    ],
)
def test_flags(name: str, has: int, lacks: int) -> None:
    flags = flags_of(name_hash(name))
    assert flags & has == has
    assert not flags & lacks


def test_unknown_names_have_no_flags() -> None:
    assert flags_of(name_hash("custom-element")) == 0


@pytest.mark.parametrize(
    ("html", "deepest"),
    [
        pytest.param("<p>a" * 300, 3, id="p ends p"),
        pytest.param("<p><span>a" * 300, 3, id="p ends p through inline elements"),
        pytest.param("<p>a<div>b" * 3, 5, id="div nests"),
        pytest.param("<ul>" + "<li><span>a" * 300 + "</ul>", 4, id="li ends li"),
        pytest.param("<ul><li><ul><li>a</ul><li>b", 5, id="a list in a list"),
        pytest.param("<dl>" + "<dt>a<dd>b" * 300, 4, id="dt and dd end each other"),
        pytest.param("<table>" + "<tr><td>a<td>b" * 300, 4, id="rows and cells"),
        pytest.param("<table><tr><td><table><tr><td>a", 5, id="a table in a cell"),
        pytest.param("<table><tr><td></div></p></table><p>a", 4, id="end tags stay inside the table"),
        pytest.param("<div><table></div>" * 3, 8, id="a table holds its block open"),
        pytest.param("<select>" + "<optgroup><option>a" * 300, 3, id="options"),
        pytest.param("<h1>a<h2>b</h3>" * 300, 3, id="headings"),
        pytest.param("<ruby>" + "<rb>a<rt>b" * 300, 3, id="ruby"),
        pytest.param("<form><button>" * 300, 3, id="one form and one button at a time"),
        pytest.param("<svg>" + "<path/>" * 300 + "</svg>", 4, id="svg closes itself"),
        pytest.param("<svg><style/><title>a</title><g><path/></g></svg><p>b", 5, id="nothing is raw inside svg"),
        pytest.param("<svg><foreignobject><div/><p>a", 6, id="html inside svg"),
        pytest.param("<div/><div/><div/>", 5, id="a slash closes nothing in html"),
        pytest.param("<div><span></div></span>" * 300, 4, id="an end tag closes what is inside"),
        pytest.param("<span><div></span>" * 3, 8, id="an inline end tag does not close a block"),
        pytest.param("<div></b>" * 3, 5, id="an end tag without its start closes nothing"),
        pytest.param("<html><html><body><body>a", 2, id="one html, one body"),
    ],
)
def test_depth(html: str, deepest: int) -> None:
    assert counts(html).depth == deepest


@pytest.mark.parametrize(
    ("html", "deepest"),
    [
        pytest.param("<p><b>a</b></p>" * 300, 3, id="closed formatting stays closed"),
        pytest.param("<b>" * 300, 302, id="formatting nests"),
        pytest.param("<b><i></i>" * 300, 303, id="also around formatting that is closed"),
        pytest.param("<p><b><i>a<p>b", 5, id="unclosed formatting stays open"),
        pytest.param("<p><b>a" * 300, 6, id="equal tags add up to three"),
        pytest.param("<div><font size=2>a</div>" * 300, 6, id="in blocks too"),
        pytest.param("<p><font x>a<p><font y>b<p><font z>c<p><font w>d", 6, id="different tags add up without end"),
        pytest.param("<table>" + "".join(f"<td><font id={i}>a" for i in range(300)), 4, id="a cell keeps its own"),
        pytest.param("<a>1" * 300, 3, id="a ends a"),
        pytest.param("<b>a<div>b</b>c</div>" * 300, 4, id="closed across a block"),
        pytest.param("<b><section></b>" * 3, 6, id="which stays open"),
    ],
)
def test_formatting(html: str, deepest: int) -> None:
    assert counts(html).depth == deepest


def test_unclosed_fonts_pass_the_depth_limit_before_they_grow_a_huge_tree() -> None:
    nodes, depth, *_ = counts("".join(f"<p><font id={i}>x" for i in range(20_000)))
    assert depth == 1001
    assert nodes < 550_000


def test_formatting_that_every_paragraph_opens_again_is_counted_each_time() -> None:
    fonts = "".join(f"<font id={i}>" for i in range(100))
    assert counts(fonts + "<p>" * 1000).nodes == 100 * 2 + 1000 * 101


def tree_depth(html: str) -> int:
    """Depth of the deepest element that a parser builds."""
    deepest = 0
    level = 0
    node: DOMNode | None = HTMLTree.parse(html).document
    while node is not None:
        if node.first_child is not None:
            node = node.first_child
            level += 1
        else:
            while node is not None and node.next is None:
                node = node.parent
                level -= 1
            node = node.next if node is not None else None
        if node is not None and node.tag and not node.tag.startswith(("#", "!")):
            deepest = max(deepest, level)
    return deepest


@needs_shared_data
def test_depth_of_real_pages_is_at_most_that_of_a_parsed_tree_and_a_little() -> None:
    """The deepest of all 2,033 pages counts 41; here 40 of them."""
    for page in list(records("pages-*-00004.warc.gz").values())[:40]:
        html = decode(*page).text
        assert tree_depth(html) / 4 <= counts(html).depth <= tree_depth(html) + 2  # a cell is four deep, counted once
        assert counts(html).depth < PageParser().max_depth / 4
