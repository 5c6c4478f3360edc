"""Markers of a wiki's lists, line by line."""

import pytest

from curation.sources.documents.mediawiki.list_items import ListItems


@pytest.mark.parametrize(
    ("lines", "markers"),
    [
        pytest.param("# #", ["1. ", "2. "], id="numbers"),
        pytest.param("* **", ["- ", "  - "], id="bullets"),
        pytest.param("# ## ## # ##", ["1. ", "  1. ", "  2. ", "2. ", "  1. "], id="numbers within numbers"),
        pytest.param("## #", ["  1. ", "2. "], id="an item within one that is not there"),
        pytest.param("# #: #", ["1. ", "  ", "2. "], id="a paragraph of an item"),
        pytest.param("# * #", ["1. ", "- ", "1. "], id="another kind of list between"),
        pytest.param(":# :#", ["1. ", "2. "], id="within a definition"),
        pytest.param(";# :#", ["1. ", "2. "], id="a term and its definition are one list"),
        pytest.param(": ::", ["", ""], id="indented lines"),
    ],
)
def test_lines(lines: str, markers: list[str]) -> None:
    lists = ListItems()
    assert [lists.begin(line) for line in lines.split()] == markers


def test_values_and_ends() -> None:
    lists = ListItems()
    assert [lists.begin("#", value) for value in (None, "7", None, "x")] == ["1. ", "7. ", "8. ", "9. "]
    lists.close()
    assert lists.begin("#") == "1. "
