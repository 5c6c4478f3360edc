"""Chosen blocks as text: the normal form of every kind of block, and what is left where blocks are left out."""

import numpy as np

from curation.extract.blocks.page import Page
from curation.extract.blocks.render import render
from curation.extract.blocks.scanner import scan
from tests.curation.extract.formed_page import HEADED, PAGE, TEXT
from tests.support import table


def scanned(html: str) -> Page:
    return scan(html.encode(), max_nodes=10_000, max_depth=200, max_attributes=200)


def written(html: str, *left_out: int) -> str:
    page = scanned(html)
    keep = np.ones(len(page.blocks), np.bool_)
    keep[list(left_out)] = False
    return render(page, keep).decode()


def test_the_page_that_all_extractors_write_alike() -> None:
    assert written(PAGE) == TEXT.partition("\n\n")[2] or written(HEADED) == TEXT


@table(
    "html, text",
    {
        "blocks are apart by a line": ("<div>a</div><div>b</div>", "a\nb"),
        "paragraphs by a blank line": ("<p>a<p>b", "a\n\nb"),
        "a line break": ("<p>a<br>b", "a\nb"),
        "two end a paragraph": ("<p>a<br><br>b", "a\n\nb"),
        "a list": ("<p>x</p><ul><li>a<li>b</ul>y", "x\n\n- a\n- b\n\ny"),
        "numbers": ("<ol>" + "<li>a" * 11 + "</ol>", "\n".join(f"{n}. a" for n in range(1, 12))),
        "lists in lists": ("<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"),
        "paragraphs of an item": ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\nb\n- c"),
        "two lists": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"),
        "a table": ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        "empty cells": ("<table><tr><td><td>b<td><td>d<td></table>", "b\t\td"),
        "blocks of a cell": ("<table><tr><td><p>a<p>b<td>c<br>d</table>", "a b\tc d"),
        "layout: a heading in a cell": ("<table><tr><td><h2>a</h2>b<td>c</table>", "a\n\nb\nc"),
        "layout: a table in a cell": ("<table><tr><td>x<td><table><tr><td>a<td>b</table></table>", "x\n\na\tb"),
        "layout: a long cell": (f"<table><tr><td><p>{'a ' * 90}<p>{'b ' * 90}<td>c</table>", None),
        "preformatted": ("x<pre>\na  \n\n  b</pre>y", "x\n\na\n\n  b\n\ny"),
        "code in a cell": (
            "<table><tr><td>a<td><pre>b\n  c</pre><tr><td>d<td><pre>e</pre></table>",
            "a\n\nb\n  c\n\nd\te",
        ),
        "references": ("a &lt;b&gt; &amp; c&nbsp;d", "a <b> & c d"),
        "nothing": ("<div></div>", ""),
    },
)
def test_forms(html: str, text: str | None) -> None:
    expected = text if text is not None else f"{('a ' * 90).strip()}\n\n{('b ' * 90).strip()}\nc"
    assert written(html) == expected


def test_a_gap_stays_where_the_block_at_it_is_left_out() -> None:
    assert written("<div>a</div><p>b</p><div>c</div>", 1) == "a\n\nc"
    assert written("<div>a</div><div>b</div><div>c</div>", 1) == "a\nc"


def test_the_marker_stands_before_the_first_block_of_an_item_that_is_kept() -> None:
    assert written("<ul><li><p>a</p><p>b</p><li>c</ul>", 0) == "- b\n- c"


def test_a_row_keeps_the_places_of_its_cells() -> None:
    assert written("<table><tr><td>a<td>b<td>c</table>", 1) == "a\t\tc"
