"""Rows of tables: blocks in data become spaces, those in layout stay."""

import pytest

from curation.extract.normal_form import CELL
from curation.extract.prepare.data_rows import data_rows
from tests.curation.extract.prepare.rewritten import rewritten

LONG = "x" * CELL


def row(cells: str) -> str:
    found = rewritten(f"<table><tr>{cells}</tr></table>", data_rows)
    return found.removeprefix("<table><tr>").removesuffix("</tr></table>")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param("<td>a<br>b", "<td>a b", id="a break"),
        pytest.param("<td><p>a</p><div>b</div>", "<td> a  b ", id="blocks"),
        pytest.param("<td><a href=x>a</a><br>b", "<td><a href=x>a</a> b", id="a link beside a break"),
        pytest.param(f"<td>{LONG[1:]}<br>", f"<td>{LONG[1:]} ", id="a cell below the size of layout"),
        pytest.param(f"<td>{LONG}</td><td>a<br>", f"<td>{LONG}</td><td>a ", id="a large cell without blocks"),
        pytest.param(f"<td>{'x  ' * (CELL // 2 - 1)}<br>", f"<td>{'x  ' * (CELL // 2 - 1)} ", id="spaces count once"),
    ],
)
def test_data(cells: str, expected: str) -> None:
    assert row(cells) == expected


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(f"<td>{LONG}<br>", id="a large cell"),
        pytest.param(f"<td>a<br></td><td>{LONG}<p>", id="a large cell after it"),
        pytest.param("<td>a<br><table><tr><td>b</table>", id="a table within"),
        pytest.param("<td>a<br><ul><li>b</ul>", id="a list"),
        pytest.param("<td>a<br></td><td><h2>b</h2>", id="a heading"),
        pytest.param("<td>a<br><form>", id="a form"),
        pytest.param("<td>a<br><pre>b</pre>", id="preformatted text"),
        pytest.param("<td><p class=x>a", id="a class"),
        pytest.param("<td><div data-x='1' ID=x>a", id="an id"),
        pytest.param("<td><p><b><a href=x>a</a></b></p>", id="a link in a block"),
    ],
)
def test_layout(cells: str) -> None:
    assert row(cells) == cells


def test_each_row_is_judged_by_itself() -> None:
    page = "<p>a<br>b<table><tr><td>a<br>b<tr><td><p id=x>c<br>d<tr><td>e<br>f</table>g<br>h"
    expected = "<p>a<br>b<table><tr><td>a b<tr><td><p id=x>c<br>d<tr><td>e f</table>g<br>h"
    assert rewritten(page, data_rows) == expected


def test_a_table_within_is_data_of_its_own() -> None:
    page = "<table><tr><td>a<br>b<table><tr><td>c<br>d</table>e<br>f</table>"
    expected = "<table><tr><td>a<br>b<table><tr><td>c d</table>e<br>f</table>"
    assert rewritten(page, data_rows) == expected


def test_a_page_that_ends_within_a_row() -> None:
    assert rewritten("<table><td>a<br>b", data_rows) == "<table><td>a b"
    assert rewritten(f"<table><td>a<br>{LONG}", data_rows) == f"<table><td>a<br>{LONG}"
