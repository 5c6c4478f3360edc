"""Runs of digits and signs, and how far windows reach, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import class_of
from curation.text.patterns.anchors import DIGIT, FARTHEST, SPACE, WORD, anchor_runs, back, classes, forward
from curation.text.patterns.shape import DIGITS, UNBOUNDED


@pytest.mark.parametrize(
    ("texts", "anchor", "runs"),
    [
        pytest.param(["ab12c3"], DIGITS, [[2, 4, 2, 0], [5, 6, 1, 0]], id="two runs"),
        pytest.param(["1", "", "22"], DIGITS, [[0, 1, 1, 0], [1, 3, 2, 2]], id="runs end with their text"),
        pytest.param(["é٣٤"], DIGITS, [[2, 6, 2, 0]], id="digits of two bytes"),
        pytest.param(["½²Ⅷ"], DIGITS, [], id="numbers that are no decimal digits"),
        pytest.param(["a@b-c:"], ":-", [[3, 4, 1, 0], [5, 6, 1, 0]], id="signs"),
        pytest.param([None, "é"], "@", [], id="none"),
    ],
)
def test_runs(texts: list[str | None], anchor: str, runs: list[list[int]]) -> None:
    assert anchor_runs(*text_buffers(pa.array(texts, pa.large_string())), anchor).tolist() == runs


def test_more_runs_than_bytes_were_expected_for() -> None:
    assert len(anchor_runs(*text_buffers(pa.array(["1 " * 5000])), DIGITS)) == 5000


@pytest.mark.parametrize(
    ("char", "flags"),
    [("7", DIGIT | WORD), ("é", WORD), ("_", WORD), ("\u00a0", SPACE), ("-", 0), ("٣", DIGIT | WORD)],
)
def test_class(char: str, flags: int) -> None:
    assert class_of(classes(), ord(char)) == flags


TEXT = "ab cd-efé 12 gh".encode()
DATA = np.frombuffer(TEXT, np.uint8)
NUMBER = TEXT.index(b"12")


@pytest.mark.parametrize(
    ("count", "solid", "reached"),
    [
        pytest.param(0, 0, b"", id="nothing"),
        pytest.param(1, 0, b" g", id="whitespace is not counted"),
        pytest.param(1, 9, b" gh", id="to the end of a word"),
        pytest.param(UNBOUNDED, 0, b" ", id="up to whitespace"),
    ],
)
def test_forward(count: int, solid: int, reached: bytes) -> None:
    stop = forward(DATA, NUMBER + 2, len(DATA), count, solid, classes())
    assert TEXT[NUMBER + 2 : stop] == reached


@pytest.mark.parametrize(
    ("count", "solid", "reached"),
    [
        pytest.param(0, 0, "", id="nothing"),
        pytest.param(1, 0, "é ", id="a character of two bytes"),
        pytest.param(1, 9, "efé ", id="to the beginning of a word"),
        pytest.param(4, 0, "-efé ", id="across a hyphen"),
    ],
)
def test_back(count: int, solid: int, reached: str) -> None:
    begin = back(DATA, 0, NUMBER, count, solid, classes())
    assert TEXT[begin:NUMBER].decode() == reached


def test_no_further_than_the_farthest() -> None:
    data = np.frombuffer(b"x" * 3 * FARTHEST, np.uint8)
    assert forward(data, 0, len(data), UNBOUNDED, 0, classes()) == FARTHEST
    assert back(data, 0, len(data), UNBOUNDED, 0, classes()) == 2 * FARTHEST
