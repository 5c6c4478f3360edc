"""Posts in HTML as text: blocks, code, formulas, and HTML that is wrong."""

import pytest

from curation.sources.post_text import MAX_DEPTH, post_text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("<p>One\n two</p>\n\n<p>three<br>four</p>", "One two\n\nthree\nfour", id="paragraphs"),
        pytest.param("<p>use <code>a  b</code> or <em>c</em></p>", "use `a b` or c", id="code in a line"),
        pytest.param("<pre><code>if a:\n    b &lt; c\n</code></pre>", "```\nif a:\n    b < c\n```", id="code"),
        pytest.param("<pre>```\na\n```</pre>", "````\n```\na\n```\n````", id="fences in code"),
        pytest.param("<ul><li>a</li><li><p>b</p><p>c</p></li></ul>", "- a\n- b\n  c", id="a list"),
        pytest.param("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n   - b\n2. c", id="lists in lists"),
        pytest.param("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n> \n> b", id="a quote"),
        pytest.param("<h2>On <b>ships</b></h2><hr>text", "## On ships\n\ntext", id="a heading"),
        pytest.param("<p>so $x^2 &lt; \\frac{1}{2}$ holds</p>", "so $x^2 < \\frac{1}{2}$ holds", id="a formula"),
        pytest.param(
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n\n1 | 2", id="a table"
        ),
        pytest.param('<p><img src="x" alt="A map"><script>x</script></p>', "A mapx", id="a picture"),
        pytest.param("no tags", "no tags", id="no tags"),
        pytest.param("<p>open <b>tags", "open tags", id="open tags"),
        pytest.param("<!-- a -->", "", id="a comment"),
        pytest.param(" ", "", id="nothing"),
    ],
)
def test_by_hand(body: str, expected: str) -> None:
    assert post_text(body) == expected


def test_elements_within_elements_without_end() -> None:
    assert post_text("<blockquote>" * (10 * MAX_DEPTH) + "deep") == ""
    assert post_text("<p>kept</p>" + "<b>" * (10 * MAX_DEPTH) + "deep").startswith("kept")
