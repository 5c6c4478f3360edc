"""Each kind of block as HTML, and text that must not be taken for mark-up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.markup import inline, to_html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("One\ntwo.\n\nThree.", "<p>One two.</p>\n<p>Three.</p>", id="paragraphs"),
        pytest.param("Title\n=====\n\nText.", "<h2>Title</h2>\n<p>Text.</p>", id="heading"),
        pytest.param("Notes\n-----", "<h3>Notes</h3>", id="heading of the second rank"),
        pytest.param("* a\n* b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", id="list"),
        pytest.param("- a\n  more\n- b", "<ul>\n<li>a more</li>\n<li>b</li>\n</ul>", id="list item over two lines"),
        pytest.param("Like::\n\n    x < 1\n", "<p>Like:</p>\n<pre><code>x &lt; 1</code></pre>", id="literal block"),
        pytest.param(">>> 1\n1\n\nYes.", "<pre><code>&gt;&gt;&gt; 1\n1</code></pre>\n<p>Yes.</p>", id="doctest"),
        pytest.param("```py\n# no\n```", "<pre><code># no</code></pre>", id="fence"),
        pytest.param("x : int\n    A number.", "<dl><dt>x : int</dt>\n<dd><p>A number.</p></dd></dl>", id="definition"),
        pytest.param(
            "Args:\n    x: A number.\n", "<h3>Args</h3>\n<dl><dt>x</dt>\n<dd>A number.</dd></dl>", id="arguments"
        ),
        pytest.param(
            ".. note:: Be warned.",
            '<div class="admonition"><p><strong>Note:</strong> Be warned.</p>\n</div>',
            id="directive",
        ),
        pytest.param(".. image:: a.png\n   :alt: A", "", id="picture"),
        pytest.param(".. code-block:: py\n\n   x = 1", "<pre><code>x = 1</code></pre>", id="code block"),
    ],
)
def test_block(text: str, expected: str) -> None:
    assert to_html(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(":func:`open`", "<code>open</code>", id="role"),
        pytest.param("**bold** and *soft*", "<strong>bold</strong> and <em>soft</em>", id="emphasis"),
        pytest.param("2 * 3 * 4", "2 * 3 * 4", id="multiplication"),
        pytest.param("a < b & c", "a &lt; b &amp; c", id="escaped"),
        pytest.param("`x <https://a.org/b>`_", '<a href="https://a.org/b">x</a>', id="named link"),
        pytest.param("https://a.org/b.", '<a href="https://a.org/b">https://a.org/b</a>.', id="bare link"),
    ],
)
def test_inline(text: str, expected: str) -> None:
    assert inline(text) == expected


@given(st.text(alphabet=st.sampled_from(" \n\t.:*-=`>a1_(<[\\'\""), max_size=200))
def test_any_text_is_taken(text: str) -> None:
    assert "<a" not in to_html(text)
