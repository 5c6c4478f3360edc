"""Formulas between delimiters: kept in one piece, counted, and told from prices."""

import time

import pytest

from curation.extract.formulas.delimiters import MAX_OPENINGS, kept_whole
from curation.extract.formulas.tex import MAX_CHARACTERS

SET_UP = '<script>MathJax = {tex: {inlineMath: [["$", "$"]]}}</script>'


@pytest.mark.parametrize(
    ("page", "expected", "formulas"),
    [
        pytest.param(r"<p>\(x\), \[y\] and $$z$$</p>", r"<p>\(x\), \[y\] and $$z$$</p>", 3, id="whole"),
        pytest.param("\\[\n a\n + b % c\n\\]", r"\[a + b\]", 1, id="breaks and a comment"),
        pytest.param("$$a<br>b<br />c$$", "$$a b c$$", 1, id="br"),
        pytest.param("$$a<em>1 + b</em>2$$", "$$a_1 + b_2$$", 1, id="em"),
        pytest.param(r"\(a<b\)", r"\(a&lt; b\)", 1, id="less than a letter"),
        pytest.param(r"\(a<b<c\), \(c>d\)", r"\(a&lt; b&lt; c\), \(c>d\)", 2, id="more of them"),
        pytest.param(r"\(a &lt;b\)", r"\(a &lt; b\)", 1, id="escaped"),
        pytest.param(
            "\\begin{align}\na &= b\n\\end{align}", r"\begin{align} a &amp;= b \end{align}", 1, id="an environment"
        ),
        pytest.param("\\(a</p><p>b\\)", None, 0, id="over two blocks"),
        pytest.param("\\(a <b>bold</b>\\)", None, 0, id="other markup"),
        pytest.param(r"\(a", None, 0, id="unclosed"),
        pytest.param(r"\(a \(b\)", None, 1, id="the inner one"),
        pytest.param(r"a\) \(", None, 0, id="the wrong way round"),
        pytest.param("$$ $$ $$", None, 0, id="nothing between"),
        pytest.param("costs $5 and $10", None, 0, id="prices"),
        pytest.param("costs $5 and then $ 10, or 5$", None, 0, id="more prices"),
        pytest.param("$x_1$ and $y$", None, 1, id="plainly TeX"),
        pytest.param(
            "<pre>\\(x\\)</pre><code>$$y$$</code><script>'\\(z\\)'</script><!-- \\(x\\) -->", None, 0, id="no text"
        ),
        pytest.param('<a title="\\(x\\)">', None, 0, id="an attribute"),
        pytest.param("<div>$$x$$ (1)</div>", "<div><p>$$x$$</p> (1)</div>", 1, id="in a box"),
        pytest.param("a `x^2` b", None, 0, id="AsciiMath"),
    ],
)
def test_what_is_kept_whole(page: str, expected: str | None, formulas: int) -> None:
    assert kept_whole(page.encode()) == ((page if expected is None else expected).encode(), formulas)


def test_single_dollars_count_where_the_page_sets_them_up() -> None:
    page = (SET_UP + "<p>$x$, $a\n+ b$, but $5 and $10</p>").encode()
    assert kept_whole(page) == (page.replace(b"a\n+", b"a +"), 2)


def test_the_longest_formula() -> None:
    page = rb"\(" + b"x" * MAX_CHARACTERS + rb"\)"
    assert kept_whole(page) == (page, 1)
    assert kept_whole(page.replace(b"xx", b"xxx")) == (page.replace(b"xx", b"xxx"), 0)


def test_so_many_openings_are_looked_at() -> None:
    page = rb"\(x\)" * (MAX_OPENINGS + 1)
    assert kept_whole(page) == (page, MAX_OPENINGS)


@pytest.mark.parametrize(
    "part",
    [
        rb"\(",
        rb"\[",
        b"$$",
        b"$x",
        rb"\begin{align}",
        b"<code>",
        b"<!--",
        b"<a ",
        rb"\(x<b ",
        rb"\(x<b " * 3_000 + rb"</b>\)",
    ],
)
def test_hostile_pages_take_linear_time(part: bytes) -> None:
    page = part * (1_000_000 // len(part))
    start = time.process_time()
    kept_whole(page)
    assert time.process_time() - start < 10  # seconds
