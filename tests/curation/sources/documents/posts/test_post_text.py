"""Posts in HTML as text: blocks, code, formulas, and HTML that is wrong."""

import pytest

from curation.sources.documents.posts.post_marks import MAX_WITHIN, MOST
from curation.sources.documents.posts.post_text import post_texts


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
        pytest.param('<p>See <img alt="enter image description here"></p>', "See", id="a picture without words"),
        pytest.param('<p><img alt="alt text"> it</p>', "it", id="a picture without words of 2009"),
        pytest.param('See <a href="x">enter link description here</a>.', "See .", id="a link without words"),
        pytest.param("<p>To enter link description here</p>", "To enter link description here", id="the same in words"),
        pytest.param(
            "<blockquote>\n  <p><strong>Possible Duplicate:</strong><br>\n  <a>Y</a></p>\n</blockquote>\n\n<p>Why?</p>",
            "Why?",
            id="the site's note on a duplicate",
        ),
        pytest.param(
            "<blockquote>\n  <p><strong>Possible Duplicate:</strong> Why?",
            "> Possible Duplicate: Why?",
            id="such a note without end",
        ),
        pytest.param('<img title="a" alt="b" alt="c">, <img src="d"> <img data-alt="e">', "b,", id="words of pictures"),
        pytest.param(
            "<table><thead><tr><th>a<td><code>b</code></thead></table>c", "a | `b`\n\nc", id="a head of a table"
        ),
        pytest.param("<pre>a\r\nb<br>c\n\n</pre>", "```\na\nb\nc\n```", id="ends of lines in code"),
        pytest.param("<ol><li><pre>a\n\nb</pre></li></ol>", "1. ```\n   a\n   \n   b\n   ```", id="code in a list"),
        pytest.param("a &nbsp;b&nbsp; <p>&nbsp;c\u2003d&hellip;</p>", "a \xa0b\n\nc\u2003d…", id="other white space"),
        pytest.param("<p>a<br><br> b <br></p>", "a\n\nb", id="breaks"),
        pytest.param("10<sup>6</sup>, m<sup>2</sup> and H<sub>2</sub>O", "10^6, m^2 and H2O", id="superscripts"),
        pytest.param("<p>a mill<sup>[1]</sup> <sup>2</sup></p><p><sup>14</sup>C</p>", "a mill 2\n\n14C", id="notes"),
        pytest.param("<ruby>川上<rp>(</rp><rt>かわかみ</rt></ruby>です", "川上です", id="ruby"),
        pytest.param('<ol start="3"><li>a</li><li><p>b</p></li></ol>', "3. a\n4. b", id="a list that begins at 3"),
        pytest.param("<ol type=a reversed><li>a<ol><li>x</ol><li>b</ol>", "b. a\n   1. x\na. b", id="letters"),
        pytest.param("<p>on <time>2 May</time> <label>and</label> on</p>", "on 2 May and on", id="times and labels"),
        pytest.param(
            "<figure><blockquote>a</blockquote><pre>  b\n c</pre></figure>", "> a\n\n```\n  b\n c\n```", id="a figure"
        ),
        pytest.param(
            "<table><tr><td><pre>if a:\n    b</pre></td><td>c</td></tr><tr><td>d<td>e</td></tr></table>",
            "```\nif a:\n    b\n```\n\nc\n\nd | e",
            id="code in a table",
        ),
        pytest.param("<table><tr><td>a<td>b<pre> c</pre>d<td>e", "a | b\n\n```\n c\n```\n\nd | e", id="code in a row"),
        pytest.param("no tags", "no tags", id="no tags"),
        pytest.param("<p>open <b>tags", "open tags", id="open tags"),
        pytest.param("<!-- a -->", "", id="a comment"),
        pytest.param(" ", "", id="nothing"),
    ],
)
def test_by_hand(body: str, expected: str) -> None:
    assert post_texts(["<ul><li>open", body, "after"]) == [b"- open", expected.encode(), b"after"]


@pytest.mark.parametrize("tag", ["blockquote", "ul><li", "ol><li", "b", "h1", "div"])
def test_elements_within_elements_without_end(tag: str) -> None:
    (text,) = post_texts([f"<p>kept</p>{f'<{tag}>' * 5000}deep<br>er<p>more"])
    words = [line.lstrip("> -1.#") for line in text.decode().split("\n")]
    assert list(filter(None, words)) == ["kept", "deep", "er", "more"]
    assert len(text) < 20 * MAX_WITHIN


def test_the_widest_margins_fit() -> None:
    lists = "<ol>" + "<li></li>" * 10_000 + "<li>"
    for inside in ("<pre>x" + "\n" * 1000 + "x", "<p>x" + "<br>" * 1000 + "x", "<hr>x" * 1000):
        body = lists * (MAX_WITHIN // 2) + inside
        (text,) = post_texts([body])
        assert len(text) <= MOST * len(body)
        assert b"10001. 10001. " in text


def test_posts_with_marks_leave_others_alone() -> None:
    assert post_texts(["a\U0001fffe", "10<sup>6</sup>", "", "b"]) == ["a\U0001fffe".encode(), b"10^6", b"", b"b"]


def test_the_end_of_an_element_that_never_began() -> None:
    assert post_texts(["</pre></li></ul>a</blockquote></td></tr>b</h1>", "</code>"]) == [b"a\n\nb", b"`"]
