"""Formatting elements: cut off by a block, opened again inside the next one."""

import pytest

from curation.extract.markup import count


def counts(html: str) -> tuple[int, int]:
    found = count(html.encode(), max_nodes=10**6, max_depth=600, max_attributes=100)
    return found.nodes, found.depth


@pytest.mark.parametrize(
    ("html", "nodes", "depth"),
    [
        pytest.param("<p><b>a</b></p><p>b</p>", 5, 4, id="closed formatting stays closed"),
        pytest.param("<p><b>a</p><p>b</p>", 6, 4, id="unclosed formatting is opened again"),
        pytest.param("<p><b>a</p> <p>b</p>", 7, 4, id="white space opens nothing"),
        pytest.param("<p><b><i>a<p>b", 8, 5, id="two of them"),
        pytest.param("<p><b>a" * 3, 12, 6, id="equal tags add up"),
        pytest.param("<p><b>a" * 9, 48, 7, id="to three that are opened again"),
        pytest.param("<p><font x>a<p><font y>b<p><font z>c<p><font w>d", 22, 7, id="different tags add up without end"),
        pytest.param("<table><td><b>a<td>b", 8, 7, id="a cell keeps its formatting to itself"),
        pytest.param("<a>1<a>2<a>3", 6, 3, id="a ends a"),
        pytest.param("<b>a<div>b</b>c</div>", 5, 4, id="closed across a block"),
    ],
)
def test_formatting(html: str, nodes: int, depth: int) -> None:
    assert counts(html) == (nodes, depth)


def test_unclosed_fonts_pass_the_depth_limit_before_they_grow_a_huge_tree() -> None:
    nodes, depth = counts("".join(f"<p><font id={i}>x" for i in range(20_000)))
    assert depth == 601
    assert nodes < 250_000
