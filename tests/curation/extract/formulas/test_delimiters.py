"""Formulas between delimiters: kept in one piece, counted, and told from prices."""

import time

import pytest

from curation.extract.formulas.delimiters import MAX_OPENINGS, kept_whole
from curation.extract.formulas.tex import MAX_CHARACTERS
from tests.support import table

SET_UP = '<script>MathJax = {tex: {inlineMath: [["$", "$"]]}}</script>'


@table(
    ("page", "expected", "formulas"),
    {
        "whole": (r"<p>\(x\), \[y\] and $$z$$</p>", r"<p>\(x\), \[y\] and $$z$$</p>", 3),
        "breaks and a comment": ("\\[\n a\n + b % c\n\\]", r"\[a + b\]", 1),
        "br": ("$$a<br>b<br />c$$", "$$a b c$$", 1),
        "em": ("$$a<em>1 + b</em>2$$", "$$a_1 + b_2$$", 1),
        "less than a letter": (r"\(a<b\)", r"\(a&lt; b\)", 1),
        "more of them": (r"\(a<b<c\), \(c>d\)", r"\(a&lt; b&lt; c\), \(c>d\)", 2),
        "escaped": (r"\(a &lt;b\)", r"\(a &lt; b\)", 1),
        "an environment": ("\\begin{align}\na &= b\n\\end{align}", r"\begin{align} a &amp;= b \end{align}", 1),
        "over two blocks": ("\\(a</p><p>b\\)", None, 0),
        "other markup": ("\\(a <b>bold</b>\\)", None, 0),
        "unclosed": (r"\(a", None, 0),
        "the inner one": (r"\(a \(b\)", None, 1),
        "the wrong way round": (r"a\) \(", None, 0),
        "nothing between": ("$$ $$ $$", None, 0),
        "prices": ("costs $5 and $10", None, 0),
        "more prices": ("costs $5 and then $ 10, or 5$", None, 0),
        "plainly TeX": ("$x_1$ and $y$", None, 1),
        "no text": ("<pre>\\(x\\)</pre><code>$$y$$</code><script>'\\(z\\)'</script><!-- \\(x\\) -->", None, 0),
        "an attribute": ('<a title="\\(x\\)">', None, 0),
        "in a box": ("<div>$$x$$ (1)</div>", "<div><p>$$x$$</p> (1)</div>", 1),
        "AsciiMath": ("a `x^2` b", None, 0),
    },
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
