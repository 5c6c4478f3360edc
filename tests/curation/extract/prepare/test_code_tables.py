"""Tables of code become preformatted text; other tables stay."""

import pytest

from curation.extract.prepare.code_tables import tables_of_code
from tests.curation.extract.prepare.rewritten import rewritten


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(
            "<table><tr><td class=blob-num></td><td class='blob-code x'><span>if a:</span></td></tr>"
            "<tr><td>2</td><td class=blob-code>  b</td></tr></table>",
            "<pre><span>if a:</span>\n  b</pre>",
            id="a row per line",
        ),
        pytest.param(
            "<table><tr><td class=linenos><pre>1\n2</pre></td><td class=code><pre>a\n  b</pre></td></tr></table>",
            "<div><pre>a\n  b</pre></div>",
            id="a column of numbers",
        ),
        pytest.param(
            "<table><tr><td class=line_content>a\n</td></tr><tr><td class=line_content>\n</td></tr></table>",
            "<pre>a\n</pre>",
            id="an empty line",
        ),
        pytest.param(
            "<table><tr><td class=blob-num>7</td><td>&nbsp;</td><td class=blob-code>a</td></tr></table>",
            "<pre>a</pre>",
            id="one line of a file, and no number of the other file",
        ),
        pytest.param(
            "<table><tr><td class=lntd><pre>1\n2\n</pre></td><td class=lntd><pre>a\n  b\n</pre></td></tr></table>",
            "<div><pre>a\n  b\n</pre></div>",
            id="columns of Hugo",
        ),
    ],
)
def test_code(markup: str, expected: str) -> None:
    assert rewritten(f"<p>x</p>{markup}<p>y</p>", tables_of_code) == f"<p>x</p>{expected}<p>y</p>"


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<table><tr><td>Town</td><td class=code>AB1</td></tr></table>", id="words in another cell"),
        pytest.param("<table><tr><td class=barcode>1</td></tr></table>", id="a part of a word"),
        pytest.param("<table><tr><td class=code><table></table></td></tr></table>", id="a table within"),
        pytest.param("<table><tr><td class=code>a</tr></table>", id="a cell without its end"),
        pytest.param("<table><tr><td>1</td></tr></table>", id="numbers alone"),
        pytest.param(
            "<table><tr><td class=code>USD</td><td>1.08</td></tr><tr><td class=code>JPY</td><td>162</td></tr></table>",
            id="rates",
        ),
        pytest.param("<table><tr><td class=zip-code>10115</td><td>14</td></tr></table>", id="one number"),
        pytest.param(
            "<table><tr><td class=code>DE</td><td>49</td></tr><tr><td class=code>FR</td><td>33</td></tr></table>",
            id="numbers that fall",
        ),
        pytest.param(
            "<table><tr><td class=code>a</td><td>1</td></tr><tr><td class=code>b</td><td>9</td></tr>"
            "<tr><td class=code>c</td><td>27</td></tr></table>",
            id="numbers that rise by more than one",
        ),
    ],
)
def test_no_code(markup: str) -> None:
    assert rewritten(markup, tables_of_code) == markup
