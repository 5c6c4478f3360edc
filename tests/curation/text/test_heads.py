"""The beginnings of texts on one line."""

import pyarrow as pa
from hypothesis import given

from curation.text.heads import one_line_heads
from tests.curation.text.texts import as_text, batches, garbage, sliced


@given(batches)
def test_heads(values: list[str | None]) -> None:
    expected = [(value or "").lstrip()[:5].replace("\n", " ").encode() + b"\n" for value in values]
    assert one_line_heads(sliced(values), 5).to_pylist() == expected


def test_a_head_ends_between_characters() -> None:
    array = pa.array(["😀😀😀", "中a\n中中", "ab"])
    assert [head.decode() for head in one_line_heads(array, 3).to_pylist()] == ["😀😀😀\n", "中a \n", "ab\n"]
    assert [head.decode() for head in one_line_heads(array, 2).to_pylist()] == ["😀😀\n", "中a\n", "ab\n"]


@given(garbage)
def test_bytes_that_are_no_text_are_bounded(contents: list[bytes]) -> None:
    for head in one_line_heads(as_text(contents), 3).to_pylist():
        assert len(head) <= 3 * 4 + 1
        assert head.endswith(b"\n")
        assert b"\n" not in head[:-1]
