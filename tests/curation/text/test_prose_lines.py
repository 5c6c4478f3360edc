"""Which lines are prose, at each limit, and against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.kernels.unicode import CLOSING, DECIMAL, SPACE, TERMINAL, class_of, classes
from curation.text.prose_lines import CELL, LONG, SHORT, ends_like_sentence, prose_lines
from curation.text.spans import line_spans
from tests.curation.text.texts import batches, sliced


def flags(char: str) -> int:
    return int(class_of(classes(), ord(char)))


def lines_of(value: str | None) -> list[str]:
    return [line.strip() for line in (value or "").split("\n") if line.strip()]


def ends(line: str) -> bool:
    """The rule in plain Python."""
    while line:
        opening = line.rfind("[")
        inside = line[opening + 1 : -1]
        if line[-1] == "]" and opening >= 0 and inside and all(flags(char) & DECIMAL for char in inside):
            line = line[:opening]
            continue
        last = flags(line[-1])
        if last & TERMINAL:
            return True
        if not last & (CLOSING | SPACE):
            return False
        line = line[:-1]
    return False


def is_prose(line: str) -> bool:
    size = len(line.encode())
    cells = line.count("\t") + line.count("|")
    return size >= SHORT and size >= CELL * cells and (size >= LONG or ends(line))


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
    assert ends(line) == expected


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
    assert is_prose(line) == expected


def test_only_prose_is_left() -> None:
    prose = "This is a sentence of some length."
    assert prose_lines(pa.array([f"Menu\n  {prose} \n\n- item\n{prose}\n", None, "Menu"])).to_pylist() == [
        f"{prose}\n{prose}",
        "",
        "",
    ]


@given(batches)
def test_as_in_plain_python(values: list[str | None]) -> None:
    values = [value and value + "\n" + value * 5 for value in values]
    found = prose_lines(sliced(values)).to_pylist()
    assert found == ["\n".join(filter(is_prose, lines_of(value))) for value in values]
