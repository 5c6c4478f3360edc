"""Preformatted text: line feeds for breaks, a code element, and marks."""

import pytest

from curation.extract.marks import CODE_CLOSES, CODE_OPENS
from curation.extract.prepare.code_blocks import code_elements, lines_of_code, marked_code
from tests.curation.extract.prepare.rewritten import rewritten


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<pre>a<br>  b<br/></pre>c<br>", "<pre>a\n  b\n</pre>c<br>", id="breaks"),
        pytest.param(
            "<pre><div>a</div><div>  b</div>\n</pre>", "<pre><div>a</div>\n<div>  b</div>\n</pre>", id="blocks"
        ),
        pytest.param("<div>a</div><pre>b</pre>", "<div>a</div><pre>b</pre>", id="blocks outside"),
        pytest.param("<pre>a<br>", "<pre>a<br>", id="no end"),
    ],
)
def test_lines(markup: str, expected: str) -> None:
    assert rewritten(markup, lines_of_code) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<pre>a</pre>", "<pre><code>{a}</code></pre>", id="none of its own"),
        pytest.param("<pre><code>a</code></pre>", "<pre><code>{a}</code></pre>", id="its own"),
        pytest.param("<code>a</code><pre>b</pre>", "<code>a</code><pre><code>{b}</code></pre>", id="one outside"),
        pytest.param("<pre><code>a</pre></code>", "<pre><code>a</pre></code>", id="its own ends outside"),
    ],
)
def test_code_elements(markup: str, expected: str) -> None:
    assert rewritten(markup, code_elements) == expected.replace("{", CODE_OPENS).replace("}", CODE_CLOSES)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<pre>a</pre><PRE x=y>b</PRE>", "<pre>{a}</pre><PRE x=y>{b}</PRE>", id="two"),
        pytest.param("<pre>a<pre>b</pre>c</pre>", "<pre>{a<pre>b</pre>c}</pre>", id="one in another"),
        pytest.param("<table><td><pre>a</td></table></pre>", "<table><td><pre>a</td></table></pre>", id="cut off"),
        pytest.param("<pre>a", "<pre>a", id="no end"),
    ],
)
def test_marks(markup: str, expected: str) -> None:
    marked = expected.replace("{", CODE_OPENS).replace("}", CODE_CLOSES)
    assert rewritten(markup, marked_code) == marked
