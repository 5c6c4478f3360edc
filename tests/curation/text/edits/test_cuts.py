"""Texts without spans; test_cut_spans has the gaps one by one."""

import pyarrow as pa
import pytest

from curation.text.edits.cuts import without_spans

SPANS = pa.list_(pa.struct([("start", pa.int64()), ("stop", pa.int64())]))


def cut(text: str | None, *spans: tuple[int, int]) -> str:
    bounds = pa.array([[{"start": start, "stop": stop} for start, stop in spans]], SPANS)
    after = without_spans(pa.array(["x", text], pa.large_string()).slice(1), bounds)
    after.validate(full=True)
    return str(after[0].as_py())


@pytest.mark.parametrize(
    ("text", "spans", "left"),
    [
        pytest.param("one two", [], "one two", id="nothing"),
        pytest.param(None, [], "", id="null"),
        pytest.param("one two three", [(4, 7)], "one three", id="a word"),
        pytest.param("one\ttwo three", [(4, 7)], "one three", id="the space behind stays"),
        pytest.param("onetwothree", [(3, 6)], "one three", id="a space where there was none"),
        pytest.param("one a\nb three", [(4, 7)], "one\nthree", id="the line break within"),
        pytest.param("one a\n\nb\nc three", [(4, 10)], "one\n\nthree", id="the most line breaks within"),
        pytest.param("one\n\na\nb three", [(5, 8)], "one\n\nthree", id="more line breaks before than within"),
        pytest.param("one a\nb \n \n\nthree", [(4, 7)], "one \n \n\nthree", id="more behind than within"),
        pytest.param("one a \n \n b three", [(4, 11)], "one\n \nthree", id="spaces between line breaks"),
        pytest.param("one a three b five", [(4, 5), (12, 13)], "one three five", id="two words"),
        pytest.param("one a\nb three", [(4, 5), (6, 7)], "one\nthree", id="two words with a line break between"),
        pytest.param("a one b", [(0, 1), (6, 7)], "one", id="both ends"),
        pytest.param("a\n \u0301b", [(0, 1)], " \u0301b", id="an accent on a space"),
        pytest.param("one\na  \u0301b", [(4, 5)], "one\n \u0301b", id="an accent on a space behind a line break"),
    ],
)
def test_what_is_left(text: str | None, spans: list[tuple[int, int]], left: str) -> None:
    assert cut(text, *spans) == left
