"""The numbers of lists, between marks before the first words of their items."""

import pytest

from curation.extract.marks import NUMBER_CLOSES, NUMBER_OPENS
from curation.extract.prepare.lists import list_numbers
from tests.curation.extract.prepare.rewritten import rewritten


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<ol start=3><li>a<li>b</ol>", "<ol start=3><li>{3.}a<li>{4.}b</ol>", id="start"),
        pytest.param("<ol><li value='7'>a<li>b</ol>", "<ol><li value='7'>{7.}a<li>{8.}b</ol>", id="value"),
        pytest.param("<ol type=a><li>a<li>b</ol>", "<ol type=a><li>{a.}a<li>{b.}b</ol>", id="letters"),
        pytest.param("<ol reversed><li>a<li>b</ol>", "<ol reversed><li>{2.}a<li>{1.}b</ol>", id="backwards"),
        pytest.param("<ol start=2><li><p> <b>a</b>", "<ol start=2><li><p> <b>{2.}a</b>", id="first words further in"),
        pytest.param(
            "<ol start=2><li>a<ol><li>b</ol></li><li>c</ol>",
            "<ol start=2><li>{2.}a<ol><li>b</ol></li><li>{3.}c</ol>",
            id="a list within",
        ),
        pytest.param("<ol start=2><li></li><li>b</ol>", "<ol start=2><li></li><li>{3.}b</ol>", id="an empty item"),
        pytest.param("<ol><li>a</ol>", "<ol><li>a</ol>", id="nothing stated"),
        pytest.param("<ol start=2><li><sup>2</sup>H", "<ol start=2><li>{2.}<sup>2</sup>H", id="before a superscript"),
        pytest.param("<ol start=2><li><time>1</time> a", "<ol start=2><li>{2.}<time>1</time> a", id="before a time"),
        pytest.param("<ol start=2><li><script>x</script>a", "<ol start=2><li>{2.}<script>x</script>a", id="a script"),
        pytest.param("<ol start=2><li><table><td>a", "<ol start=2><li>{2.}<table><td>a", id="before a table"),
        pytest.param("<ol start=2><li>\xa0&#160;a", "<ol start=2><li>\xa0&#160;{2.}a", id="behind spaces"),
        pytest.param("<ol start=2><li>a</ul><li>b</ol>", "<ol start=2><li>{2.}a</ul><li>{3.}b</ol>", id="a stray end"),
        pytest.param("<ul start=3><li value=2>a</ul>", "<ul start=3><li value=2>a</ul>", id="bullets"),
        pytest.param("<li value=2>a", "<li value=2>a", id="no list"),
    ],
)
def test_numbers(markup: str, expected: str) -> None:
    assert rewritten(markup, list_numbers) == expected.replace("{", NUMBER_OPENS).replace("}", NUMBER_CLOSES)
