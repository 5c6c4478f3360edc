"""How far windows reach, by hand."""

import numpy as np
import pytest

from curation.models.pii.anchors import classes
from curation.models.pii.reach import FARTHEST, back, forward
from curation.models.pii.shape import UNBOUNDED

TEXT = "ab cd-efé 12 gh".encode()
DATA = np.frombuffer(TEXT, np.uint8)
DIGITS = TEXT.index(b"12")


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
    stop = forward(DATA, DIGITS + 2, len(DATA), count, solid, classes())
    assert TEXT[DIGITS + 2 : stop] == reached


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
    begin = back(DATA, 0, DIGITS, count, solid, classes())
    assert TEXT[begin:DIGITS].decode() == reached


def test_no_further_than_the_farthest() -> None:
    data = np.frombuffer(b"x" * 3 * FARTHEST, np.uint8)
    assert forward(data, 0, len(data), UNBOUNDED, 0, classes()) == FARTHEST
    assert back(data, 0, len(data), UNBOUNDED, 0, classes()) == 2 * FARTHEST
