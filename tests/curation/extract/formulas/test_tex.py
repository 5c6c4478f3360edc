"""TeX in one line, between dollar signs."""

import pytest

from curation.extract.formulas.tex import MAX_CHARACTERS, as_markup, one_line, written


@pytest.mark.parametrize(
    ("tex", "line"),
    [
        pytest.param(" a\n + b ", "a + b", id="a break"),
        pytest.param("a % one\n+ b", "a + b", id="a comment"),
        pytest.param("a \\% b\nc", r"a \% b c", id="a per cent sign"),
        pytest.param("a % b", "a % b", id="no break, no comment"),
        pytest.param("a\\ ", "a\\ ", id="a space that counts"),
        pytest.param("a \\\\ ", r"a \\", id="a new row"),
        pytest.param("", "", id="empty"),
    ],
)
def test_one_line(tex: str, line: str) -> None:
    assert one_line(tex) == line


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        pytest.param("x", "$x$", id="inline"),
        pytest.param("$x$", "$x$", id="its own dollars"),
        pytest.param(r"\(x\)", "$x$", id="its own parentheses"),
        pytest.param("$$x$$", "$$x$$", id="displayed by itself"),
        pytest.param(r"\[x\]", "$$x$$", id="displayed by brackets"),
        pytest.param("$x$ and $y$", "$$x$ and $y$$", id="two formulas stay as they are"),
        pytest.param(r"\begin{align} a \end{align}", r"$$\begin{align} a \end{align}$$", id="an environment"),
        pytest.param(r"{\displaystyle x^{2}}", "$x^{2}$", id="styled"),
        pytest.param(r"{\displaystyle a} + {b}", r"${\displaystyle a} + {b}$", id="styled in part"),
        pytest.param("$$", "$$$$", id="nothing between"),
    ],
)
def test_written(tex: str, text: str) -> None:
    assert written(tex, display=False) == text


def test_displayed() -> None:
    assert written("x", display=True) == "$$x$$"


@pytest.mark.parametrize("tex", ["", " \n ", r"{\displaystyle }", "x" * (MAX_CHARACTERS + 1)])
def test_nothing_or_too_much(tex: str) -> None:
    assert written(tex, display=False) is None


def test_the_longest() -> None:
    assert written("x" * MAX_CHARACTERS, display=False) == f"${'x' * MAX_CHARACTERS}$"


def test_markup_holds_no_tag() -> None:
    assert as_markup("a<b & c < d > e") == b"a&lt; b &amp; c &lt; d &gt; e"
