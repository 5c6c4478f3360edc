"""Runs of digits and signs, and how far windows reach, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.kernels.buffers import text_buffers
from curation.text.patterns.anchors import FARTHEST, anchor_runs, back, classes, forward
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


def test_no_further_than_the_farthest() -> None:
    data = np.frombuffer(b"x" * 3 * FARTHEST, np.uint8)
    assert forward(data, 0, len(data), UNBOUNDED, 0, classes()) == FARTHEST
    assert back(data, 0, len(data), UNBOUNDED, 0, classes()) == 2 * FARTHEST
