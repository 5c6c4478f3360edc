"""Which lines are prose, at each limit."""

import pyarrow as pa
import pytest

from curation.text.prose_lines import CELL, LONG, SHORT, ends_like_sentence, prose_lines
from curation.text.spans import line_spans


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("It ends.", True, id="a full stop"),
        pytest.param("It goes on", False, id="no mark"),
        pytest.param('He said: "It ends."', True, id="a quotation mark"),
        pytest.param("It ends (so they say!)", True, id="a bracket after a mark"),
        pytest.param("It ends (as they say)", False, id="a bracket after a word"),
        pytest.param("它结束了。」", True, id="wide marks"),
        pytest.param("It ends.[12][3]", True, id="references"),
        pytest.param("a[12]", False, id="an index"),
        pytest.param("It ends.]", True, id="a bracket alone"),
        pytest.param("[12]", False, id="a reference alone"),
        pytest.param("for (;;) { run(); }", False, id="code"),
    ],
)
def test_the_end_of_a_line(line: str, expected: bool) -> None:
    assert ends_like_sentence(line_spans(pa.array([line]))).tolist() == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("x" * (SHORT - 1) + ".", True, id="short enough"),
        pytest.param("x" * (SHORT - 2) + ".", False, id="too short"),
        pytest.param("中" * 9 + "。", True, id="bytes count"),
        pytest.param("x" * LONG, True, id="long without an end"),
        pytest.param("x" * (LONG - 1), False, id="not long enough without an end"),
        pytest.param("| " + "x" * (2 * CELL - 5) + ". |", False, id="a short cell"),
        pytest.param("| " + "x" * LONG + " |", True, id="a cell with a paragraph"),
        pytest.param("x" * (CELL - 2) + "\t.", True, id="a tab"),
        pytest.param("x" * (CELL - 3) + "\t.", False, id="a tab in a shorter line"),
    ],
)
def test_a_line_of_prose(line: str, expected: bool) -> None:
    assert prose_lines(pa.array([line])).to_pylist() == [line if expected else ""]


def test_only_prose_is_left() -> None:
    prose = "This is a sentence of some length."
    assert prose_lines(pa.array([f"Menu\n  {prose} \n\n- item\n{prose}\n", None, "Menu"])).to_pylist() == [
        f"{prose}\n{prose}",
        "",
        "",
    ]
