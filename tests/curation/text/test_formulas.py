"""What is a formula, by hand, and texts that look like one."""

import pyarrow as pa
import pytest

from curation.text.formulas import DISPLAYED, INLINE, count_formulas


@pytest.mark.parametrize(
    ("text", "formulas", "bytes_in"),
    [
        pytest.param("so $x+1$ holds", 1, len("$x+1$"), id="in a line"),
        pytest.param("$$a = b$$", 1, 9, id="displayed"),
        pytest.param(r"\(a\) and \[b\]", 2, 10, id="brackets"),
        pytest.param("\\begin{align*}\na &= b\n\\end{align*}.", 1, 34, id="environment"),
        pytest.param("\\begin{table} a \\end{table}", 0, len("\\begin\\end"), id="another environment"),
        pytest.param("it costs $5 and $10, or $3.50.", 0, 0, id="prices"),
        pytest.param("from $5/$6 to $7", 0, 0, id="prices without blanks"),
        pytest.param(r"the cost \$5 is $a\$b$", 1, len(r"$a\$b$"), id="an escaped dollar"),
        pytest.param("a $b\n\nc$ d", 0, 0, id="a blank line"),
        pytest.param("$" + "a" * INLINE + "$", 0, 0, id="too long"),
        pytest.param(r"\frac and \alpha, C:\n \x", 0, len(r"\frac\alpha"), id="commands alone"),
        pytest.param("∑ aᵢ ≤ 2 × 𝑥²", 0, 3 + 3 + 2 + 4, id="signs"),
        pytest.param(r"\(a \(b\)", 1, 5, id="one that begins within another"),
        pytest.param("$$", 0, 0, id="two dollars"),
        pytest.param("\\begin{align} no end", 0, len("\\begin"), id="without an end"),
        pytest.param("\\", 0, 0, id="a backslash"),
        pytest.param("", 0, 0, id="nothing"),
        pytest.param(None, 0, 0, id="null"),
    ],
)
def test_by_hand(text: str | None, formulas: int, bytes_in: int) -> None:
    found = count_formulas(pa.array([text, text], pa.large_string()))
    assert (found.formulas.tolist(), found.bytes_in.tolist()) == ([formulas] * 2, [bytes_in] * 2)


def test_environments_that_do_not_end_are_searched_for_once() -> None:
    """Else megabytes of them would take minutes."""
    text = "\\begin{align}" * (DISPLAYED // 5) + "x\\end{align}"
    found = count_formulas(pa.array([text], pa.large_string()))
    assert found.formulas.tolist() == [1]
    assert count_formulas(pa.array(["\\begin{align}" * 2_000_000], pa.large_string())).formulas.tolist() == [0]
