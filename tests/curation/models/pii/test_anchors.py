"""Runs of digits and signs, by hand."""

import pyarrow as pa
import pytest

from curation.models.pii.anchors import DIGIT, SPACE, WORD, anchor_runs, classes
from curation.models.pii.shape import DIGITS
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import class_of


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
