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
    ],
)
def test_no_code(markup: str) -> None:
    assert rewritten(markup, tables_of_code) == markup
