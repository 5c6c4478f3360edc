"""Lists in cells become blocks, but for those with links."""

import pytest

from curation.extract.normal_form import CELL
from curation.extract.prepare.cell_lists import lists_in_cells
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.prepare.rewritten import rewritten
from tests.curation.extract.raw_pages import texts


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(
            "<td>a<ul class=x><li>b</li><li>c</ul></td>", "<td>a<div class=x><p>b</p><p>c</div></td>", id="a list"
        ),
        pytest.param(
            "<td><ol><li>a<ul><li>b</ul></ol></td>", "<td><div><p>a<div><p>b</div></div></td>", id="a list within"
        ),
        pytest.param("<td><ul><li><a>b</a></ul></td>", "<td><ul><li><a>b</a></ul></td>", id="a link"),
        pytest.param(f"<td><ul><li>{'b' * CELL}</ul></td>", f"<td><ul><li>{'b' * CELL}</ul></td>", id="layout"),
        pytest.param("<td>a</td><ul><li>b</ul>", "<td>a</td><ul><li>b</ul>", id="outside"),
        pytest.param("<td><ul><li>b</td>", "<td><ul><li>b</td>", id="no end"),
    ],
)
def test_lists_in_cells(markup: str, expected: str) -> None:
    assert rewritten(markup, lists_in_cells) == expected


def test_trafilatura_keeps_them() -> None:
    story = "<p>The miller counted the sacks again before the rain began, and none was missing from the carts.</p>" * 3
    table = "<table><tr><td>To bill</td><td><ul><li>repairs</li><li>closures</li></ul></td></tr></table>"
    (text,) = texts(Trafilatura(), f"<html><body><article>{story}{table}{story}</article></body></html>")
    assert "To bill\trepairs closures" in (text or "").split("\n")
