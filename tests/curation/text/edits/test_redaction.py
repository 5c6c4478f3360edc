"""Spans of kinds, placed in Arrow buffers and counted."""

from typing import Any

import pyarrow as pa
import pytest

from curation.text.edits.redaction import SPANS, count_kinds, placed


def spans(*documents: list[tuple[str, int, int]] | None) -> pa.Array:
    rows = [
        None if found is None else [{"kind": k, "start": a, "end": b, "score": 1.0} for k, a, b in found]
        for found in documents
    ]
    return pa.array(rows, SPANS)


def test_placed_in_the_buffers_of_a_slice() -> None:
    text = pa.array(["skipped", "né a@b", None, "c@d"], pa.large_string()).slice(1)
    found = placed(text, spans([("email", 4, 7)], None, [("email", 0, 3)]))
    assert [bytes(found.data[a:b]) for a, b in zip(found.starts, found.stops, strict=True)] == [b"a@b", b"c@d"]
    assert found.first.tolist() == [0, 1, 1, 2]


def test_touching_spans_are_two() -> None:
    assert placed(pa.array(["abcd"]), spans([("x", 0, 2), ("x", 2, 4)])).first.tolist() == [0, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param([("x", 2, 2)], id="empty"),
        pytest.param([("x", 0, 5)], id="beyond the text"),
        pytest.param([("x", -1, 2)], id="before the text"),
        pytest.param([("x", 0, 2), ("x", 1, 3)], id="overlapping"),
        pytest.param([("x", 2, 3), ("x", 0, 1)], id="out of order"),
    ],
)
def test_wrong_spans(wrong: Any) -> None:
    with pytest.raises(ValueError, match="inside their text"):
        placed(pa.array(["abcd", "abcd"]), spans([], wrong))


def test_counts_by_kind() -> None:
    found = spans([("a", 0, 1), ("b", 1, 2), ("a", 2, 3)], None, [], [("c", 0, 1)])
    counts = count_kinds(found, ["a", "b", "d"])
    assert {kind: values.tolist() for kind, values in counts.items()} == {
        "a": [2, 0, 0, 0],
        "b": [1, 0, 0, 0],
        "d": [0, 0, 0, 0],
    }


def test_nothing_found() -> None:
    assert count_kinds(spans(), ["a"])["a"].tolist() == []
    assert placed(pa.array([], pa.large_string()), spans()).first.tolist() == [0]
