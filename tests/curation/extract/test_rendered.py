"""Resiliparse in the normal form: tables that are data, tables that are layout, preformatted text."""

import pytest

from curation.extract.normal_form import CELL
from curation.extract.prepare.page import RESILIPARSE, prepared
from curation.extract.rendered import rendered

LONG = "word " * (CELL // 5)


def text(body: str) -> str:
    return of_page(f"<body>{body}</body>")


def of_page(page: str, *, main_content: bool = False) -> str:
    return rendered(prepared(page.encode(), RESILIPARSE).decode(), main_content=main_content, alt_texts=False)


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        pytest.param("<td>a</td><td>b</td>", "a\tb", id="inline"),
        pytest.param("<td><p>a</p><p>b</p></td><td>c<br>d</td>", "a b\tc d", id="blocks and a break"),
        pytest.param("<th><div>a</div></th><td><p><b>b</b> c</p></td>", "a\tb c", id="headings, inline elements"),
        pytest.param("<td>a<br>b</td><td></td><td>c</td>", "a b\t\tc", id="an empty cell"),
        pytest.param("<td><a href=x>a</a><br>b</td><td>c</td>", "a b\tc", id="a link beside a break"),
    ],
)
def test_a_row_is_a_line(cells: str, line: str) -> None:
    assert text(f"<p>x</p><table><tr>{cells}</tr></table>") == f"x\n\n{line}"


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(f"{LONG}<p>y</p>", id="long"),
        pytest.param("<table><tr><td>x<p>y</p></td></tr></table><p>y</p>", id="a table within"),
        pytest.param("<h2>x</h2><p>y</p>", id="a heading"),
        pytest.param("<div class=menu>x</div><p>y</p>", id="a named block"),
        pytest.param("x<p><a href=y>y</a></p>", id="a link in a block"),
    ],
)
def test_layout_keeps_its_breaks(cell: str) -> None:
    assert "y" in text(f"<table><tr><td>{cell}</td></tr></table>").split("\n")


def test_a_cell_below_the_size_of_layout() -> None:
    assert "\n" not in text(f"<table><tr><td>{LONG[: CELL - 2]}<p>y</p></td></tr></table>")


@pytest.mark.parametrize("main_content", [False, True])
def test_preformatted_text(main_content: bool) -> None:
    page = "<body><main><p>before</p><pre>a\n  <b>b</b>\n\n\t\tc &lt;\n</pre><PRE>d\n e</PRE><p>after</p></main></body>"
    found = of_page(page, main_content=main_content)
    assert found == "before\n\na\n  b\n\n\t\tc <\n\nd\n e\n\nafter"


def test_preformatted_text_within_another() -> None:
    assert text("<pre>a\n  b<pre>c\n  d</pre></pre><p>e  f</p>").endswith("\n\ne f")


def test_no_body() -> None:
    assert of_page("<table>", main_content=True) == ""
