"""How far spans reach, in characters of several bytes."""

import numpy as np
import pyarrow as pa
import pytest

from curation.models.evalsets.matched_spans import matched_spans


@pytest.mark.parametrize(
    ("context", "piece", "spans"),
    [
        pytest.param(0, 0, [(60, 62), (68, 70)], id="as they are"),
        pytest.param(1, 0, [(58, 64), (66, 72)], id="a character on each side"),
        pytest.param(2, 0, [(56, 74)], id="two, which meet"),
        pytest.param(99, 0, [(0, 120)], id="more than there is"),
        pytest.param(0, 3, [(60, 62), (68, 70)], id="a piece of 3 characters beside 3"),
        pytest.param(0, 4, [(60, 70)], id="beside 4"),
        pytest.param(0, 26, [(60, 120)], id="25 characters at the end beside 26"),
    ],
)
def test_spans(context: int, piece: int, spans: list[tuple[int, int]]) -> None:
    text = pa.array(["", "ä" * 60], pa.large_string())
    row = np.array([1, 1])
    start = np.array([68, 60])
    stop = np.array([70, 62])
    found = matched_spans(text, row, start, stop, context=context, least_piece=piece).to_pylist()
    assert found[0] == []
    assert [(span["start"], span["stop"]) for span in found[1]] == spans


def test_no_word_is_cut_in_two() -> None:
    text = pa.array(["one two three four five six seven"], pa.large_string())
    (spans,) = matched_spans(text, np.array([0]), np.array([14]), np.array([18]), context=2).to_pylist()
    assert spans == [{"start": 8, "stop": 23}]  # from "three" to "five"
